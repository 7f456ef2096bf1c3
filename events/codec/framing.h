// Frames between API servers and agents' services (events/schema/v1/service.proto): a length of 4 bytes,
// little-endian, then that many bytes. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace berth {

using FrameHeader = std::array<unsigned char, 4>;

inline constexpr std::uint32_t kQuestionBytesMax = 4096;
inline constexpr std::uint32_t kLogPageBytesMax = 1u << 20;  // of a kernel's output, in one answer
inline constexpr std::uint32_t kAnswerBytesMax = kLogPageBytesMax + (64u << 10);

// REQUIRES: the payload is not empty and shorter than 4 GiB.
inline std::string frame_of(std::string_view payload) {
  std::string frame;
  frame.reserve(payload.size() + std::tuple_size_v<FrameHeader>);
  for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>(payload.size() >> shift);
  return frame.append(payload);
}

// The payload's length; nullopt if the payload is empty or longer than `bytes_max`.
inline std::optional<std::uint32_t> frame_length(const FrameHeader& header, std::uint32_t bytes_max) {
  std::uint32_t length = 0;
  for (int i = 0; i < 4; ++i) length |= std::uint32_t{header[i]} << (8 * i);
  if (length == 0 || length > bytes_max) return std::nullopt;
  return length;
}

}  // namespace berth
