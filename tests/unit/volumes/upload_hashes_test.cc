#include "agents/volumes/upload_hashes.h"

#include <gtest/gtest.h>

namespace berth::agents {
namespace {

HashSoFar of(std::string_view bytes) {
  HashSoFar so_far;
  so_far.hash.add(bytes);
  so_far.bytes = bytes.size();
  return so_far;
}

TEST(UploadHashes, AreKeptUntilTheyAreTaken) {
  UploadHashes hashes;
  hashes.keep("u", of("hello"));
  hashes.keep("other", of("xyz"));
  HashSoFar whole = hashes.take("u");
  EXPECT_EQ(whole.bytes, 5u);
  EXPECT_EQ(whole.hash.value(), of("hello").hash.value());
  EXPECT_EQ(hashes.take("u").bytes, 0u) << "it was taken";
  EXPECT_EQ(hashes.take("unknown").bytes, 0u);
  hashes.forget("other");
  EXPECT_EQ(hashes.take("other").bytes, 0u);
}

TEST(UploadHashes, TheOneThatWasKeptFirstIsForgotten) {
  UploadHashes hashes;
  for (std::size_t i = 0; i < UploadHashes::kMax; ++i) hashes.keep(std::to_string(i), of("a"));
  hashes.keep("0", of("ab"));
  hashes.keep("one more", of("a"));
  EXPECT_EQ(hashes.take("0").bytes, 2u);
  EXPECT_EQ(hashes.take("1").bytes, 0u);
  EXPECT_EQ(hashes.take("2").bytes, 1u);
  EXPECT_EQ(hashes.take("one more").bytes, 1u);
}

}  // namespace
}  // namespace berth::agents
