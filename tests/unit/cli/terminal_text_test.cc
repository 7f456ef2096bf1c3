// What a program's output may do to a terminal: nothing but be read.
#include <gtest/gtest.h>

#include "ops/cli/output/terminal_text.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

TEST(TerminalText, ShowsWhatWouldSteerATerminal) {
  TerminalText text;
  EXPECT_EQ(text.shown("plain \t\xC3\xA9\r\n"), "plain \t\xC3\xA9\r\n");
  EXPECT_EQ(text.shown("\x1b]0;title\x07\x1b[2J\x7f"), "^[]0;title^G^[[2J^?");
  EXPECT_EQ(text.shown("\xC2\x9B"
                       "31m \xE2\x80\xAE"),
            "<U+009B>31m <U+202E>");
  EXPECT_EQ(text.shown("\x9B"
                       "31m \xFF"),
            "\\x9b31m \\xff");
}

TEST(TerminalText, JoinsACharacterThatIsCutBetweenTwoPages) {
  TerminalText text;
  EXPECT_EQ(text.shown("a\xE2\x82"), "a");
  EXPECT_EQ(text.shown("\xAC b\xE2"), "\xE2\x82\xAC b");
  EXPECT_EQ(text.shown("x"), "\\xe2x");
}

TEST(Logs, AreShownOnATerminalAndGoElsewhereAsTheyAre) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(HttpReply{
        200, {{"content-type", "application/octet-stream"}, {"x-berth-log-end", "true"}}, "\x1b[31mred"});
  };
  EXPECT_EQ(w.run({"session", "logs", "a"}).out, "\x1b[31mred");
  w.terminal = true;
  EXPECT_EQ(w.run({"session", "logs", "a"}).out, "^[[31mred");
}

}  // namespace
}  // namespace berth::cli
