// berth session exec and shell, with a server that is a list of what it says.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

const std::string kBegun = R"({"begun":{"made":true,"scrollback":0,"lost":0,"restarts":0}})";
const std::string kEnded = R"({"ended":{"exit_code":0,"signal":0}})";

Said begun(std::uint64_t scrollback = 0, std::uint64_t lost = 0, bool made = false) {
  return text(boost::json::serialize(boost::json::object{
      {"begun", {{"made", made}, {"scrollback", scrollback}, {"lost", lost}, {"restarts", 0}}}}));
}
Said ended(int code = 0, int signal = 0) {
  return text(
      boost::json::serialize(boost::json::object{{"ended", {{"exit_code", code}, {"signal", signal}}}}));
}
Said problem_said(const std::string& code) {
  return text(R"({"problem":{"code":")" + code + R"(","message":"it is so","hint":"do that"}})");
}
Said until_typed(const std::string& bytes) {
  return Until([bytes](const FakeSockets& s) { return s.typed() == bytes; });
}
Said until_told(const std::string& words) {
  return Until([words](const FakeSockets& s) { return s.was_told(words); });
}

int temporary_file() {
  std::FILE* file = std::tmpfile();
  const int descriptor = ::dup(::fileno(file));
  std::fclose(file);
  return descriptor;
}

std::string contents(int descriptor) {
  std::string all;
  char bytes[65536];
  ::lseek(descriptor, 0, SEEK_SET);
  for (ssize_t got = ::read(descriptor, bytes, sizeof bytes); got > 0;
       got = ::read(descriptor, bytes, sizeof bytes))
    all.append(bytes, static_cast<std::size_t>(got));
  return all;
}

// Files for stdin, stdout and stderr.
class Inside : public ::testing::Test {
 protected:
  Inside() { w.descriptors = {temporary_file(), temporary_file(), temporary_file()}; }
  ~Inside() override {
    for (const int descriptor : {w.descriptors.in, w.descriptors.out, w.descriptors.err}) ::close(descriptor);
  }

  void pipe_in(const std::string& bytes) {
    EXPECT_EQ(::pwrite(w.descriptors.in, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  void serve(std::deque<Said> says) {
    FakeConnection connection;
    connection.says = std::move(says);
    w.sockets.connections.push_back(std::move(connection));
  }
  void refuse(unsigned status, const std::string& code) {
    FakeConnection connection;
    connection.reply = problem(status, code);
    w.sockets.connections.push_back(std::move(connection));
  }
  std::string out() { return contents(w.descriptors.out); }
  std::string err() { return contents(w.descriptors.err); }

  FakeWorld w;
};

// A server whose one session is asked for and goes through `states`, the last of which stays, and is ended.
class RunInside : public Inside {
 protected:
  RunInside() {
    w.server.answer = [this](const HttpRequest& request) -> Result<HttpReply> {
      if (request.method == "POST") asked = request.body;
      if (request.method == "DELETE") removed.push_back(request.target);
      const boost::json::object now = session("job", states.front().c_str());
      if (states.size() > 1) states.pop_front();
      const boost::json::object answer{
          {"sessions", boost::json::array{now}}, {"session", now}, {"position", 17}};
      return json_reply(boost::json::serialize(request.method == "GET" ? now : answer));
    };
  }

  std::deque<std::string> states = {"PENDING", "PENDING", "RUNNING"};
  std::string asked;                 // the body of the request for the session
  std::vector<std::string> removed;  // targets
};

using Exec = Inside;
using SessionShell = Inside;

TEST_F(Exec, KeepsStdoutAndStderrApartAndExitsWithTheProgramsCode) {
  serve({begun(), of_stdout("one\n"), of_stderr("two\n"), of_stdout("three"), ended(7)});
  const auto ran = w.run({"exec", "demo", "--", "sh", "-c", "x"});
  EXPECT_EQ(ran.exit, 7) << ran.err;
  EXPECT_EQ(out(), "one\nthree");
  EXPECT_EQ(err(), "two\n");
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST_F(Exec, AsksWithASignedUpgradeForTheKernel) {
  serve({begun(), ended()});
  w.run({"session", "exec", "a b", "-k", "sub1", "-e", "A=1", "-w", "/tmp", "--", "ls", "-l"});
  ASSERT_EQ(w.sockets.asked.size(), 1u);
  const auto& asked = w.sockets.asked.front();
  EXPECT_EQ(asked.target, "/v1/sessions/a%20b/exec?kernel=sub1");
  EXPECT_EQ(header_of(asked, "Sec-WebSocket-Protocol"), "berth.session.v1");
  EXPECT_NE(header_of(asked, "Authorization"), "");
  EXPECT_EQ(header_of(asked, "Origin"), "");
  EXPECT_EQ(w.sockets.heard.front().bytes,
            R"({"command":["ls","-l"],"environment":{"A":"1"},"folder":"/tmp","terminal":false})");
}

TEST_F(Exec, OfASignalExitsWith128AndIt) {
  serve({begun(), ended(0, 9)});
  EXPECT_EQ(w.run({"exec", "demo", "--", "x"}).exit, 137);
}

TEST_F(Exec, SendsStdinAndItsEnd) {
  pipe_in(std::string(100'000, 'x'));
  serve({begun(), until_told(R"({"end_of_input":true})"), ended()});
  EXPECT_EQ(w.run({"exec", "demo", "--", "cat"}).exit, 0);
  EXPECT_EQ(w.sockets.typed(), std::string(100'000, 'x'));
  for (const auto& message : w.sockets.heard) EXPECT_LE(message.bytes.size(), 65'536u);
}

TEST_F(Exec, ReadsNoStdinForAProgramThatDidNotStart) {
  pipe_in("for the next command");
  serve({problem_said("program-not-found")});
  const auto ran = w.run({"exec", "demo", "--", "nonsense"});
  EXPECT_EQ(ran.exit, 127);
  EXPECT_EQ(ran.err, "berth: program-not-found: it is so\n  hint: do that\n");
  EXPECT_EQ(::lseek(w.descriptors.in, 0, SEEK_CUR), 0);
}

TEST_F(Exec, HoldsStdinWhileTheServerTakesNone) {
  pipe_in("held");
  w.sockets.unsent = 1 << 20;
  serve({begun(), ended()});
  EXPECT_EQ(w.run({"exec", "demo", "--", "cat"}).exit, 0);
  EXPECT_EQ(w.sockets.typed(), "");
}

TEST_F(Exec, FailsAsTheApiDoes) {
  refuse(404, "unknown-session");
  EXPECT_EQ(w.run({"exec", "demo", "--", "x"}).exit, kNotFound);
  refuse(403, "denied");
  EXPECT_EQ(w.run({"exec", "demo", "--", "x"}).exit, kDenied);
  refuse(409, "kernel-not-open");
  EXPECT_EQ(w.run({"exec", "demo", "--", "x"}).exit, kConflict);
  EXPECT_EQ(w.run({"exec", "demo", "--", "x"}).exit, kUnreachable);
  EXPECT_EQ(w.sockets.heard.size(), 0u);
}

TEST_F(Exec, AsksABusyServerAgain) {
  refuse(503, "kernel-busy");
  serve({begun(), ended()});
  EXPECT_EQ(w.run({"exec", "demo", "--", "x"}).exit, 0);
}

TEST_F(Exec, TakesNoOtherServerForBerth) {
  FakeConnection other;
  other.reply = HttpReply{200, {{"content-type", "text/html"}}, "<html>"};
  w.sockets.connections.push_back(other);
  EXPECT_NE(w.run({"exec", "demo", "--", "x"}).err.find("not-berth"), std::string::npos);
  other.reply = HttpReply{101, {}, {}};
  w.sockets.connections.push_back(other);
  EXPECT_NE(w.run({"exec", "demo", "--", "x"}).err.find("not-berth"), std::string::npos);
  serve({text("garbage")});
  EXPECT_NE(w.run({"exec", "demo", "--", "x"}).err.find("not-berth"), std::string::npos);
  serve({of_stdout("before it began")});
  EXPECT_NE(w.run({"exec", "demo", "--", "x"}).err.find("not-berth"), std::string::npos);
  EXPECT_EQ(out(), "");
}

TEST_F(Exec, SaysThatTheConnectionWasLost) {
  serve({begun(), of_stdout("half"), SocketEnd{0, "connection reset"}});
  const auto ran = w.run({"exec", "demo", "--", "x"});
  EXPECT_EQ(ran.exit, kUnreachable);
  EXPECT_EQ(out(), "half");
  EXPECT_NE(ran.err.find("connection-lost: the connection was lost while the program ran: connection reset"),
            std::string::npos)
      << ran.err;
  EXPECT_EQ(w.sockets.asked.size(), 1u);
}

TEST_F(Exec, SaysWhatTheServerSaysOfACut) {
  serve({begun(), problem_said("session-ended"), SocketEnd{1008, ""}});
  const auto ran = w.run({"exec", "demo", "--", "x"});
  EXPECT_EQ(ran.exit, kConflict);
  EXPECT_NE(ran.err.find("berth: session-ended: it is so\n  hint: do that"), std::string::npos) << ran.err;
}

TEST_F(Exec, ShowsNothingOfAProblemThatCouldSteerTheTerminal) {
  serve({text(R"({"problem":{"code":"x","message":"a\u001b[2Jb"}})")});
  EXPECT_EQ(w.run({"exec", "demo", "--", "x"}).err, "berth: unknown-code: a?[2Jb\n");
}

TEST_F(Exec, EndsWith141WhenNobodyReadsItsOutput) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  std::swap(w.descriptors.out, ends[1]);
  std::signal(SIGPIPE, SIG_IGN);
  serve({begun(), of_stdout("for nobody"), until_typed("never")});
  const auto ran = w.run({"exec", "demo", "--", "yes"});
  std::swap(w.descriptors.out, ends[1]);
  ::close(ends[1]);
  EXPECT_EQ(ran.exit, 141);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(w.sockets.closed, 1);
}

TEST_F(Exec, SaysThatItsOutputCannotBeWritten) {
  int full = ::open("/dev/full", O_WRONLY);
  std::swap(w.descriptors.out, full);
  serve({begun(), of_stdout("x"), ended()});
  const auto ran = w.run({"exec", "demo", "--", "x"});
  std::swap(w.descriptors.out, full);
  ::close(full);
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("output-failed"), std::string::npos) << ran.err;
}

TEST_F(Exec, WantsItsCommandBehindTheMark) {
  EXPECT_NE(w.run({"exec", "demo", "ls", "-l"}).err.find("berth exec ... -- ls"), std::string::npos);
  EXPECT_EQ(w.run({"exec", "demo"}).exit, kUsage);
  EXPECT_EQ(w.run({"exec", "demo", "--"}).exit, kUsage);
  EXPECT_EQ(w.run({"exec", "demo", "-e", "novalue", "--", "x"}).exit, kUsage);
  EXPECT_EQ(w.sockets.asked.size(), 0u);
}

// A reader that reads nothing until the program has ended gets all of it, and the server had to wait.
TEST_F(Exec, TakesNoMoreOutputThanItsReaderWithinABound) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::swap(w.descriptors.out, ends[1]);
  std::deque<Said> says{begun()};
  for (int i = 0; i < 400; ++i) says.push_back(of_stdout(std::string(60'000, 'x')));
  says.push_back(ended());
  serve(std::move(says));
  std::string got;
  std::thread reader([&] {
    char bytes[65536];
    for (ssize_t n = ::read(ends[0], bytes, sizeof bytes); n > 0; n = ::read(ends[0], bytes, sizeof bytes))
      got.append(bytes, static_cast<std::size_t>(n));
  });
  EXPECT_EQ(w.run({"exec", "demo", "--", "yes"}).exit, 0);
  std::swap(w.descriptors.out, ends[1]);
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  EXPECT_EQ(got.size(), 24'000'000u);
}

TEST_F(RunInside, GivesTheCommandItsStdinAndEndsTheSessionWithIt) {
  pipe_in("three words\n");
  serve({begun(), until_typed("three words\n"), of_stdout("2\n"), ended(4)});
  const auto ran = w.run({"run", "--cpu", "1", "--stdin", "--", "wc", "-w"});
  EXPECT_EQ(ran.exit, 4) << ran.err;
  EXPECT_EQ(out(), "2\n");
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(asked.find("command"), std::string::npos) << asked;  // the session itself waits
  ASSERT_EQ(w.sockets.asked.size(), 1u);
  EXPECT_EQ(w.sockets.asked.front().target.find("/v1/sessions/"), 0u);
  ASSERT_EQ(removed.size(), 1u);
  EXPECT_NE(removed.front().find("?reason="), std::string::npos);
}

TEST_F(RunInside, EndsTheSessionWhoseCommandCannotBeRun) {
  refuse(403, "denied");
  EXPECT_EQ(w.run({"run", "--cpu", "1", "--terminal", "--", "sh"}).exit, kDenied);
  EXPECT_EQ(removed.size(), 1u);
}

TEST_F(RunInside, EndsTheSessionThatHadNoPlaceInTime) {
  states = {"PENDING"};
  w.server.pauses_until_interrupt = 0;
  EXPECT_EQ(w.run({"run", "--cpu", "1", "--stdin", "--timeout", "1ms", "--", "sh"}).exit, kTimeout);
  EXPECT_EQ(removed.size(), 1u);
  EXPECT_TRUE(w.sockets.asked.empty());
}

TEST_F(RunInside, OfASessionThatEndedBeforeItRanFails) {
  states = {"PENDING", "CANCELLED"};
  const auto ran = w.run({"run", "--cpu", "1", "--stdin", "--", "sh"});
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("job"), std::string::npos) << ran.err;
  EXPECT_TRUE(removed.empty());
}

TEST_F(RunInside, IsForOneInteractiveSessionWithACommand) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {"--count", "2", "--", "x"},
                                               {"--type", "batch", "--", "x"},
                                               {"--detach", "--", "x"},
                                               {"--attach", "--", "x"},
                                               {"--wait", "--", "x"},
                                               {"-o", "json", "--", "x"}}) {
    std::vector<std::string> words{"run", "--cpu", "1", "--stdin"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(w.run(words).exit, kUsage);
  }
  EXPECT_EQ(asked, "");
}

TEST_F(SessionShell, PipedInIsTypedAndFollowedToItsEnd) {
  pipe_in("make\nexit\n");
  serve({begun(0, 0, true), until_typed("make\nexit\n"), of_stdout("$ make\r\n"), ended(2)});
  EXPECT_EQ(w.run({"shell", "demo", "-n", "build"}).exit, 2);
  EXPECT_EQ(w.sockets.heard.front().bytes, R"({"name":"build","existing":false})");
  EXPECT_EQ(w.sockets.heard.size(), 2u);  // a shell's server knows no end of what is typed
  EXPECT_EQ(out(), "$ make\r\n");
}

TEST_F(SessionShell, ComesBackAfterACutAndShowsNothingTwice) {
  pipe_in("x");
  serve({begun(), of_stdout("0123456789"), SocketEnd{0, "reset"}});
  refuse(503, "starting");
  serve({begun(8, 4), of_stdout("456789ab"), of_stdout("cd"), ended()});
  const auto ran = w.run({"shell", "demo"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(out(), "0123456789abcd");
  EXPECT_NE(err().find("the connection is lost; trying for 60 s to come back\n"), std::string::npos) << err();
  EXPECT_NE(err().find("back in shell main of demo\n"), std::string::npos) << err();
  EXPECT_TRUE(w.sockets.was_told(R"({"name":"main","existing":true})"));
}

TEST_F(SessionShell, SaysWhatItMissedWhileItWasCut) {
  serve({begun(), of_stdout("0123"), problem_said("stopping"), SocketEnd{1001, ""}});
  serve({begun(2, 10), of_stdout("ab"), text(R"({"lost":5})"), of_stdout("cd"), ended()});
  EXPECT_EQ(w.run({"shell", "demo"}).exit, 0);
  EXPECT_EQ(out(), "0123abcd");
  EXPECT_NE(err().find("6 bytes of its output are not here any more"), std::string::npos) << err();
  EXPECT_NE(err().find("5 bytes of its output are not here any more"), std::string::npos) << err();
}

TEST_F(SessionShell, ThatEndedMeanwhileIsNotMadeAnew) {
  serve({begun(), SocketEnd{0, "reset"}});
  serve({problem_said("no-such-shell")});
  const auto ran = w.run({"shell", "demo"});
  EXPECT_EQ(ran.exit, kNotFound);
  EXPECT_EQ(w.sockets.asked.size(), 2u);
}

TEST_F(SessionShell, IsLeftAtOnceWhenItMayNotComeBack) {
  serve({begun(), SocketEnd{0, "reset"}});
  refuse(403, "denied");
  EXPECT_EQ(w.run({"shell", "demo"}).exit, kDenied);
  serve({begun(), problem_said("access-lost"), SocketEnd{1008, ""}});
  EXPECT_EQ(w.run({"shell", "demo"}).exit, kDenied);
  EXPECT_EQ(w.sockets.asked.size(), 3u);
}

TEST_F(SessionShell, IsNotComeBackToBeforeItWasThere) {
  serve({problem_said("agent-unreachable")});
  EXPECT_EQ(w.run({"shell", "demo"}).exit, kUnreachable);
  EXPECT_EQ(w.sockets.asked.size(), 1u);
}

TEST_F(SessionShell, ListsAndEndsShells) {
  w.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    if (request.method == "DELETE") return json_reply("{}");
    return json_reply(R"({"items": [{"name": "main", "command": "/bin/bash",
      "started_at": "2025-12-31T23:58:00Z", "clients": 2}]})");
  };
  EXPECT_EQ(w.run({"shell", "demo", "--list"}).out,
            "NAME  COMMAND    AGE    CLIENTS\nmain  /bin/bash  2m00s        2\n");
  EXPECT_NE(
      w.run({"shell", "demo", "--list", "-o", "json"}).out.find("\"started_at\": \"2025-12-31T23:58:00Z\""),
      std::string::npos);
  EXPECT_EQ(w.run({"shell", "demo", "-k", "sub1", "-n", "b", "--end"}).out, "b\n");
  EXPECT_EQ(w.server.requests.back().target, "/v1/sessions/demo/shells/b?kernel=sub1");
  EXPECT_EQ(w.run({"shell", "demo", "--end", "--list"}).exit, kUsage);
  EXPECT_EQ(w.run({"shell", "demo", "--list", "--", "x"}).exit, kUsage);
}

// A terminal for stdin and stdout, and the hand that types on it.
class OnATerminal : public Inside {
 protected:
  OnATerminal() {
    const winsize size{40, 120, 0, 0};
    EXPECT_EQ(::openpty(&hand_, &terminal_, nullptr, nullptr, &size), 0);
    EXPECT_EQ(::tcgetattr(terminal_, &before_), 0);
    file_in_ = std::exchange(w.descriptors.in, terminal_);
  }
  ~OnATerminal() override {
    w.descriptors.in = file_in_;
    ::close(hand_);
    ::close(terminal_);
  }

  void type(const std::string& keys) {
    EXPECT_EQ(::write(hand_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  bool is_raw() const {
    termios now{};
    return ::tcgetattr(terminal_, &now) == 0 && (now.c_lflag & (ICANON | ECHO | ISIG)) == 0;
  }
  bool is_as_before() const {
    termios now{};
    return ::tcgetattr(terminal_, &now) == 0 && now.c_lflag == before_.c_lflag &&
           now.c_iflag == before_.c_iflag && now.c_oflag == before_.c_oflag;
  }
  // Once the terminal is raw; a key typed before would be a line of the terminal's own.
  Said typing(const std::string& keys) {
    return Until([this, keys](const FakeSockets&) {
      if (is_raw()) type(keys);
      return is_raw();
    });
  }

  int hand_ = -1, terminal_ = -1, file_in_ = -1;
  termios before_{};
};

TEST_F(OnATerminal, KeysGoToTheShellAndTheTerminalIsAsBeforeAtTheEnd) {
  serve({begun(0, 0, true), typing("ls\r\x03\x1d\x1d"), until_typed("ls\r\x03\x1d"), ended(1)});
  EXPECT_EQ(w.run({"shell", "demo"}).exit, 1);
  EXPECT_EQ(w.sockets.heard.front().bytes, R"({"name":"main","existing":false,"columns":120,"rows":40})");
  EXPECT_TRUE(is_as_before());
  EXPECT_NE(err().find("shell main of demo; Ctrl-] . detaches"), std::string::npos) << err();
}

TEST_F(OnATerminal, AnEscapeDetachesAndSaysHowToComeBack) {
  serve({begun(0, 0, true), typing("a\x1d"), until_typed("a"), typing("."), until_typed("never")});
  const auto ran = w.run({"shell", "demo", "-n", "build", "-k", "sub1"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.err,
            "detached; shell build of demo goes on: `berth shell demo -k sub1 -n build` comes back\n");
  EXPECT_TRUE(is_as_before());
  EXPECT_EQ(w.sockets.closed, 1);
}

TEST_F(OnATerminal, OneWhoDetachesGetsTheScreenBack) {
  serve(
      {begun(0, 0, true), of_stdout("\x1b[?1049h\x1b[?25lan editor"), typing("\x1d."), until_typed("never")});
  EXPECT_EQ(w.run({"shell", "demo"}).exit, 0);
  EXPECT_EQ(out(), "\x1b[?1049h\x1b[?25lan editor\x1b[?1049l\x1b[?25h");
}

TEST_F(OnATerminal, AnEscapeShowsTheEscapes) {
  serve({begun(0, 0, true), of_stdout("half a line"), typing("\x1d?x"), until_typed("x"), ended()});
  EXPECT_EQ(w.run({"shell", "demo"}).exit, 0);
  EXPECT_NE(err().find("\r\nCtrl-] .       detaches; a shell goes on\r\n"), std::string::npos) << err();
}

TEST_F(OnATerminal, TheProgramIsToldANewSize) {
  const Said resize = Until([this](const FakeSockets&) {
    const winsize size{30, 90, 0, 0};
    if (is_raw()) ::ioctl(hand_, TIOCSWINSZ, &size), std::raise(SIGWINCH);  // the pty is not our own terminal
    return is_raw();
  });
  serve({begun(0, 0, true), resize, until_told(R"({"columns":90,"rows":30})"), ended()});
  EXPECT_EQ(w.run({"exec", "demo", "-t", "--", "top"}).exit, 0);
  EXPECT_EQ(w.sockets.heard.front().bytes, R"({"command":["top"],"terminal":true,"columns":120,"rows":40})");
}

TEST_F(OnATerminal, OneMayLeaveWhileTheConnectionIsCut) {
  serve({begun(), SocketEnd{0, "reset"}});
  std::thread hand([this] {
    while (err().find("(Ctrl-] . leaves)") == std::string::npos) ::usleep(1000);
    type("dropped\x1d.");
  });
  const auto ran = w.run({"shell", "demo"});
  hand.join();
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(w.sockets.typed(), "");
  EXPECT_TRUE(is_as_before());
}

TEST_F(OnATerminal, LinesOfBerthsOwnAreOnTheirOwn) {
  serve({begun(0, 0, true), of_stdout("$ "), problem_said("session-ended")});
  const auto ran = w.run({"shell", "demo"});
  EXPECT_EQ(ran.exit, kConflict);
  EXPECT_EQ(ran.err.substr(0, 22), "\nberth: session-ended:");
}

TEST_F(OnATerminal, ItsEndDetaches) {
  const Said hang_up = Until([this](const FakeSockets&) {
    if (!is_raw()) return false;
    ::close(std::exchange(hand_, ::open("/dev/null", O_RDWR)));
    return true;
  });
  serve({begun(0, 0, true), hang_up, until_typed("never")});
  EXPECT_EQ(w.run({"shell", "demo"}).exit, 0);
  EXPECT_FALSE(w.sockets.was_told(R"({"end_of_input":true})"));
}

TEST_F(OnATerminal, AProgramWithoutOneGetsLines) {
  type("typed\n\x04");
  serve({begun(), until_told(R"({"end_of_input":true})"), ended()});
  EXPECT_EQ(w.run({"exec", "demo", "--", "cat"}).exit, 0);
  EXPECT_EQ(w.sockets.typed(), "typed\n");
  for (const auto& message : w.sockets.heard)
    EXPECT_EQ(message.bytes.find("columns"), std::string::npos) << message.bytes;
}

}  // namespace
}  // namespace berth::cli
