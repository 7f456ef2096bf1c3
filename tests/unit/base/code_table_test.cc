#include "events/base/codes/code_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace berth {
namespace {

TEST(CodeTable, AWordIsFoundWithItsStatusMeaningAndAdvice) {
  const CodeRow* row = find_code("unknown-session");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->word, "unknown-session");
  EXPECT_EQ(row->status, 404u);
  EXPECT_FALSE(row->meaning.empty());
  EXPECT_FALSE(row->advice.empty());
}

TEST(CodeTable, WhatNoRowHasIsNotFound) {
  for (const std::string_view word : {"", "a", "unknown", "unknown-sessions", "zzz"})
    EXPECT_EQ(find_code(word), nullptr) << word;
}

TEST(CodeTable, EachRowIsFoundAndWhole) {
  ASSERT_GT(code_table().size(), 500u);
  for (const CodeRow& row : code_table()) {
    EXPECT_EQ(find_code(row.word), &row);
    EXPECT_TRUE(row.status == 0 || (row.status >= 400 && row.status < 600)) << row.word;
    EXPECT_EQ(row.word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-."), std::string_view::npos)
        << row.word;
    EXPECT_FALSE(row.meaning.empty() || row.advice.empty()) << row.word;
  }
}

}  // namespace
}  // namespace berth
