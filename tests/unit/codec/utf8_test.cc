#include "events/codec/utf8.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(IsUtf8, TakesTextOfAllLengths) {
  for (const char* text : {"", "data", "d\xC3\xA4ten", "\xE2\x82\xAC", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xF0\x9F\x90\x8B", "\xF4\x8F\xBF\xBF", "\xC2\x80"})
    EXPECT_TRUE(is_utf8(text)) << text;
  EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
}

TEST(IsUtf8, RefusesWhatIsCutOverlongOrNoCharacter) {
  for (const char* bytes : {"\xFF", "a\x80", "\xC3", "\xC3(", "\xC0\xAF", "\xC1\xBF", "\xE2\x82",
                            "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                            "\xF5\x80\x80\x80", "\xF0\x9F\x90", "\xE2\x82(", "\xF0\x9F(\x8B"})
    EXPECT_FALSE(is_utf8(bytes)) << bytes;
}

TEST(ShownAsUtf8, KeepsTextAndMarksEachByteThatIsNone) {
  EXPECT_EQ(shown_as_utf8(""), "");
  EXPECT_EQ(shown_as_utf8("d\xC3\xA4ten \xF0\x9F\x90\x8B"), "d\xC3\xA4ten \xF0\x9F\x90\x8B");
  EXPECT_EQ(shown_as_utf8("a\xFF"
                          "b"),
            "a\uFFFDb");
  EXPECT_EQ(shown_as_utf8("\xE2\x82"), "\uFFFD\uFFFD");
  EXPECT_EQ(shown_as_utf8("\xE2\x82("), "\uFFFD\uFFFD(");
  EXPECT_EQ(shown_as_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
}

}  // namespace
}  // namespace berth
