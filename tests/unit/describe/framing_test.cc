// Frames between API servers and agents' services (events/codec/framing.h).
#include <gtest/gtest.h>

#include "events/codec/framing.h"

namespace berth {
namespace {

FrameHeader header_of(const std::string& frame) {
  FrameHeader header{};
  for (std::size_t i = 0; i < header.size(); ++i) header[i] = static_cast<unsigned char>(frame[i]);
  return header;
}

TEST(Framing, AFrameIsItsLengthLittleEndianThenThePayload) {
  EXPECT_EQ(frame_of("abc"), std::string("\x03\0\0\0abc", 7));
  EXPECT_EQ(frame_of(std::string(0x0201, 'x')).substr(0, 4), std::string("\x01\x02\0\0", 4));
}

TEST(Framing, TheHeaderSaysHowLongThePayloadIs) {
  for (const std::size_t size : {1u, 255u, 256u, 4096u, 1u << 20})
    EXPECT_EQ(frame_length(header_of(frame_of(std::string(size, 'x'))), kAnswerBytesMax), size);
}

TEST(Framing, AFrameLongerThanItsReceiverTakesHasNoLength) {
  EXPECT_EQ(frame_length(header_of(frame_of(std::string(4096, 'x'))), kQuestionBytesMax), 4096u);
  EXPECT_EQ(frame_length(header_of(frame_of(std::string(4097, 'x'))), kQuestionBytesMax), std::nullopt);
  EXPECT_EQ(frame_length({0xff, 0xff, 0xff, 0xff}, kAnswerBytesMax), std::nullopt);
}

TEST(Framing, AnEmptyFrameHasNoLength) {
  EXPECT_EQ(frame_length({0, 0, 0, 0}, kAnswerBytesMax), std::nullopt);
}

TEST(Framing, AnAnswerHasRoomForAWholePage) { EXPECT_GT(kAnswerBytesMax, kLogPageBytesMax); }

}  // namespace
}  // namespace berth
