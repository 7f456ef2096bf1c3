// The helper as a plain process: what it does with requests, good and bad.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "tests/support/helper_process.h"
#include "tests/support/talk.h"

namespace berth::inside {
namespace {

class HelperTest : public ::testing::Test {
 protected:
  // What the helper answers to these bytes on a fresh channel: the code of its problem.
  std::string answer_to(std::string_view bytes) {
    const Descriptor stream = agents::shim::knock(door_);
    EXPECT_EQ(send(stream.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    FrameReader reader;
    for (;;) {
      pollfd ready{stream.get(), POLLIN, 0};
      if (poll(&ready, 1, 20'000) != 1) return "silent";
      char buffer[4096];
      const ssize_t got = recv(stream.get(), buffer, sizeof buffer, 0);
      if (got <= 0) return "closed";
      reader.append({buffer, static_cast<std::size_t>(got)});
      while (const auto frame = reader.next())
        if (frame->type == FrameType::kError) return decode_problem(frame->payload)->code;
    }
  }
  static std::string frame(FrameType type, std::string_view payload) {
    std::string bytes;
    append_frame(bytes, type, payload);
    return bytes;
  }
  std::int64_t memory() const { return helper_.memory(); }

  HelperProcess helper_;
  const agents::TempFolder& folder_ = helper_.folder;
  const std::string& door_ = helper_.door;
};

TEST_F(HelperTest, ExecPrintsOnBothStreamsAndTellsItsCode) {
  Talk talk(door_, sh("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(talk.await_end(), 7);
  EXPECT_TRUE(talk.begun.has_value());
  EXPECT_EQ(talk.out, "out\n");
  EXPECT_EQ(talk.err, "err\n");
}

TEST_F(HelperTest, ExecTellsTheSignalThatEndedIt) {
  Talk talk(door_, sh("kill -9 $$"));
  EXPECT_EQ(talk.await_end(), 137);
  EXPECT_EQ(talk.ended->signal, SIGKILL);
}

TEST_F(HelperTest, ExecReadsWhatIsTypedToItsEnd) {
  Talk talk(door_, exec({"cat"}));
  const std::string typed(1 << 20, 'x');
  talk.type(typed);
  talk.type_end();
  EXPECT_EQ(talk.await_end(), 0);
  EXPECT_EQ(talk.out, typed);
}

TEST_F(HelperTest, ExecHasTheVariablesAndTheFolderThatWereAsked) {
  Request request = sh("echo $A; pwd; echo ${PATH:+path}");
  request.env = {"A=b c"};
  request.cwd = "/usr";
  Talk talk(door_, request);
  talk.await_end();
  EXPECT_EQ(talk.out, "b c\n/usr\npath\n");
}

TEST_F(HelperTest, ExecOfAProgramThatIsNotThereSaysSo) {
  EXPECT_EQ(Talk(door_, exec({"no-such-program"})).await_problem(), "program-not-found");
  EXPECT_EQ(Talk(door_, exec({"/"})).await_problem(), "program-not-runnable");
  Request request = exec({"true"});
  request.cwd = "/no-such-folder";
  EXPECT_EQ(Talk(door_, request).await_problem(), "folder-not-usable");
}

TEST_F(HelperTest, ExecInATerminalHasItsSizeAndKnowsWhenItChanges) {
  Request request = sh("stty size; trap 'stty size; exit 3' WINCH; echo ready; while :; do read x; done");
  request.terminal = true;
  request.size = {101, 33};
  Talk talk(door_, request);
  EXPECT_TRUE(talk.await_out("33 101\r\nready"));
  talk.resize({120, 40});
  talk.type("\n");
  EXPECT_EQ(talk.await_end(), 3);
  EXPECT_NE(talk.out.find("40 120"), std::string::npos) << talk.out;
}

// A helper whose own environment names no locale, as that of a plain process has none.
struct WithoutLocale {
  WithoutLocale() {
    for (const char* name : {"LANG", "LC_ALL", "LC_CTYPE"}) unsetenv(name);
  }
};
class HelperWithoutLocale : WithoutLocale, public HelperTest {};

TEST_F(HelperWithoutLocale, ExecInATerminalTakesLettersOfManyBytes) {
  if (access("/bin/bash", X_OK) != 0) GTEST_SKIP() << "there is no bash";
  Request request = exec({"bash", "--norc", "--noprofile", "-i"});
  request.terminal = true;
  request.size = {80, 24};
  request.env = {"PS1=ready"};
  Talk talk(door_, request);
  EXPECT_TRUE(talk.await_out("ready"));
  talk.type("x=한글; echo has=${#x}.$(printf %s \"$x\" | od -An -tx1 | tr -d ' ')\n");
  EXPECT_TRUE(talk.await_out("has=2.ed959ceab880")) << talk.out;
  talk.type("exit\n");
  EXPECT_EQ(talk.await_end(), 0);
}

TEST_F(HelperWithoutLocale, ALocaleThatIsAskedForStays) {
  Request request = sh("echo L=$LANG.");
  request.terminal = true;
  request.size = {80, 24};
  request.env = {"LC_ALL=C"};
  Talk talk(door_, request);
  EXPECT_TRUE(talk.await_out("L=.")) << talk.out;
}

TEST_F(HelperTest, ExecEndsWhenItsChannelIsClosed) {
  const std::string mark = folder_.path + "/pid";
  {
    Talk talk(door_, sh("trap 'rm " + mark + "; exit' HUP; touch " + mark +
                        "; echo ready; while :; do sleep 1 & wait; done"));
    EXPECT_TRUE(talk.await_out("ready"));
  }
  for (int i = 0; i < 2000 && access(mark.c_str(), F_OK) == 0; ++i) usleep(5000);
  EXPECT_NE(access(mark.c_str(), F_OK), 0);
}

TEST_F(HelperTest, ExecWhoseChildKeepsTheOutputOpenEndsNevertheless) {
  Talk talk(door_, sh("sleep 60 & echo $!; exit 4"));
  EXPECT_EQ(talk.await_end(), 4);
  kill(static_cast<pid_t>(std::stol(talk.out)), SIGKILL);
}

TEST_F(HelperTest, ExecThatNobodyReadsIsStoppedAndLosesNothing) {
  Talk talk(door_, exec({"head", "-c", "100000000", "/dev/zero"}));
  talk.keeps_out = false;
  ASSERT_TRUE(talk.await_begun());
  Talk other(door_, exec({"echo", "meanwhile"}));
  EXPECT_EQ(other.await_end(), 0);
  EXPECT_LT(memory(), 8 << 20);
  EXPECT_EQ(talk.await_end(), 0);
  EXPECT_EQ(talk.out_bytes, 100'000'000u);
}

TEST_F(HelperTest, AShellOutlivesItsChannelAndShowsWhatItPrinted) {
  {
    Talk talk(door_, shell("main"));
    ASSERT_TRUE(talk.await_begun());
    EXPECT_TRUE(talk.begun->made);
    talk.type("x=gr; echo \"$x\"\"üße\"\n");
    EXPECT_TRUE(talk.await_out("grüße\r\n"));
  }
  Talk again(door_, shell("main"));
  ASSERT_TRUE(again.await_begun());
  EXPECT_FALSE(again.begun->made);
  EXPECT_EQ(again.begun->lost, 0u);
  EXPECT_TRUE(again.await_out("grüße\r\n"));
  EXPECT_GE(again.begun->scrollback, again.out.find("grüße"));
  again.type("echo still $x$x; exit 5\n");
  EXPECT_EQ(again.await_end(), 5);
  EXPECT_NE(again.out.find("still grgr"), std::string::npos);
}

TEST_F(HelperTest, AShellThatHasEndedIsForgotten) {
  Talk talk(door_, shell("main", {"true"}));
  EXPECT_EQ(talk.await_end(), 0);
  Request attach = shell("main");
  attach.existing = true;
  EXPECT_EQ(Talk(door_, attach).await_problem(), "no-such-shell");
}

TEST_F(HelperTest, AllClientsOfAShellSeeItAndMayType) {
  Talk one(door_, shell("main")), two(door_, shell("main"));
  ASSERT_TRUE(one.await_begun() && two.await_begun());
  one.type("echo from-$((1))\n");
  EXPECT_TRUE(two.await_out("from-1\r\n"));
  two.type("echo from-$((2)); exit 3\n");
  EXPECT_EQ(one.await_end(), 3);
  EXPECT_NE(one.out.find("from-2\r\n"), std::string::npos);
  EXPECT_EQ(two.await_end(), 3);
}

TEST_F(HelperTest, ShellsAreListedAndEnded) {
  Talk one(door_, shell("one")),
      two(door_, shell("two", {"sh", "-c", "trap '' HUP; echo deaf; while :; do sleep 1; done"}));
  ASSERT_TRUE(one.await_begun() && two.await_out("deaf"));
  Talk list(door_, list_of_shells());
  EXPECT_EQ(list.await_end(), 0);
  ASSERT_EQ(list.shells.size(), 2u);
  EXPECT_EQ(list.shells[0].name, "one");
  EXPECT_EQ(list.shells[0].command, "sh");
  EXPECT_EQ(list.shells[0].clients, 1u);
  EXPECT_GT(list.shells[0].started_at, 0);
  for (const char* name : {"one", "two"}) EXPECT_EQ(Talk(door_, end_of_shell(name)).await_end(), 0);
  EXPECT_GT(one.await_end(), 0);
  EXPECT_EQ(two.await_end(), 137) << "it does not heed SIGHUP";
  EXPECT_EQ(Talk(door_, end_of_shell("two")).await_problem(), "no-such-shell");
}

TEST_F(HelperTest, AShellIsResized) {
  Request request = shell("main");
  request.size = {90, 30};
  Talk talk(door_, request);
  talk.type("stty size\n");
  EXPECT_TRUE(talk.await_out("30 90\r\n"));
  talk.resize({200, 55});
  talk.type("stty size\n");
  EXPECT_TRUE(talk.await_out("55 200\r\n"));
}

TEST_F(HelperTest, AClientThatDoesNotReadStopsNeitherTheShellNorOthersAndIsToldWhatItLost) {
  Talk deaf(door_, shell("main"));
  ASSERT_TRUE(deaf.await_begun());
  Talk other(door_, shell("main"));
  other.keeps_out = false;
  ASSERT_TRUE(other.await_begun());
  other.type("head -c 50000000 /dev/zero | tr '\\0' y; echo; echo do''ne; exit\n");
  EXPECT_EQ(other.await_end(), 0);
  EXPECT_GE(other.out_bytes + other.lost, 50'000'000u);
  EXPECT_LT(memory(), 8 << 20);
  deaf.keeps_out = true;
  EXPECT_EQ(deaf.await_end(), 0);
  EXPECT_GT(deaf.lost, 10'000'000u);
  EXPECT_EQ(deaf.out_bytes + deaf.lost, other.out_bytes + other.lost);
  EXPECT_NE(deaf.out.find("done"), std::string::npos);
}

TEST_F(HelperTest, WhoAttachesLateIsToldWhatIsLostAlready) {
  Talk talk(door_, shell("main", {"sh", "-c", "seq 30000; echo rea''dy; read x"}));
  ASSERT_TRUE(talk.await_out("ready"));
  Talk late(door_, shell("main"));
  ASSERT_TRUE(late.await_begun());
  EXPECT_GT(late.begun->lost, 0u);
  ASSERT_TRUE(late.await_out("ready"));
  EXPECT_EQ(late.out.substr(0, 7), "20002\r\n") << "10,000 lines, the last of which is 'ready'";
  EXPECT_EQ(late.begun->scrollback, late.out.size());
}

TEST_F(HelperTest, AFullScrollbackTakesAtMostOneAndAHalfMebibytesOfTheKernelsMemory) {
  constexpr int kShells = 8;
  std::vector<std::unique_ptr<Talk>> open;
  for (int i = 0; i < kShells; ++i) {
    const Request full =
        shell("s" + std::to_string(i), {"sh", "-c", "seq -f %0500.0f 20000; echo rea''dy; read x"});
    open.push_back(std::make_unique<Talk>(door_, full));
    ASSERT_TRUE(open.back()->await_out("ready"));
  }
  EXPECT_LT(memory(), kShells * (3 << 19));
}

TEST_F(HelperTest, BoundsAreKeptAndSaid) {
  std::vector<std::unique_ptr<Talk>> open;
  for (int i = 0; i < 64; ++i) {
    open.push_back(std::make_unique<Talk>(door_, shell("s" + std::to_string(i), {"cat"})));
    ASSERT_TRUE(open.back()->await_begun());
  }
  EXPECT_EQ(Talk(door_, shell("one-more")).await_problem(), "too-many-shells");
  for (int i = 0; i < 256; ++i) {
    open.push_back(std::make_unique<Talk>(door_, exec({"cat"})));
    ASSERT_TRUE(open.back()->await_begun());
  }
  EXPECT_EQ(Talk(door_, exec({"true"})).await_problem(), "too-many-programs");
  open.back()->type_end();
  EXPECT_EQ(open.back()->await_end(), 0);
  EXPECT_EQ(Talk(door_, exec({"true"})).await_end(), 0);
}

TEST_F(HelperTest, BadFramesAndRequestsHaveACodeAndEndNothingElse) {
  Talk talk(door_, shell("main"));
  ASSERT_TRUE(talk.await_begun());
  EXPECT_EQ(answer_to(frame(FrameType::kRequest, "rubbish")), "request-damaged");
  EXPECT_EQ(answer_to(frame(FrameType::kRequest, "v=1\nrequest=later\nend=\n")), "unknown-request");
  EXPECT_EQ(answer_to(frame(FrameType::kIn, "typed")), "request-missing");
  EXPECT_EQ(answer_to("\xff\xff\xff\xff\x01"), "frame-too-long");
  const std::string cat = frame(FrameType::kRequest, encode(exec({"cat"})));
  EXPECT_EQ(answer_to(cat + frame(FrameType::kSize, "rubbish")), "size-wrong");
  EXPECT_EQ(answer_to(cat + frame(static_cast<FrameType>(99), "")), "unknown-frame");
  const std::string part = frame(FrameType::kRequestPart, std::string(kFrameMax, 'x'));
  std::string parts;
  for (int i = 0; i < 9; ++i) parts += part;
  std::string code;
  {
    // More than the socket holds at once: typed by a thread, read here.
    const Descriptor stream = agents::shim::knock(door_);
    fcntl(stream.get(), F_SETFL, 0);
    std::thread typist([&] { agents::shim::write_all(stream.get(), parts); });
    FrameReader reader;
    char buffer[4096];
    for (ssize_t got = recv(stream.get(), buffer, sizeof buffer, 0); got > 0 && code.empty();
         got = code.empty() ? recv(stream.get(), buffer, sizeof buffer, 0) : 0) {
      reader.append({buffer, static_cast<std::size_t>(got)});
      if (const auto said = reader.next()) code = decode_problem(said->payload)->code;
    }
    shutdown(stream.get(), SHUT_RDWR);
    typist.join();
  }
  EXPECT_EQ(code, "arguments-too-long");
  talk.type("exit 9\n");
  EXPECT_EQ(talk.await_end(), 9);
}

}  // namespace
}  // namespace berth::inside
