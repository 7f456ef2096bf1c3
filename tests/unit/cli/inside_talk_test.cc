// What is said to a kernel's programs and heard from them, and the escapes in what is typed.
#include <gtest/gtest.h>

#include "ops/cli/session/escapes.h"
#include "ops/cli/session/inside_talk.h"
#include "ops/cli/session/screen_modes.h"

namespace berth::cli {
namespace {

using inside::Request;

SocketMessage text(std::string bytes) { return {false, std::move(bytes)}; }

TEST(InsideTalk, SaysOfAProgramWhatWasAskedAndNothingElse) {
  Request request;
  request.args = {"ls", "-l"};
  EXPECT_EQ(first_message(request)->bytes, R"({"command":["ls","-l"],"terminal":false})");
  request.env = {"A=B=C", "D="};
  request.cwd = "/x";
  request.terminal = true;
  request.size = {120, 40};
  EXPECT_EQ(first_message(request)->bytes,
            R"({"command":["ls","-l"],"environment":{"A":"B=C","D":""},"folder":"/x","terminal":true,)"
            R"("columns":120,"rows":40})");
}

TEST(InsideTalk, SaysOfAShellItsNameAndItsSizeIfThereIsOne) {
  Request request;
  request.what = Request::What::kShell;
  request.name = "main";
  EXPECT_EQ(first_message(request)->bytes, R"({"name":"main","existing":false})");
  request.existing = request.terminal = true;
  EXPECT_EQ(first_message(request)->bytes, R"({"name":"main","existing":true,"columns":80,"rows":24})");
}

TEST(InsideTalk, SendsNothingThatIsNoUtf8) {
  Request request;
  request.args = {"cat", "\xff"};
  EXPECT_EQ(first_message(request).failure().exit, kUsage);
}

TEST(InsideTalk, HearsEachMessage) {
  const auto begun = heard_in(text(R"({"begun":{"made":true,"scrollback":5,"lost":7,"restarts":1}})"));
  ASSERT_TRUE(begun);
  const auto& first = std::get<inside::Begun>(*begun);
  EXPECT_TRUE(first.made);
  EXPECT_EQ(first.scrollback + first.lost * 10 + first.restarts * 100, 175u);
  EXPECT_EQ(std::get<inside::Out>(*heard_in({true, std::string("\x01\0x", 3)})).bytes, std::string("\0x", 2));
  EXPECT_EQ(std::get<inside::Err>(*heard_in({true, "\x02no"})).bytes, "no");
  EXPECT_EQ(std::get<inside::Lost>(*heard_in(text(R"({"lost":12})"))).bytes, 12u);
  EXPECT_EQ(exit_code_of(std::get<inside::Ended>(*heard_in(text(R"({"ended":{"exit_code":3,"signal":0}})")))),
            3);
  EXPECT_EQ(exit_code_of(std::get<inside::Ended>(*heard_in(text(R"({"ended":{"exit_code":0,"signal":9}})")))),
            137);
  const auto problem = heard_in(text(R"({"problem":{"code":"session-ended","message":"m","hint":"h"}})"));
  const auto& failure = std::get<Failure>(*problem);
  EXPECT_EQ(failure.code + failure.message + failure.hint, "session-endedmh");
  EXPECT_EQ(failure.exit, kConflict);
}

TEST(InsideTalk, OfAProblemHasTheExitCodeThatTheApiWouldHave) {
  const auto exit_of = [](const std::string& code) {
    return std::get<Failure>(*heard_in(text(R"({"problem":{"code":")" + code + R"(","message":"m"}})"))).exit;
  };
  EXPECT_EQ(exit_of("no-such-shell"), kNotFound);
  EXPECT_EQ(exit_of("access-lost"), kDenied);
  EXPECT_EQ(exit_of("agent-unreachable"), kUnreachable);
  EXPECT_EQ(exit_of("variable-wrong"), kUsage);
  EXPECT_EQ(exit_of("program-not-found"), kProgramNotFound);
  EXPECT_EQ(exit_of("of-a-later-server"), kFailed);
}

TEST(InsideTalk, TakesNoGarbage) {
  for (const char* bytes :
       {"", "{", "[]", "{}", "null", R"({"begun":1})", R"({"begun":{},"ended":{}})", R"({"other":{}})",
        R"({"lost":-1})", R"({"lost":"1"})", R"({"ended":{}})", R"({"ended":{"exit_code":256}})",
        R"({"ended":{"exit_code":-1}})", R"({"ended":{"exit_code":0,"signal":400}})", "\xff\xfe"}) {
    const auto heard = heard_in(text(bytes));
    ASSERT_FALSE(heard) << bytes;
    EXPECT_EQ(heard.failure().code, "not-berth") << bytes;
  }
  for (const char* bytes : {"", "\x03x", "x"}) EXPECT_FALSE(heard_in({true, bytes})) << bytes;
}

TEST(Escapes, AreTakenOutOfWhatIsTyped) {
  EXPECT_EQ(Escapes().take("ls\r").bytes, "ls\r");
  EXPECT_EQ(Escapes()
                .take("a\x1d\x1d"
                      "b")
                .bytes,
            "a\x1d"
            "b");
  EXPECT_EQ(Escapes().take("a\x1dxb").bytes, "a\x1dxb");
  const Typed help = Escapes().take("a\x1d?b");
  EXPECT_TRUE(help.help && !help.detach);
  EXPECT_EQ(help.bytes, "ab");
  const Typed detach = Escapes().take("a\x1d.dropped");
  EXPECT_TRUE(detach.detach);
  EXPECT_EQ(detach.bytes, "a");
}

TEST(Escapes, MayBeCutBetweenTwoReads) {
  Escapes escapes;
  EXPECT_EQ(escapes.take("a\x1d").bytes, "a");
  const Typed typed = escapes.take(".");
  EXPECT_TRUE(typed.detach && typed.bytes.empty());
  EXPECT_EQ(escapes.take("\x1d").bytes, "");
  EXPECT_EQ(escapes.take("\x1d").bytes, "\x1d");
}

std::string undo_of(std::initializer_list<const char*> printed) {
  ScreenModes modes;
  for (const char* bytes : printed) modes.see(bytes);
  return modes.undo();
}

TEST(ScreenModes, AreUndoneAsFarAsTheyAreOn) {
  EXPECT_EQ(undo_of({"plain \x1b[31mred\x1b[0m\r\n\x1b[2J\x1b[5;1H"}), "");
  EXPECT_EQ(undo_of({"\x1b[31mred"}), "\x1b[0m");
  EXPECT_EQ(undo_of({"\x1b[?1049h\x1b[?1h\x1b=\x1b[?25l"}), "\x1b>\x1b[?1l\x1b[?1049l\x1b[?25h");
  EXPECT_EQ(undo_of({"\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"}), "");
  EXPECT_EQ(undo_of({"\x1b[?1000;1006h"}), "\x1b[?1000l\x1b[?1006l");
  EXPECT_EQ(undo_of({"\x1b[?2004h",
                     "\x1b"
                     "c"}),
            "");
  EXPECT_EQ(undo_of({"\x1b[?777h\x1b[?99999999999h\x1b[h\x1b[1h"}), "");
}

TEST(ScreenModes, AreReadAlongAcrossCuts) {
  EXPECT_EQ(undo_of({"\x1b", "[", "?10", "49", "h"}), "\x1b[?1049l");
  EXPECT_EQ(undo_of({"\x1b[?104", "\x1b[?25l"}), "\x1b[?25h");
  EXPECT_EQ(undo_of({("\x1b[?" + std::string(100, '1')).c_str(), "049h"}), "");
}

}  // namespace
}  // namespace berth::cli
