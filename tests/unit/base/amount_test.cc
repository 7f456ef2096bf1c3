// tests/BEHAVIOURS.md section 9: amounts and their texts, row by row. RS4 and RS10 (what is not listed, and
// infinity) are limits: limits_test.cc and check_presets_test.cc have them with null for infinity.
#include "events/base/amount.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

struct Read {
  const char* row;
  SlotKind kind;
  const char* text;
  Amount amount;  // -1: it is none
};

constexpr auto kCount = SlotKind::kCount;
constexpr auto kBytes = SlotKind::kBytes;
constexpr auto kUnique = SlotKind::kUnique;

const std::vector<Read> kReads = {
    {"RS2 count", kCount, "1", kUnit},
    {"RS2 bytes", kBytes, "2g", 2'147'483'648},
    {"either case", kBytes, "2G", 2'147'483'648},
    {"a tail", kBytes, "2GiB", 2'147'483'648},
    {"k m t p", kBytes, "1k", 1024},
    {"k m t p", kBytes, "1m", 1 << 20},
    {"k m t p", kBytes, "1t", Amount{1} << 40},
    {"k m t p", kBytes, "1p", Amount{1} << 50},
    {"plain bytes", kBytes, "1000", 1000},
    {"a whole number of bytes", kBytes, "1.5g", 1'610'612'736},
    {"a part of a byte", kBytes, "0.3k", -1},
    {"six decimals", kCount, "0.000001", 1},
    {"seven decimals", kCount, "0.0000001", -1},
    {"zeros behind mean nothing", kCount, "0.10000000", kUnit / 10},
    {"RS7 a count has no suffix", kCount, "2g", -1},
    {"RS7 inf: no limit is null here", kCount, "inf", -1},
    {"RS8 count", kCount, "-2", -1},
    {"RS8 bytes", kBytes, "-1", -1},
    {"a plus", kCount, "+1", -1},
    {"an exponent", kCount, "1e3", -1},
    {"nothing", kCount, "", -1},
    {"a point alone", kCount, ".", -1},
    {"two points", kCount, "1.2.3", -1},
    {"a blank", kCount, " 1", -1},
    {"another suffix", kBytes, "1x", -1},
    {"the largest", kBytes, "2305843009213693951", kAmountMax},
    {"beyond it", kBytes, "2305843009213693952", -1},
    {"beyond it by its suffix", kBytes, "99999p", -1},
    {"far beyond", kCount, "99999999999999999999999999999999999999", -1},
    {"longer than anything sensible", kCount, "0.00000000000000000000000000000000000000001", -1},
    {"a unique slot", kUnique, "1", kUnit},
    {"two of it", kUnique, "2", -1},
    {"half of it", kUnique, "0.5", -1},
};

TEST(Amount, ReadsAsTheRowsOf9Say) {
  for (const Read& read : kReads) {
    const auto amount = parse_amount(read.kind, read.text);
    EXPECT_EQ(amount.ok() ? *amount : -1, read.amount) << read.row << ": " << read.text;
    if (!amount.ok()) {
      EXPECT_EQ(amount.error().code, "invalid-amount");
      EXPECT_NE(amount.error().message.find('\''), std::string::npos) << "it is quoted";
    }
  }
}

// RS11 cuts to two decimals; here a text is exact, since people copy it into requests and compare it with
// limits (1.23 of 1.234567 would be refused or leave dust).
TEST(Amount, WritesExactlyAndShortlyRS2RS11) {
  const std::vector<std::pair<Amount, const char*>> counts = {
      {kUnit, "1"}, {1'500'000, "1.5"}, {250'000, "0.25"}, {10 * kUnit, "10"},     {1'234'567, "1.234567"},
      {0, "0"},     {-500'000, "-0.5"}, {1, "0.000001"},   {1'000'001, "1.000001"}};
  for (const auto& [amount, text] : counts) EXPECT_EQ(format_amount(kCount, amount), text);
  EXPECT_EQ(format_amount(kBytes, 2'147'483'648), "2147483648");
  EXPECT_EQ(format_amount_human(kBytes, 2'147'483'648), "2g");
  EXPECT_EQ(format_amount_human(kBytes, 536'870'912), "512m");
  EXPECT_EQ(format_amount_human(kBytes, 1000), "1000");
  EXPECT_EQ(format_amount_human(kBytes, 0), "0");
  EXPECT_EQ(format_amount_human(kCount, 250'000), "0.25");
}

TEST(Amount, WhatIsWrittenIsReadAgain) {
  for (const SlotKind kind : {kCount, kBytes}) {
    Amount amount = 1;
    for (int i = 0; i < 60; ++i, amount = amount * 2 + i % 3) {
      EXPECT_EQ(*parse_amount(kind, format_amount(kind, amount)), amount);
      EXPECT_EQ(*parse_amount(kind, format_amount_human(kind, amount)), amount);
    }
  }
}

}  // namespace
}  // namespace berth
