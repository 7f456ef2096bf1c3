#include "agents/init/scrollback.h"

#include <gtest/gtest.h>

namespace berth::init {
namespace {

std::string all_of(const Scrollback& output) {
  std::string text;
  for (std::uint64_t at = output.begin(); at < output.end(); at = output.begin() + text.size())
    text += output.from(at);
  return text;
}

std::string lines(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST(Scrollback, HoldsWhatWasPrinted) {
  Scrollback output;
  EXPECT_TRUE(output.from(0).empty());
  output.append("one\n");
  output.append("two");
  EXPECT_EQ(all_of(output), "one\ntwo");
  EXPECT_EQ(output.begin(), 0u);
  EXPECT_EQ(output.end(), 7u);
}

TEST(Scrollback, HoldsTenThousandLines) {
  Scrollback output;
  output.append(lines(0, 12'000));
  EXPECT_EQ(all_of(output), lines(2'000, 12'000));
  EXPECT_EQ(output.begin(), lines(0, 2'000).size()) << "what is lost is counted";
}

TEST(Scrollback, HoldsAMebibyteOfLongerLines) {
  Scrollback output;
  const std::string line = std::string(999, 'x') + "\n";
  for (int i = 0; i < 5'000; ++i) output.append(line);
  const std::string held = all_of(output);
  EXPECT_LE(held.size(), Scrollback::kBytesMax);
  EXPECT_GT(held.size(), Scrollback::kBytesMax - 1000);
  EXPECT_EQ(held.substr(0, 1000), line) << "whole lines are dropped";
}

TEST(Scrollback, CutsALineWithoutEndAtACharacter) {
  Scrollback output;
  for (int i = 0; i < 400'000; ++i) output.append("\xe2\x82\xac");  // the euro sign
  const std::string held = all_of(output);
  EXPECT_LE(held.size(), Scrollback::kBytesMax);
  EXPECT_GT(held.size(), Scrollback::kBytesMax - 8192);
  EXPECT_EQ(held.substr(0, 3), "\xe2\x82\xac");
}

}  // namespace
}  // namespace berth::init
