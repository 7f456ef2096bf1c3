// berth session cp, with a server that is a list of what it says.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tests/unit/cli/fake_world.h"
#include "tests/unit/copy/copy_rig.h"

namespace berth::cli {
namespace {

namespace files = std::filesystem;

class Copying : public copy::CopyTest {
 protected:
  Copying() {
    files::create_directories(here());
    copy::write(root() / "outside", "untouched");
    w.descriptors = {descriptor("stdin"), descriptor("stdout"), descriptor("stderr")};
  }
  ~Copying() override {
    for (const int open : {w.descriptors.in, w.descriptors.out, w.descriptors.err}) ::close(open);
  }

  int descriptor(const char* name) const {
    return ::open((root() / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  }
  files::path here() const { return root() / "here"; }
  void serve(std::deque<Said> says) {
    FakeConnection connection;
    connection.says = std::move(says);
    w.sockets.connections.push_back(std::move(connection));
  }
  static Said begins() { return text(R"({"begun":{"made":false,"scrollback":0,"lost":0,"restarts":0}})"); }
  static Said ends(int code = 0) {
    return text(R"({"ended":{"exit_code":)" + std::to_string(code) + R"(,"signal":0}})");
  }
  static Said has_problem(const std::string& code) {
    return text(R"({"problem":{"code":")" + code + R"(","message":"it is so","hint":"do that"}})");
  }
  static Said after_input() {
    return Until([](const FakeSockets& s) { return s.was_told(R"({"end_of_input":true})"); });
  }
  // A kernel that sends this stream, in pieces.
  void serve_tar(const std::string& tar) {
    std::deque<Said> says{begins()};
    for (std::size_t at = 0; at < tar.size(); at += 1000) says.push_back(of_stdout(tar.substr(at, 1000)));
    says.push_back(ends());
    serve(std::move(says));
  }
  Ran cp(const std::string& from, const std::string& to) { return w.run({"cp", from, to}); }
  Ran take(const std::string& from, const std::string& to) {
    return cp("demo:" + from, (here() / to).string());
  }
  std::vector<std::string> names_here() const {
    std::vector<std::string> names;
    for (const auto& entry : files::recursive_directory_iterator(here()))
      names.push_back(entry.path().lexically_relative(here()).string());
    std::sort(names.begin(), names.end());
    return names;
  }

  FakeWorld w;
};

using Names = std::vector<std::string>;

TEST_F(Copying, AFolderGoesIntoASessionAsATar) {
  files::create_directories(here() / "tree/sub");
  copy::write(here() / "tree/a", std::string(300'000, 'x'));
  serve({begins(), after_input(), ends()});
  const auto ran = w.run({"session", "cp", "-k", "sub1", (here() / "tree").string(), "demo:data"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(w.sockets.asked.at(0).target, "/v1/sessions/demo/copy?kernel=sub1");
  EXPECT_NE(header_of(w.sockets.asked[0], "Authorization"), "");
  EXPECT_EQ(w.sockets.heard.at(0).bytes, R"({"to":"data"})");
  EXPECT_EQ(copy::unpack_all(w.sockets.typed(), {.path = (root() / "there").string()}).code, "");
  EXPECT_EQ(copy::read(root() / "there/a"), std::string(300'000, 'x'));
  EXPECT_EQ(w.sockets.closed, 1);
}

TEST_F(Copying, PathsOfASessionBeginAtItsHome) {
  const std::pair<const char*, const char*> rows[] = {
      {"demo:", R"({"to":"."})"},      {"demo:~", R"({"to":"."})"},
      {"demo:~/a", R"({"to":"a"})"},   {"demo:/a b", R"({"to":"/a b"})"},
      {"demo:a:b", R"({"to":"a:b"})"}, {"demo:~user", R"({"to":"~user"})"}};
  copy::write(here() / "a:b", "colon");
  for (const auto& [to, said] : rows) {
    w.sockets.heard.clear();
    serve({begins(), after_input(), ends()});
    EXPECT_EQ(cp((here() / "a:b").string(), to).exit, 0) << to;
    EXPECT_EQ(w.sockets.heard.at(0).bytes, said);
  }
}

TEST_F(Copying, ExactlyOneSideIsASession) {
  for (const auto& [from, to] : {std::pair{"a", "b"}, std::pair{"demo:a", "other:b"},
                                 std::pair{"./demo:a", "b"}, std::pair{"-", "-"}}) {
    const auto ran = cp(from, to);
    EXPECT_EQ(ran.exit, kUsage) << from << to;
    EXPECT_NE(ran.err.find("SESSION:PATH"), std::string::npos) << ran.err;
  }
  EXPECT_TRUE(w.sockets.asked.empty());
}

TEST_F(Copying, WhatIsNotHereIsSaidBeforeAnybodyIsAsked) {
  EXPECT_EQ(cp((here() / "none").string(), "demo:").exit, kUsage);
  EXPECT_EQ(cp("demo:a", (here() / "none/a").string()).exit, kUsage);
  EXPECT_TRUE(w.sockets.asked.empty());
}

TEST_F(Copying, AFolderComesOutAsCpDoesIt) {
  const std::string tar =
      copy::whole(copy::folder("data") + copy::file("data/a") + copy::link("data/l", "a"));
  serve_tar(tar);
  EXPECT_EQ(take("data", "").exit, 0);
  EXPECT_EQ(w.sockets.heard.at(0).bytes, R"({"from":"data"})");
  serve_tar(tar);
  EXPECT_EQ(take("data", "new").exit, 0);
  EXPECT_EQ(names_here(), (Names{"data", "data/a", "data/l", "new", "new/a", "new/l"}));
  files::remove_all(here() / "new");
  serve_tar(copy::whole(copy::folder(".") + copy::file("./b")));
  EXPECT_EQ(take("data/.", "data").exit, 0);
  EXPECT_EQ(names_here(), (Names{"data", "data/a", "data/b", "data/l"}));
}

TEST_F(Copying, AHostileKernelWritesNothingElsewhere) {
  serve_tar(copy::whole(copy::file(".bashrc", "evil")));
  EXPECT_EQ(take("data", "").exit, 0);
  EXPECT_EQ(names_here(), (Names{"data"})) << "it has the name that was asked for";
  files::remove(here() / "data");
  const std::string outside = (root() / "outside").string();
  serve_tar(copy::whole(copy::folder("data") + copy::file("../outside", "evil") +
                        copy::file(outside, "evil") + copy::link("data/l", outside) +
                        copy::link("data/up", "..") + copy::file("data/l/x") +
                        copy::of_type('1', copy::link("data/hard", outside)) +
                        copy::of_type('3', copy::file("data/device", "")) +
                        copy::of_type('6', copy::file("data/fifo\x1b[31m", "")) + copy::file("data/good")));
  const auto ran = take("data", "");
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("left-out"), std::string::npos) << ran.err;
  for (const char* named : {"../outside: ", "data/l: ", "data/up: ", "data/hard: ", "data/device: "})
    EXPECT_NE(ran.err.find(named), std::string::npos) << named;
  EXPECT_EQ(ran.err.find('\x1b'), std::string::npos);
  EXPECT_EQ(copy::read(root() / "outside"), "untouched");
  EXPECT_EQ(names_here(), (Names{"data", "data/good", "data/l", "data/l/x"})) << "the folder l is a real one";
}

TEST_F(Copying, AStreamThatIsNoTarIsSaid) {
  serve({begins(), of_stdout(std::string(1000, 'x')), ends()});
  EXPECT_NE(take("data", "").err.find("tar-damaged"), std::string::npos);
  serve({begins(), of_stdout(copy::file("data")), ends()});
  EXPECT_NE(take("data", "").err.find("tar-cut"), std::string::npos);
}

TEST_F(Copying, TarStreamsGoThroughStdinAndStdout) {
  const std::string tar = copy::whole(copy::folder("d") + copy::file("d/a", std::string(200'000, 'x')));
  serve_tar(tar);
  EXPECT_EQ(cp("demo:d", "-").exit, 0);
  EXPECT_EQ(copy::read(root() / "stdout"), tar);
  copy::write(root() / "stdin", tar);
  w.sockets.heard.clear();
  serve({begins(), after_input(), ends()});
  EXPECT_EQ(cp("-", "demo:/tmp").exit, 0);
  EXPECT_EQ(w.sockets.typed(), tar);
  for (const auto& message : w.sockets.heard) EXPECT_LE(message.bytes.size(), 64u << 10);
}

TEST_F(Copying, WhatTheKernelLeavesOutIsNamedAndTheExitCodeSaysSo) {
  copy::write(here() / "a");
  serve({begins(), after_input(), of_stderr("a\x1b[31m: Permission denied\n"), ends(1)});
  const auto ran = cp((here() / "a").string(), "demo:");
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_EQ(ran.err.find("a^[[31m: Permission denied\n"), 0u) << ran.err;
  EXPECT_NE(ran.err.find("left-out"), std::string::npos) << ran.err;
  ASSERT_EQ(mkfifo((here() / "fifo").c_str(), 0600), 0);
  serve({begins(), after_input(), ends()});
  const auto own = cp(here().string(), "demo:");
  EXPECT_EQ(own.exit, kFailed);
  EXPECT_NE(own.err.find("here/fifo: it is neither"), std::string::npos) << own.err;
}

TEST_F(Copying, AProblemEndsItInTheMiddle) {
  copy::write(here() / "a", std::string(3'000'000, 'x'));
  serve({begins(), Until([](const FakeSockets& s) { return s.typed().size() > 500'000; }),
         has_problem("disk-full")});
  const auto full = cp((here() / "a").string(), "demo:");
  EXPECT_EQ(full.exit, kFailed);
  EXPECT_NE(full.err.find("disk-full: it is so"), std::string::npos) << full.err;
  EXPECT_LT(w.sockets.typed().size(), 1'000'000u);
  EXPECT_FALSE(w.sockets.was_told(R"({"end_of_input":true})"));
  const std::pair<const char*, int> rows[] = {{"not-found", kNotFound},
                                              {"denied", kDenied},
                                              {"session-ended", kConflict},
                                              {"agent-unreachable", kUnreachable}};
  for (const auto& [code, exit] : rows) {
    serve({has_problem(code)});
    EXPECT_EQ(take("data", "").exit, exit) << code;
  }
}

TEST_F(Copying, AConnectionThatIsLostLeavesNoHalfFile) {
  const std::string tar = copy::whole(copy::file("data", std::string(100'000, 'x')));
  serve({begins(), of_stdout(tar.substr(0, 50'000)), SocketEnd{0, "reset"}});
  const auto ran = take("data", "");
  EXPECT_EQ(ran.exit, kUnreachable);
  EXPECT_NE(ran.err.find("connection-lost"), std::string::npos) << ran.err;
  EXPECT_EQ(names_here(), Names{});
}

TEST_F(Copying, CtrlCLeavesNoHalfFile) {
  const std::string tar = copy::whole(copy::file("data", std::string(100'000, 'x')));
  serve({begins(), of_stdout(tar.substr(0, 50'000)),
         Until([](const FakeSockets&) { return ::raise(SIGINT) != 0; })});
  const auto ran = take("data", "");
  EXPECT_NE(ran.exit, 0);
  EXPECT_NE(ran.err.find("interrupted"), std::string::npos) << ran.err;
  EXPECT_EQ(names_here(), Names{});
}

}  // namespace
}  // namespace berth::cli
