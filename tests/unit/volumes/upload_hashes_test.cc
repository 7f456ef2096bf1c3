#include "agents/volumes/upload_hashes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

namespace berth::agents {
namespace {

std::string hash_of(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.value();
}

TEST(UploadHashes, GoOnFromChunkToChunk) {
  UploadHashes hashes;
  hashes.turn("u").add(0, "hello ");
  hashes.turn("other").add(0, "xyz");
  hashes.turn("u").add(6, "world");
  HashSoFar whole = hashes.take("u");
  EXPECT_EQ(whole.bytes, 11u);
  EXPECT_EQ(whole.hash.value(), hash_of("hello world"));
  EXPECT_EQ(hashes.take("u").bytes, 0u) << "it was taken";
  EXPECT_EQ(hashes.take("unknown").bytes, 0u);
}

TEST(UploadHashes, OfBytesOutOfTurnNothingIsKnown) {
  UploadHashes hashes;
  hashes.turn("u").add(6, "world");  // the agent was started anew in between
  EXPECT_EQ(hashes.take("u").bytes, 0u);
  hashes.turn("u").add(0, "abc");
  hashes.turn("u").add(5, "f");
  hashes.turn("u").add(3, "de");
  EXPECT_EQ(hashes.take("u").bytes, 0u);
  hashes.turn("u").add(0, "wrong");
  hashes.turn("u").add(0, "abc");  // begun anew
  HashSoFar anew = hashes.take("u");
  EXPECT_EQ(anew.bytes, 3u);
  EXPECT_EQ(anew.hash.value(), hash_of("abc"));
}

TEST(UploadHashes, TheOneThatNothingWasToldOfForLongestIsForgotten) {
  UploadHashes hashes;
  for (std::size_t i = 0; i < UploadHashes::kMax; ++i) hashes.turn(std::to_string(i)).add(0, "a");
  hashes.turn("0").add(1, "b");
  hashes.turn("one more").add(0, "a");
  EXPECT_EQ(hashes.take("0").bytes, 2u);
  EXPECT_EQ(hashes.take("1").bytes, 0u);
  EXPECT_EQ(hashes.take("2").bytes, 1u);
  EXPECT_EQ(hashes.take("one more").bytes, 1u);
}

TEST(UploadHashes, WhoTakesItWaitsForTheTurnThatIsOn) {
  UploadHashes hashes;
  std::atomic<bool> added = false;
  std::optional<UploadHashes::Turn> turn = hashes.turn("u");
  std::thread takes([&] {
    const std::uint64_t bytes = hashes.take("u").bytes;
    EXPECT_TRUE(added);
    EXPECT_EQ(bytes, 3u);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  added = true;
  turn->add(0, "abc");
  turn.reset();
  takes.join();
}

}  // namespace
}  // namespace berth::agents
