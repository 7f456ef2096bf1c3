// `berth image build` with builders that are scripts: what is reported, registered and printed, and how it
// ends.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "controller/api/auth/signature.h"
#include "ops/cli/image/build_line.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

TEST(BuildLine, SaysHowFarAnImageIs) {
  EXPECT_EQ(read_progress_line("ops/images/build: jupyter:4.6: 40 %: installing packages"),
            (BuildProgress{"jupyter:4.6", 40, "installing packages"}));
  EXPECT_EQ(read_progress_line("b: host:5000/r:1: 0 %: a: b"), (BuildProgress{"host:5000/r:1", 0, "a: b"}));
  EXPECT_EQ(read_progress_line("b: r:1: 100 %"), (BuildProgress{"r:1", 100, ""}));
}

TEST(BuildLine, OfAnotherFormIsForPeople) {
  for (const char* line : {"", ":", "ops/images/build: jupyter:4.6: up to date", "b: r:1: 101 %: x",
                           "b: r:1: -1 %: x", "b: r:1: 1%: x", "b: r:1: x %: y", "b: two words: 1 %: x",
                           "b: : 1 %: x", ": r:1: 1 %: x", "b: r:1: 4294967297 %: x", "b: r:1:  7 %: x"})
    EXPECT_EQ(read_progress_line(line), std::nullopt) << line;
  EXPECT_EQ(read_progress_line("b: " + std::string(256, 'r') + ": 1 %: x"), std::nullopt);
}

TEST(BuildLine, HasAStepThatTheApiTakes) {
  EXPECT_EQ(read_progress_line("b: r:1: 1 %: a\x1b[2J\xff")->step, "a^[[2J\\xff");
  EXPECT_EQ(read_progress_line("b: r:1: 1 %: a\tb")->step, "a b");
  EXPECT_EQ(read_progress_line("b: r:1: 1 %: a\u2028b")->step, "");
  EXPECT_LE(read_progress_line("b: r:1: 1 %: " + std::string(5000, 'x'))->step.size(), kBuildStepBytesMax);
}

TEST(BuildLine, NamesABuiltImageAndItsLayout) {
  EXPECT_EQ(read_built_line("jupyter:4.6 oci:/a/b:c/jupyter:4.6"),
            (BuiltImage{"jupyter:4.6", "/a/b:c/jupyter", "4.6"}));
  EXPECT_EQ(read_built_line("r:1 oci:/a:t")->source(), "oci:/a:t");
  for (const char* line : {"", "r:1", "r:1 ", " oci:/a:t", "r:1 oci:a:t", "r:1 oci:/a",
                           "r:1 oci:/a:", "r:1 oci:/a:b/c", "r:1 docker://h/n:t", "r:1 oci:/a b:t"})
    EXPECT_EQ(read_built_line(line), std::nullopt) << line;
}

// A folder with a layout of one image, and a builder that is a script.
class ImageBuildTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ + "/layout/blobs/sha256");
    w_.variables["BERTH__IMAGE__BUILD_LOCK"] = folder_ + "/lock";
    w_.server.answer = [this](const HttpRequest& request) { return answer(request); };
  }
  void TearDown() override { fs::remove_all(folder_); }

  Result<HttpReply> answer(const HttpRequest& request) {
    if (request.method == "GET") return json_reply(json::serialize(json::object{{"images", listed_}}));
    if (request.target == "/v1/images")
      return json_reply(json::serialize(json::object{{"image", json::parse(request.body)}, {"position", 7}}),
                        201);
    if (refusal_ != 0) return problem(refusal_, "denied");
    return json_reply(R"({"position": 7})");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
  }

  std::string blob(const std::string& text) const {
    const std::string digest = controller::api::sha256_hex(text);
    write("layout/blobs/sha256/" + digest, text);
    return json::serialize(json::object{{"mediaType", "application/vnd.oci.image.manifest.v1+json"},
                                        {"digest", "sha256:" + digest},
                                        {"size", text.size()}});
  }

  // With these labels; its manifest's digest.
  std::string write_layout(const json::object& labels) const {
    const std::string config =
        blob(json::serialize(json::object{{"architecture", "amd64"}, {"config", {{"Labels", labels}}}}));
    const auto manifest = json::parse(blob(R"({"schemaVersion":2,"config":)" + config + R"(,"layers":[]})"));
    json::object entry = manifest.as_object();
    entry["annotations"] = json::object{{"org.opencontainers.image.ref.name", "1"}};
    write("layout/oci-layout", R"({"imageLayoutVersion":"1.0.0"})");
    write("layout/index.json",
          json::serialize(json::object{{"schemaVersion", 2}, {"manifests", json::array{entry}}}));
    return std::string(entry["digest"].as_string());
  }

  // `berth image build r` by a script of these lines.
  Ran build(const std::string& script, std::vector<std::string> more = {}) {
    write("builder", "#!/bin/bash\n" + script + "\n");
    ::chmod((folder_ + "/builder").c_str(), 0700);
    std::vector<std::string> words{"image", "build", "r", "--builder", folder_ + "/builder"};
    words.insert(words.end(), more.begin(), more.end());
    return w_.run(words);
  }

  std::string built() const { return "echo r:1 oci:" + folder_ + "/layout:1"; }

  // "POST /v1/images {...}", a line a request.
  std::vector<std::string> asked() const {
    std::vector<std::string> lines;
    for (const auto& request : w_.server.requests)
      lines.push_back(request.method + " " + request.target +
                      (request.body.empty() ? "" : " " + request.body));
    return lines;
  }

  const std::string folder_ = ::testing::TempDir() + "image_build_" + std::to_string(::getpid());
  FakeWorld w_;
  json::array listed_;
  unsigned refusal_ = 0;
};

TEST_F(ImageBuildTest, ReportsEachStepOnceAndRegistersWhatTheLayoutSays) {
  const std::string digest =
      write_layout({{"berth.apps", "web:http:8000"}, {"berth.app.web.command", "[\"w\"]"}, {"other", "x"}});
  const auto ran = build(
      "echo 'b: r:1: 1 %: one' >&2; echo 'b: r:1: 1 %: one' >&2; echo words >&2\n"
      "echo 'b: r:1: 50 %: two' >&2; echo noise; [ \"$1\" = r ] || exit 1; " +
      built());
  EXPECT_EQ(ran.exit, 0) << ran.err;
  ASSERT_EQ(asked().size(), 3u);
  EXPECT_EQ(asked()[0], R"(POST /v1/images/r%3A1/build {"percent":1,"step":"one","builder":"lap top"})");
  EXPECT_EQ(asked()[1], R"(POST /v1/images/r%3A1/build {"percent":50,"step":"two","builder":"lap top"})");
  const auto image = json::parse(w_.server.requests[2].body);
  EXPECT_EQ(text_at(image, "reference"), "r:1");
  EXPECT_EQ(text_at(image, "source"), "oci:" + folder_ + "/layout:1");
  EXPECT_EQ(text_at(image, "digest"), digest);
  EXPECT_EQ(text_at(image, "architecture"), "x86_64");
  EXPECT_EQ(image.at("labels"),
            (json::object{{"berth.app.web.command", "[\"w\"]"}, {"berth.apps", "web:http:8000"}}));
  EXPECT_EQ(ran.err, "b: r:1: 1 %: one\nb: r:1: 1 %: one\nwords\nb: r:1: 50 %: two\n");
  EXPECT_NE(ran.out.find("r:1"), std::string::npos);
}

TEST_F(ImageBuildTest, QuietlySaysNothingButTheImage) {
  write_layout({});
  const auto ran = build("echo words >&2; " + built(), {"-q", "-o", "name"});
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, "r:1\n");
}

TEST_F(ImageBuildTest, LeavesAnImageThatIsRegisteredAsItIs) {
  const std::string digest = write_layout({});
  listed_ = {json::object{{"reference", "r:1"},
                          {"source", "oci:" + folder_ + "/layout:1"},
                          {"digest", digest},
                          {"building", nullptr}}};
  EXPECT_EQ(build(built()).exit, 0);
  EXPECT_EQ(asked(), std::vector<std::string>{"GET /v1/images"});
  listed_[0].as_object()["building"] = json::object{{"percent", 3}};  // of a builder that was killed
  EXPECT_EQ(build(built()).exit, 0);
  EXPECT_EQ(w_.server.requests.back().method, "POST");
}

TEST_F(ImageBuildTest, AFailureIsToldWithTheLastWords) {
  const auto ran = build("echo 'b: r:1: 7 %: one' >&2; echo 'no room' >&2; exit 3");
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(
      ran.err.find("image-build-failed: r could not be built: the builder ended with exit code 3: no room"),
      std::string::npos)
      << ran.err;
  ASSERT_EQ(asked().size(), 2u);
  EXPECT_EQ(
      asked()[1],
      R"(POST /v1/images/r%3A1/build {"failed":"the builder ended with exit code 3: no room","builder":"lap top"})");
}

TEST_F(ImageBuildTest, WordsOfAFailureAreCutToWhatTheApiTakes) {
  build(
      "echo 'b: r:1: 7 %: one' >&2; for i in 1 2 3 4 5 6; do head -c 5000 /dev/zero | tr '\\0' $i >&2; echo "
      ">&2; done; exit 1");
  const std::string why = text_at(json::parse(w_.server.requests.back().body), "failed");
  EXPECT_GT(why.size(), 500u);
  EXPECT_LE(why.size(), 1024u);
}

TEST_F(ImageBuildTest, ABuilderThatDiesNamesNoImageOrABrokenOneIsAFailure) {
  EXPECT_NE(build("kill -9 $$").err.find("ended with signal 9"), std::string::npos);
  EXPECT_NE(build("true").err.find("the builder does not say where the image is"), std::string::npos);
  const auto broken = build("echo 'b: r:1: 7 %: one' >&2; " + built());  // there is no index.json
  EXPECT_EQ(broken.exit, kFailed);
  EXPECT_NE(broken.err.find("layout-missing"), std::string::npos) << broken.err;
  EXPECT_NE(asked().back().find("failed"), std::string::npos);
}

TEST_F(ImageBuildTest, LabelsThatSayNothingValidAreAFailure) {
  write_layout({{"berth.apps", "web:http:0"}});
  const auto ran = build(built());
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("image-label-invalid"), std::string::npos) << ran.err;
}

TEST_F(ImageBuildTest, APathThatIsNoProgramIsSaid) {
  const auto ran = w_.run({"image", "build", "r", "--builder", folder_ + "/none"});
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("builder-not-runnable: cannot run " + folder_ + "/none: No such file"),
            std::string::npos)
      << ran.err;
  EXPECT_EQ(w_.run({"image", "build", "r"}).exit, kUsage);
}

TEST_F(ImageBuildTest, ARefusalOfTheClusterEndsTheBuilder) {
  refusal_ = 403;
  const auto ran = build("echo $$ >" + folder_ + "/pid; echo 'b: r:1: 7 %: one' >&2; exec sleep 1000");
  EXPECT_EQ(ran.exit, kDenied) << ran.err;
  EXPECT_EQ(asked().size(), 1u);
  int pid = 0;
  std::ifstream(folder_ + "/pid") >> pid;
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(ImageBuildTest, AServerThatIsAwayMeanwhileIsNoReasonToStop) {
  write_layout({});
  w_.server.answer = [this, away = true](const HttpRequest& request) mutable -> Result<HttpReply> {
    if (away && request.target.ends_with("/build")) return make_error("unreachable", "nobody is there");
    return answer(request);
  };
  const auto ran = build("echo 'b: r:1: 7 %: one' >&2; echo 'b: r:1: 8 %: two' >&2; " + built());
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(w_.server.requests.back().target, "/v1/images");
}

TEST_F(ImageBuildTest, ASecondOneOnThisMachineIsToldWhichOneRuns) {
  write_layout({});
  write("lock", "jupyter (process 4711)");
  const int held = ::open((folder_ + "/lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  const auto ran = build(built());
  EXPECT_EQ(ran.exit, kConflict);
  EXPECT_NE(ran.err.find("this machine is building jupyter (process 4711)"), std::string::npos) << ran.err;
  EXPECT_TRUE(asked().empty());
  ::close(held);
  EXPECT_EQ(build(built()).exit, 0);
}

TEST_F(ImageBuildTest, OneThatWaitsForItsTurnStopsWaitingWithItsParent) {
  write("lock", "jupyter (process 4711)");
  const int held = ::open((folder_ + "/lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  std::array<int, 2> pipe{-1, -1};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  ::close(pipe[1]);
  w_.descriptors.in = pipe[0];
  const auto ran = build(built(), {"--wait-turn", "--end-with-input"});
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_TRUE(ran.err.starts_with("this machine is building jupyter (process 4711): waiting for its end\n"))
      << ran.err;
  EXPECT_TRUE(asked().empty());
  ::close(held);
  w_.descriptors.in = 0;
  write_layout({});
  EXPECT_EQ(build(built(), {"--wait-turn"}).err, "");
  ::close(pipe[0]);
}

TEST_F(ImageBuildTest, CtrlCEndsTheBuilderWithAllItsProcessesAndIsReported) {
  w_.server.answer = [this](const HttpRequest& request) {
    if (asked().size() == 1) ::raise(SIGINT);
    return answer(request);
  };
  const auto ran = build("sleep 1000 & echo $! $$ >" + folder_ + "/list; echo 'b: r:1: 7 %: one' >&2; wait");
  EXPECT_NE(ran.err.find("interrupted"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_EQ(asked().back(),
            R"(POST /v1/images/r%3A1/build {"failed":"the build was stopped","builder":"lap top"})");
  std::ifstream list(folder_ + "/list");
  int count = 0;
  for (int pid = 0; list >> pid; ++count) EXPECT_NE(::kill(pid, 0), 0) << pid;
  EXPECT_EQ(count, 2);
}

TEST_F(ImageBuildTest, OneOfAParentEndsWithTheParentsEndOfThePipe) {
  std::array<int, 2> pipe{-1, -1};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  w_.descriptors.in = pipe[0];
  w_.server.answer = [this, &pipe](const HttpRequest& request) {
    if (pipe[1] >= 0) ::close(std::exchange(pipe[1], -1));
    return answer(request);
  };
  const auto ran = build("echo 'b: r:1: 7 %: one' >&2; exec sleep 1000", {"--end-with-input"});
  EXPECT_NE(ran.err.find("interrupted"), std::string::npos) << ran.err;
  ::close(pipe[0]);
}

}  // namespace
}  // namespace berth::cli
