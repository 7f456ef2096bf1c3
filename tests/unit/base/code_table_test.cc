#include "events/base/codes/code_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "events/base/codes/code.h"

namespace berth {
namespace {

TEST(CodeTable, AWordIsFoundWithItsStatusMeaningAndAdvice) {
  const auto row = std::ranges::find(code_table(), "unknown-session", &CodeRow::word);
  ASSERT_NE(row, code_table().end());
  EXPECT_EQ(number_of_code("unknown-session"), row->number);
  EXPECT_EQ(row->status, 404u);
  EXPECT_FALSE(row->meaning.empty());
  EXPECT_FALSE(row->advice.empty());
}

TEST(CodeTable, WhatNoRowHasIsNotFound) {
  for (const std::string_view word : {"", "a", "unknown", "unknown-sessions", "zzz"})
    EXPECT_EQ(number_of_code(word), 0u) << word;
}

TEST(CodeTable, EachRowIsFoundAndWhole) {
  ASSERT_GT(code_table().size(), 500u);
  std::set<std::uint32_t> numbers;
  for (const CodeRow& row : code_table()) {
    EXPECT_TRUE(row.number > 0 && numbers.insert(row.number).second) << row.word;
    EXPECT_EQ(Code::of_number(row.number).word(), row.word);
    EXPECT_EQ(number_of_code(row.word), row.number);
    EXPECT_TRUE(row.status == 0 || (row.status >= 400 && row.status < 600)) << row.word;
    EXPECT_EQ(row.word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-."), std::string_view::npos)
        << row.word;
    EXPECT_FALSE(row.meaning.empty() || row.advice.empty()) << row.word;
  }
}

TEST(Codes, WhatOthersSayIsLookedUp) {
  EXPECT_EQ(Code::told("unknown-session"), Code("unknown-session"));
  EXPECT_EQ(Code::told("").number(), 0u);
  EXPECT_EQ(Code::told("no-such-word"), Code("unknown-code"));
  EXPECT_EQ(Code().word(), "");
}

TEST(Codes, ANumberOfANewerBuildStaysWhatItIs) {
  const Code newer = Code::of_number(60'000);
  EXPECT_EQ(newer.number(), 60'000u);
  EXPECT_EQ(newer.word(), "code-60000");
  EXPECT_NE(newer, Code("unknown-code"));
}

TEST(Codes, AStatusIsTheTablesOrTheCallers) {
  EXPECT_EQ(Code("unknown-session").status(), 404u);
  EXPECT_EQ(Code("no-capacity").status(), 400u);
  EXPECT_EQ(Code("no-capacity").status(500), 500u);
}

}  // namespace
}  // namespace berth
