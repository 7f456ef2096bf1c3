// berth app ls, start, stop, url and open, with a server that is a function and WebSockets that are lists.
#include <gtest/gtest.h>

#include <csignal>

#include "ops/cli/apps/browser.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

class OfApps : public ::testing::Test {
 protected:
  OfApps() {
    w.server.answer = [this](const HttpRequest& request) -> Result<HttpReply> {
      if (request.method == "DELETE") return HttpReply{204, {{"x-berth-position", "7"}}, {}};
      if (request.target == "/v1/sessions/demo")
        return json_reply(R"({"id":"0123-45","status":")" + status + R"("})");
      if (request.target == "/v1/sessions/0123-45/apps" || request.target == "/v1/sessions/demo/apps")
        return json_reply(R"({"items":[)" + apps + "]}");
      return problem(404, "unknown-session");
    };
  }

  void serve(std::deque<Said> says) {
    FakeConnection connection;
    connection.says = std::move(says);
    w.sockets.connections.push_back(std::move(connection));
  }
  static Said begins(bool made = true) {
    return text(std::string(R"({"begun":{"made":)") + (made ? "true" : "false") +
                R"(,"scrollback":0,"lost":0,"restarts":0}})");
  }
  static Said is_now(const std::string& state, int code = 0, int signal = 0) {
    return text(R"({"app":{"state":")" + state + R"(","exit_code":)" + std::to_string(code) +
                R"(,"signal":)" + std::to_string(signal) + R"(,"restarts":0}})");
  }
  static Said ends(int code) {
    return text(R"({"ended":{"exit_code":)" + std::to_string(code) + R"(,"signal":0}})");
  }
  Ran start(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"app", "start", "demo", "lab"});
    return w.run(more);
  }
  static bool has(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
  }

  FakeWorld w;
  std::string status = "RUNNING";
  std::string apps = R"({"name":"lab","title":"JupyterLab","protocol":"http","port":8888,"state":"stopped"},
      {"name":"db","title":"Database","protocol":"tcp","port":5432,"state":"ended","exit_code":3,"signal":0,
       "restarts":1,"log":"first\nno room\n"},
      {"name":"top","title":"top","protocol":"pty","port":1,"state":"ended","exit_code":137,"signal":9})";
};

TEST_F(OfApps, AreListedWithHowTheyStand) {
  const auto ran = w.run({"app", "ls", "demo"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "NAME  TITLE       PROTOCOL  PORT  STATE\n"
            "lab   JupyterLab  http      8888  stopped\n"
            "db    Database    tcp       5432  ended 3\n"
            "top   top         pty          1  ended by signal 9\n");
  EXPECT_TRUE(has(w.run({"app", "ls", "demo", "-o", "wide"}).out, "  no room\n"));
  EXPECT_EQ(w.run({"app", "ls", "demo", "-o", "name"}).out, "lab\ndb\ntop\n");
  apps.clear();
  const auto none = w.run({"app", "ls", "demo"});
  EXPECT_EQ(none.out, "NAME  TITLE  PROTOCOL  PORT  STATE\n");
  EXPECT_TRUE(has(none.err, "berth app listen demo PORT")) << none.err;
}

TEST_F(OfApps, StartWithWhatIsGiven) {
  serve({begins(), is_now("starting"), of_stdout("loading\n"), is_now("ready")});
  const auto ran = start({"-e", "A=b=c", "--", "--dir", "x"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "lab of demo is starting\nlab of demo is ready\n");
  EXPECT_EQ(w.sockets.asked.at(0).target, "/v1/sessions/0123-45/apps/lab/start");
  EXPECT_NE(header_of(w.sockets.asked[0], "Authorization"), "");
  EXPECT_EQ(w.sockets.heard.at(0).bytes, R"({"arguments":["--dir","x"],"environment":{"A":"b=c"}})");
  EXPECT_EQ(w.sockets.closed, 1);
}

TEST_F(OfApps, ThatRunAlreadyAreSaidToIfWordsComeTooLate) {
  serve({begins(false), is_now("ready")});
  EXPECT_EQ(start().err, "lab of demo is ready\n");
  EXPECT_EQ(w.sockets.heard.at(0).bytes, "{}");
  serve({begins(false), is_now("ready")});
  EXPECT_TRUE(has(start({"-e", "A=b"}).err, "runs already")) << "its variables are others";
}

TEST_F(OfApps, ThatEndShowWhatTheyPrinted) {
  serve({begins(), is_now("starting"), of_stdout("no \x1b[31mport"), is_now("ended", 4), of_stderr("\nbye\n"),
         ends(4)});
  const auto ran = start();
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_TRUE(has(ran.err, "no ^[[31mport\nbye\nberth: app-ended: lab of demo has ended with exit code 4"))
      << ran.err;
  serve({begins(), is_now("ended", 137, 9), SocketEnd{1000, ""}});
  EXPECT_TRUE(has(start().err, "has ended by signal 9"));
}

TEST_F(OfApps, ThatPrintWithoutEndAreKeptInPart) {
  std::deque<Said> says{begins()};
  for (int i = 0; i < 100; ++i) says.push_back(of_stdout(std::string(60'000, 'x') + "\n"));
  says.push_back(ends(1));
  serve(std::move(says));
  const auto ran = start();
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_LT(ran.err.size(), 70'000u);
}

TEST_F(OfApps, ThatNeverGetReadyAreNotWaitedForForever) {
  serve({begins(), is_now("starting"), of_stdout("listening on 0.0.0.1\n"),
         Until([](const FakeSockets&) { return false; })});
  const auto ran = start({"--timeout", "200ms"});
  EXPECT_EQ(ran.exit, kTimeout);
  EXPECT_TRUE(has(ran.err, "listening on 0.0.0.1\nberth: app-not-ready: ")) << ran.err;
}

TEST_F(OfApps, GoOnWhereACutConnectionIsMadeAgain) {
  serve({begins(), is_now("starting"), of_stdout("once\n"), SocketEnd{0, "broken"}});
  serve({begins(false), is_now("starting"), of_stdout("once\n"), is_now("ended", 1), ends(1)});
  const auto ran = start();
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_TRUE(has(ran.err, "broken; trying again")) << ran.err;
  EXPECT_EQ(ran.err.find("once"), ran.err.rfind("once")) << ran.err;
  EXPECT_EQ(w.sockets.asked.size(), 2u);
}

TEST_F(OfApps, AreLeftByCtrlC) {
  serve({begins(), is_now("starting"), Until([](const FakeSockets&) { return ::raise(SIGINT) != 0; })});
  const auto ran = start();
  EXPECT_EQ(ran.exit, kTimeout);
  EXPECT_TRUE(has(ran.err, "left; lab of demo goes on")) << ran.err;
}

TEST_F(OfApps, ProblemsAreThoseOfTheServer) {
  serve({text(R"({"problem":{"code":"too-many-apps","message":"32 run","hint":"end one"}})")});
  const auto full = start();
  EXPECT_EQ(full.exit, kConflict);
  EXPECT_TRUE(has(full.err, "too-many-apps: 32 run\n  hint: end one")) << full.err;
  w.sockets.connections.push_back({problem(409, "not-for-this-backend"), {}});
  EXPECT_EQ(start().exit, kConflict);
  EXPECT_EQ(start().exit, kUnreachable) << "a server that was never there is not waited for";
  serve({begins(), text(R"({"app":{"state":"dancing"}})")});
  EXPECT_TRUE(has(start().err, "not-berth"));
}

TEST_F(OfApps, ThatNobodyDeclaredAreNamedWithThoseThatAre) {
  for (const char* verb : {"start", "stop", "url", "open", "listen"}) {
    const auto ran = w.run({"app", verb, "demo", "nothing"});
    EXPECT_EQ(ran.exit, kNotFound) << verb;
    EXPECT_TRUE(has(ran.err, "unknown-app: ") && has(ran.err, "lab, db, top")) << ran.err;
  }
  EXPECT_EQ(w.run({"app", "start", "demo", "8888"}).exit, kUsage);
  EXPECT_EQ(w.run({"app", "url", "nobody", "lab"}).exit, kNotFound);
  for (const char* port : {"0", "65536", "08888", "2200"})
    EXPECT_EQ(w.run({"app", "listen", "demo", port}).exit, kUsage) << port;
}

TEST_F(OfApps, OfSessionsThatDoNotRunSaySo) {
  status = "PENDING";
  const auto waits = w.run({"app", "url", "demo", "lab"});
  EXPECT_EQ(waits.exit, kConflict);
  EXPECT_TRUE(has(waits.err, "session-not-running: demo is PENDING")) << waits.err;
  status = "TERMINATED";
  EXPECT_TRUE(has(w.run({"app", "listen", "demo", "80"}).err, "session-ended: "));
}

TEST_F(OfApps, AreStopped) {
  const auto ran = w.run({"app", "stop", "demo", "lab"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out, "lab\n");
  EXPECT_EQ(w.server.requests.back().method + " " + w.server.requests.back().target,
            "DELETE /v1/sessions/0123-45/apps/lab");
}

TEST_F(OfApps, HaveAPageOfTheConsole) {
  const std::string page = "http://127.0.0.1:7410/session/0123-45/app/";
  EXPECT_EQ(w.run({"app", "url", "demo", "lab"}).out, page + "lab\n");
  EXPECT_EQ(w.run({"app", "url", "demo", "8501"}).out, page + "8501\n");
  EXPECT_TRUE(has(w.run({"app", "url", "demo", "db"}).err, "berth app listen demo db"));
  EXPECT_TRUE(has(w.run({"app", "open", "demo", "top"}).err, "berth shell demo"));
  const auto opened = w.run({"app", "open", "demo", "lab"});
  EXPECT_EQ(opened.exit, 0);
  EXPECT_EQ(opened.out, "");
  EXPECT_EQ(w.browsed, std::vector<std::string>{page + "lab"});
  w.has_browser = false;
  EXPECT_EQ(w.run({"app", "open", "demo", "lab"}).out, page + "lab\n");
}

TEST_F(OfApps, ListenHasASecondSpelling) {
  EXPECT_TRUE(has(w.run({"app", "demo", "nothing", "--listen"}).err, "unknown-app: "));
  EXPECT_TRUE(has(w.run({"app", "demo", "nothing", "--listen", "--port", "1"}).err, "unknown-app: "));
  EXPECT_EQ(w.run({"app", "ls", "demo", "--listen"}).exit, kUsage);
  EXPECT_EQ(w.run({"app", "demo", "--listen"}).exit, kUsage);
  EXPECT_TRUE(has(w.run({"app", "demo", "nothing"}).err, "'berth app demo' is no command"));
}

using Commands = std::vector<std::vector<std::string>>;

TEST(Browser, IsTheOneThatIsNamedElseXdgOpenWhereThereIsAScreen) {
  std::map<std::string, std::string> variables;
  const FindVariable find = [&](const char* name) {
    return variables.contains(name) ? std::optional(variables[name]) : std::nullopt;
  };
  EXPECT_EQ(browser_commands(find, "URL"), Commands());
  EXPECT_FALSE(open_browser(find, "URL"));
  variables["DISPLAY"] = ":0";
  EXPECT_EQ(browser_commands(find, "URL"), (Commands{{"xdg-open", "URL"}}));
  variables["BROWSER"] = "firefox --new-window:open -u=%s,%s;rm:";
  EXPECT_EQ(browser_commands(find, "URL"),
            (Commands{{"firefox", "--new-window", "URL"}, {"open", "-u=URL,URL;rm"}}));
  variables["BROWSER"] = "/no/such/browser:true";
  EXPECT_TRUE(open_browser(find, "URL"));
}

}  // namespace
}  // namespace berth::cli
