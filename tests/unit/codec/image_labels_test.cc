#include "events/codec/image_labels.h"

#include <gtest/gtest.h>

#include <fstream>

namespace berth {
namespace {

using Labels = std::map<std::string, std::string>;

// Two apps that are right, with what a test changes.
Labels with(const Labels& changed) {
  Labels labels = {{"berth.apps", "lab:http:8888,board:tcp:6006"},
                   {"berth.app.lab.command", R"(["jupyter","lab"])"},
                   {"berth.app.board.command", R"(["board"])"}};
  for (const auto& [name, value] : changed) labels[name] = value;
  return labels;
}

std::string refusal_of(const Labels& labels) {
  const auto parsed = parse_image_labels(labels);
  if (parsed.ok()) return "";
  EXPECT_EQ(parsed.error().code, "image-label-invalid");
  return parsed.error().message;
}

std::string refusal_with(const std::string& label, const std::string& value) {
  return refusal_of(with({{label, value}}));
}

std::string refusal_of_apps(const std::string& apps) { return refusal_with("berth.apps", apps); }

TEST(ImageLabels, OfAnImageThatSaysNothingAreNothing) {
  const auto parsed = parse_image_labels({{"org.example.ports", "x"}, {"berth.debian", "bookworm"}});
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed->apps.empty());
  EXPECT_EQ(parsed->memory_min, 0);
  EXPECT_EQ(parsed->memory_recommended, 0);
}

TEST(ImageLabels, OfTheImageJupyterAreItsThreeApps) {
  std::ifstream file("ops/images/jupyter/labels");
  Labels labels;
  for (std::string line; std::getline(file, line);)
    labels[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  const auto parsed = parse_image_labels(labels);
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  ASSERT_EQ(parsed->apps.size(), 3U);
  EXPECT_EQ(parsed->apps[0].title, "Jupyter Notebook");
  EXPECT_EQ(parsed->apps[1].title, "JupyterLab");
  EXPECT_EQ(parsed->apps[2].title, "TensorBoard");
  for (const ImageApp& app : parsed->apps) EXPECT_EQ(app.protocol, AppProtocol::kHttp) << app.name;
  for (const char* name : {"jupyter", "jupyterlab"}) {
    const ImageApp* app = parsed->app(name);
    ASSERT_NE(app, nullptr) << name;
    EXPECT_EQ(app->command.back(), "--ServerApp.sock=" + app->socket) << name;
    EXPECT_EQ(app->token_variable, "JUPYTER_TOKEN") << name;
  }
  EXPECT_EQ(parsed->memory_min, Amount{512} << 20);
  EXPECT_EQ(parsed->memory_recommended, Amount{512} << 20);
}

TEST(ImageLabels, GiveEachAppWhatItsOwnLabelsSay) {
  const auto parsed =
      parse_image_labels({{"berth.apps", "lab:http:8888,db:tcp:5432,top:pty:1,own:preopen:65535"},
                          {"berth.app.lab.command", R"( ["lab", "--a=\"b, c\"", ""] )"},
                          {"berth.app.lab.title", "물리 Lab"},
                          {"berth.app.lab.socket", "/var/lib/apps/lab..sock"},
                          {"berth.app.lab.token", "LAB_TOKEN"},
                          {"berth.app.db.command", R"(["db"])"},
                          {"berth.app.top.command", R"(["top"])"}});
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  const ImageApp lab{"lab",      AppProtocol::kHttp,          8888,
                     "물리 Lab", {"lab", "--a=\"b, c\"", ""}, "/var/lib/apps/lab..sock",
                     "LAB_TOKEN"};
  ASSERT_EQ(parsed->apps.size(), 4U);
  EXPECT_EQ(parsed->apps[0], lab);
  EXPECT_EQ(parsed->apps[1], (ImageApp{"db", AppProtocol::kTcp, 5432, "db", {"db"}, "", ""}));
  EXPECT_EQ(parsed->apps[2], (ImageApp{"top", AppProtocol::kPty, 1, "top", {"top"}, "", ""}));
  EXPECT_EQ(parsed->apps[3], (ImageApp{"own", AppProtocol::kPreopen, 65535, "own", {}, "", ""}));
  EXPECT_EQ(parsed->app("db"), &parsed->apps[1]);
  EXPECT_EQ(parsed->app("d"), nullptr);
  EXPECT_EQ(to_string(parsed->apps[3].protocol), "preopen");
}

TEST(ImageLabels, WithABadPortAreRefusedByItsName) {
  for (const char* port :
       {"", "0", "65536", "99999999999999999999", "-1", "+80", "080", "8e3", "80 ", "http"})
    EXPECT_EQ(refusal_of_apps("lab:http:" + std::string(port)),
              "label berth.apps: app lab: '" + std::string(port) + "' is no port");
  for (const char* port : {"2000", "2001", "2200", "7681"})
    for (const char* protocol : {"http", "preopen"})
      EXPECT_EQ(refusal_of_apps("lab:" + std::string(protocol) + ":" + port),
                "label berth.apps: app lab: port " + std::string(port) + " is one of Berth's own");
}

TEST(ImageLabels, WithABadNameOfAnAppAreRefused) {
  for (const std::string name :
       {"", "Lab", "8501", "3d", "-lab", "lab-", "my--lab", "my_lab", "my.lab", " lab", "랩", "lab\n"})
    EXPECT_EQ(refusal_of_apps(name + ":http:80"), "label berth.apps: '" + name + "' is no name of an app");
  const std::string longest(kAppNameMax, 'a');
  EXPECT_NE(refusal_of_apps(longest + "a:http:80"), "");
  EXPECT_EQ(longest.size() + std::string("--").size() + 32, 63u);  // a part of a host name
  EXPECT_EQ(refusal_of_apps("console:pty:80"), "label berth.apps: the name 'console' is Berth's own");
  EXPECT_TRUE(parse_image_labels({{"berth.apps", longest + ":preopen:80"}}).ok());
}

TEST(ImageLabels, WithAProtocolThatIsNotKnownAreRefused) {
  for (const char* protocol : {"", "HTTP", "https", "udp", "http "})
    EXPECT_EQ(refusal_of_apps("lab:" + std::string(protocol) + ":80"),
              "label berth.apps: app lab: '" + std::string(protocol) + "' is no protocol");
}

TEST(ImageLabels, WhoseListOfAppsHasAnotherFormAreRefused) {
  for (const char* apps : {"", "lab", "lab:http", "lab:http:80:90", ",", "lab:preopen:80,", ",lab:preopen:80",
                           "lab:preopen:80,,db:preopen:81", "lab;http;80"})
    EXPECT_TRUE(refusal_of_apps(apps).ends_with("is no app")) << apps << ": " << refusal_of_apps(apps);
}

TEST(ImageLabels, OfTwoAppsWithOneNameOnePortOrOneSocketAreRefused) {
  EXPECT_EQ(refusal_of_apps("lab:http:80,lab:tcp:81"), "label berth.apps: app lab is named twice");
  EXPECT_EQ(refusal_of_apps("lab:http:80,board:tcp:80"),
            "label berth.apps: apps lab and board have one port, 80");
  EXPECT_EQ(refusal_of(with({{"berth.app.lab.socket", "/s"}, {"berth.app.board.socket", "/s"}})),
            "label berth.apps: apps lab and board have one socket");
}

TEST(ImageLabels, NameAtMost32Apps) {
  std::string apps;
  for (std::size_t i = 0; i < kImageAppsMax; ++i)
    apps += (i == 0 ? "a" : ",a") + std::to_string(i) + ":preopen:" + std::to_string(i + 1);
  const auto parsed = parse_image_labels({{"berth.apps", apps}});
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  EXPECT_EQ(parsed->apps.size(), kImageAppsMax);
  EXPECT_EQ(refusal_of_apps(apps + ",b:preopen:99"), "label berth.apps: more than 32 apps");
}

TEST(ImageLabels, WhoseCommandIsNoArrayOfStringsAreRefused) {
  for (const char* command : {"", "jupyter lab", "\"jupyter\"", "{}", "[]", "[1]", "[null]", "[[\"a\"]]",
                              "[\"a\",]", "[\"a\"] x", "[\"a\\u0000b\"]", "[\"\"]", "[\"\xff\"]"})
    EXPECT_TRUE(refusal_with("berth.app.lab.command", command).starts_with("label berth.app.lab.command: "))
        << command;
  const std::string longest = "[\"" + std::string(kAppCommandMax - 4, 'x') + "\"]";
  EXPECT_EQ(refusal_with("berth.app.lab.command", longest), "");
  EXPECT_EQ(refusal_with("berth.app.lab.command", longest + " "),
            "label berth.app.lab.command: longer than 4096 bytes");
}

TEST(ImageLabels, SayHowEachAppStartsButThatOfTheSessionsOwnProgram) {
  Labels labels = with({});
  labels.erase("berth.app.lab.command");
  EXPECT_EQ(refusal_of(labels), "label berth.apps: app lab has no command");
  EXPECT_EQ(refusal_of_apps("lab:preopen:80,board:tcp:81"),
            "label berth.app.lab.command: an app of protocol preopen has no command");
}

TEST(ImageLabels, WithABadSocketTitleOrTokenAreRefused) {
  for (const std::string path : {"", "s", "/", "/a/", "//a", "/a//b", "/a/../b", "/..", "/a/.", "/a\n"})
    EXPECT_EQ(refusal_with("berth.app.lab.socket", path),
              "label berth.app.lab.socket: '" + path + "' is no path of a socket");
  EXPECT_NE(refusal_with("berth.app.lab.socket", "/" + std::string(kAppSocketMax, 'a')), "");
  for (const std::string& title : {std::string(), std::string(kAppTitleMax + 1, 'x'), std::string("a\nb")})
    EXPECT_NE(refusal_with("berth.app.lab.title", title), "") << title;
  for (const std::string variable : {"", "1A", "A-B", "token", "A=B"})
    EXPECT_EQ(refusal_with("berth.app.lab.token", variable),
              "label berth.app.lab.token: '" + variable + "' is no name of an environment variable");
  EXPECT_EQ(refusal_with("berth.app.board.token", "TOKEN"),
            "label berth.app.board.token: only an app of protocol http is sent a token");
  EXPECT_EQ(refusal_of({{"berth.apps", "top:pty:80"},
                        {"berth.app.top.command", "[\"top\"]"},
                        {"berth.app.top.socket", "/s"}}),
            "label berth.app.top.socket: only an app of protocol http or tcp listens on a socket");
}

TEST(ImageLabels, OfAppsThatAreNotKnownAreRefused) {
  for (const char* label : {"berth.app", "berth.app.", "berth.appz", "berth.apps.lab"})
    EXPECT_EQ(refusal_with(label, "x"), "label " + std::string(label) + ": is not known");
  EXPECT_EQ(refusal_with("berth.app.lab.comand", "[\"a\"]"), "label berth.app.lab.comand: is not known");
  for (const char* label : {"berth.app.other.command", "berth.app.lab.x.command", "berth.app..command"})
    EXPECT_EQ(refusal_with(label, "[\"a\"]"),
              "label " + std::string(label) + ": is of an app that berth.apps does not name");
}

TEST(ImageLabels, SayHowMuchMemoryTheImageNeedsAndWhatIsRecommended) {
  const auto parsed = parse_image_labels({{"berth.min.mem", "512m"}, {"berth.recommended.mem", "1.5g"}});
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  EXPECT_EQ(parsed->memory_min, Amount{512} << 20);
  EXPECT_EQ(parsed->memory_recommended, Amount{1536} << 20);
  for (const char* label : {"berth.min.mem", "berth.recommended.mem"})
    for (const std::string amount : {"", "0", "-1", "1e3", "512 m", "much", "99999999p"})
      EXPECT_EQ(refusal_of({{label, amount}}),
                "label " + std::string(label) + ": '" + amount + "' is no amount of memory");
  EXPECT_EQ(refusal_of({{"berth.min.mem", "1g"}, {"berth.recommended.mem", "512m"}}),
            "label berth.recommended.mem: is less than berth.min.mem");
}

}  // namespace
}  // namespace berth
