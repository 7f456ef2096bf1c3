#include "events/codec/words/codes.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace {

// CODE_NO_CAPACITY is "no-capacity", as the schema says.
std::string name_of(std::string_view word) {
  std::string name = "CODE_";
  for (const char c : word)
    name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == '-' || c == '.' ? '_' : c;
  return name;
}

TEST(CodesOfRecords, TheSchemaHasTheTablesWordsByTheirNumbers) {
  for (const CodeRow& row : code_table())
    EXPECT_EQ(v1::Code_Name(static_cast<v1::Code>(row.number)), name_of(row.word))
        << "events/schema/v1/code.proto and events/base/codes/codes.inc differ";
  EXPECT_EQ(v1::Code_descriptor()->value_count(), static_cast<int>(code_table().size()) + 1);
}

TEST(CodesOfRecords, ACodeComesBackAsItWent) {
  EXPECT_EQ(code_of(wire("no-capacity")), Code("no-capacity"));
  EXPECT_EQ(code_of(wire(Code())), Code());
  EXPECT_EQ(wire(Code::of_number(60'000)), static_cast<v1::Code>(60'000));
}

}  // namespace
}  // namespace berth
