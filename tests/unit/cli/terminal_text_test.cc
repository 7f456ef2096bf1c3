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

// ESC, BEL, DEL, U+009B (an escape of one character) and U+202E (turns what follows around).
constexpr const char* kSteering =
    R"({"sessions": [{"name": "a\u001b]0;x\u0007\u007f\u009b31m\u202eb\r\n\tc"}]})";

std::string listed_as(const std::string& format, bool terminal) {
  FakeWorld w;
  w.terminal = terminal;
  w.server.answer = [](const HttpRequest&) { return Result<HttpReply>(json_reply(kSteering)); };
  return w.run({"session", "ls", "-o", format}).out;
}

TEST(TerminalText, OfAnAnswerSteersNoTerminalInAnyFormat) {
  for (const char* format : {"table", "wide", "json", "yaml", "jsonl", "name", "csv"}) {
    const std::string out = listed_as(format, true);
    for (const char* raw : {"\x1b", "\x07", "\x7f", "\r", "\xC2\x9B", "\xE2\x80\xAE"})
      EXPECT_EQ(out.find(raw), std::string::npos) << format << ": " << out;
  }
  EXPECT_NE(listed_as("csv", true).find("\"a?]0;x???31m?b?\n\tc\""), std::string::npos)
      << listed_as("csv", true);
}

TEST(TerminalText, IsEscapedInJsonAndYamlAndRawInCsvOfAPipe) {
  const auto name = boost::json::parse(kSteering).at("sessions").at(0).at("name").as_string();
  EXPECT_EQ(boost::json::parse(listed_as("json", false)).at(0).at("name").as_string(), name);
  for (const char* format : {"json", "yaml", "jsonl"})
    EXPECT_NE(listed_as(format, false).find(R"(a\u001b]0;x\u0007\u007f\u009b31m\u202eb\r\n\tc)"),
              std::string::npos)
        << listed_as(format, false);
  EXPECT_NE(listed_as("csv", false).find(std::string(name)), std::string::npos);
}

TEST(TerminalText, OfAProblemIsEscapedToo) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(problem(404, "unknown-session", "a\xC2\x9B\x1b"));
  };
  EXPECT_NE(w.run({"session", "show", "a", "-o", "json"}).err.find(R"("a\u009b\u001b")"), std::string::npos);
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
