#include "events/base/text.h"

#include <gtest/gtest.h>

#include "events/base/plain_text.h"

namespace berth {
namespace {

TEST(Listed, NamesTheFirstAndCountsTheOthers) {
  EXPECT_EQ(listed({}, 2), "");
  EXPECT_EQ(listed({"a", "b"}, 2), "a, b");
  EXPECT_EQ(listed({"a", "b", "c", "d"}, 2), "a, b and 2 more");
}

TEST(Listed, CountsThoseWithoutANameAmongTheOthers) {
  EXPECT_EQ(listed({"a"}, 2, 1), "a and 1 more");
  EXPECT_EQ(listed({"a", "b", "c"}, 2, 3), "a, b and 4 more");
}

TEST(Clipped, CutsBetweenTwoCharacters) {
  EXPECT_EQ(clipped("berth", 5), "berth");
  EXPECT_EQ(clipped("berths", 5), "berth...");
  EXPECT_EQ(clipped("데모데모", 4), "데...");
}

TEST(PlainLine, IsOneLineOfWhatAProgramSaid) {
  EXPECT_EQ(plain_line("runc: no\n  such \x1b[31mfile\n", 80), "runc: no such [31mfile");
  EXPECT_EQ(plain_line("\xff\xfe"
                       "a\xc3"
                       "b\xe2\x80\xaeg",
                       80),
            "a b g")
      << "no UTF-8, and an override";
  EXPECT_EQ(plain_line("한국어 é", 80), "한국어 é");
  EXPECT_EQ(plain_line("한국어", 4), "한...");
  EXPECT_EQ(plain_line(" \n", 80), "");
}

TEST(ControlCharacter, IsWhatIsNoCharacterOnALineOrHidesHowItReads) {
  for (const char* hidden : {"\x01", "a\n", "\x1b[2J", "\x7f", "\u0080", "a\u009b", "\u2028", "\u2029",
                             "\u202a", "b\u202e", "\u2066", "\u2069"})
    EXPECT_TRUE(has_control_character(hidden)) << hidden;
  for (const char* plain :
       {"", "a b", "~", "\u00a0", "\u2027", "\u202f", "\u2065", "\u206a", "물리학과", "🖥"})
    EXPECT_FALSE(has_control_character(plain)) << plain;
}

}  // namespace
}  // namespace berth
