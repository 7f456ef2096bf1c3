// What is typed in the log shell: what a TAB adds, which lines are kept.
#include <gtest/gtest.h>

#include "ops/cli/log_shell/kept_lines.h"
#include "ops/cli/log_shell/line_editor.h"
#include "ops/cli/log_shell/word_completion.h"

namespace berth::cli {
namespace {

TEST(WordCompletion, AddsTheRestOfTheOnlyOneAndASpace) {
  EXPECT_EQ(complete_word("cat", {"cat"}).added, " ");
  EXPECT_EQ(complete_word("sessions/d", {"sessions/demo"}).added, "emo ");
}

TEST(WordCompletion, GoesOnBehindAFolder) { EXPECT_EQ(complete_word("sess", {"sessions/"}).added, "ions/"); }

TEST(WordCompletion, AddsWhatAllShareAndThenShowsThem) {
  const std::vector<std::string> both{"demo-1", "demo-2"};
  EXPECT_EQ(complete_word("d", both).added, "emo-");
  EXPECT_TRUE(complete_word("d", both).shown.empty());
  EXPECT_EQ(complete_word("demo-", both).added, "");
  EXPECT_EQ(complete_word("demo-", both).shown, both);
}

TEST(WordCompletion, OneThatIsTheBeginOfAnotherIsStillOpen) {
  EXPECT_EQ(complete_word("demo", {"demo", "demo-2"}).shown.size(), 2u);
}

TEST(WordCompletion, KnowsNothingOfNothing) {
  EXPECT_EQ(complete_word("x", {}).added, "");
  EXPECT_TRUE(complete_word("x", {}).shown.empty());
}

TEST(KeptLines, AreTheNewestOfEachInOrder) {
  EXPECT_EQ(with_line("", "ls"), "ls\n");
  EXPECT_EQ(with_line("ls\npwd\n", "ls"), "pwd\nls\n");
  EXPECT_EQ(parse_kept_lines("ls\n\npwd"), (std::vector<std::string>{"ls", "pwd"}));
}

TEST(KeptLines, AreBounded) {
  std::string text;
  for (std::size_t i = 0; i < LineEditor::kLinesKept; ++i) text = with_line(text, "cat " + std::to_string(i));
  text = with_line(text, "one more");
  const auto lines = parse_kept_lines(text);
  EXPECT_EQ(lines.size(), LineEditor::kLinesKept);
  EXPECT_EQ(lines.front(), "cat 1");
  EXPECT_EQ(lines.back(), "one more");
  EXPECT_TRUE(parse_kept_lines(std::string(1 << 20, 'x')).empty());
}

TEST(KeptLines, LieBesideTheConfiguration) {
  EXPECT_EQ(kept_lines_path("/home/u/.config/berth/config.toml"), "/home/u/.config/berth/log-shell-history");
}

}  // namespace
}  // namespace berth::cli
