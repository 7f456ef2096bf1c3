// Ids, hex, hashes and varints: the forms in which bytes are written.
#include <gtest/gtest.h>

#include "events/base/hash.h"
#include "events/base/hex.h"
#include "events/base/random.h"
#include "events/base/varint.h"

namespace berth {
namespace {

TEST(Hex, ThereAndBack) {
  EXPECT_EQ(to_hex(std::string_view("\x00\x7f\xff", 3)), "007fff");
  EXPECT_EQ(from_hex("007fff"), std::string("\x00\x7f\xff", 3));
  EXPECT_EQ(from_hex(""), "");
  for (const char* wrong : {"0", "0g", "FF", "0x", " 00"}) EXPECT_FALSE(from_hex(wrong)) << wrong;
}

TEST(Uuid, ThereAndBack) {
  const auto id = Uuid::parse("0123abCD-4567-89ef-FEDC-ba9876543210");
  ASSERT_TRUE(id);
  EXPECT_EQ(to_string(*id), "0123abcd-4567-89ef-fedc-ba9876543210");
  EXPECT_EQ(Uuid::from_bytes(id->view()), id);
  EXPECT_TRUE(Uuid::from_bytes("")->is_nil());
  EXPECT_FALSE(Uuid::from_bytes("123"));
  for (const char* wrong : {"", "0123abcd456789effedcba9876543210", "0123abcd-4567-89ef-fedc-ba987654321",
                            "0123abcd-4567-89ef-fedc-ba9876543210a", "0123abcd_4567-89ef-fedc-ba9876543210",
                            "0123abcd-4567-89ef-fedc-ba987654321g"})
    EXPECT_FALSE(Uuid::parse(wrong)) << wrong;
}

TEST(Uuid, OfAHashSaysThatItIsOfACustomKind) {
  std::array<std::uint8_t, 16> hash;
  hash.fill(0xFF);
  EXPECT_EQ(to_string(Uuid::from_hash(hash)),
            "ffffffff-ffff-8fff-bfff-ffffffffffff");  // RFC 9562: version 8, variant 10
}

// The numbers are the definitions': CRC-32C of "123456789", BLAKE2b of nothing (RFC 7693 has "abc" at 512
// bits only).
TEST(Hash, KnownAnswers) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(to_hex(as_view(blake2b_256(""))),
            "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_NE(blake2b_128("0123456789abcdef", "x"), blake2b_128("0123456789abcdeg", "x"));
}

TEST(StateHash, IsASumThatForgetsOrder) {
  const Hash128 one = blake2b_128("one");
  const Hash128 two = blake2b_128("two");
  StateHash sum;
  sum.add(one);
  sum.add(two);
  StateHash other;
  other.add(two);
  other.add(one);
  EXPECT_EQ(sum, other);
  other.subtract(two);
  StateHash only;
  only.add(one);
  EXPECT_EQ(other, only);
}

TEST(Varint, IsTakenOffTheFront) {
  std::string_view bytes("\x96\x01\x05", 3);
  std::uint64_t value = 0;
  EXPECT_TRUE(take_varint(bytes, value));
  EXPECT_EQ(value, 150u);
  EXPECT_TRUE(take_varint(bytes, value));
  EXPECT_EQ(value, 5u);
  EXPECT_TRUE(bytes.empty());
  EXPECT_FALSE(take_varint(bytes, value));
  for (const std::string& wrong : {std::string("\x80"), std::string(11, '\x80')}) {
    std::string_view in(wrong);
    EXPECT_FALSE(take_varint(in, value));
  }
}

}  // namespace
}  // namespace berth
