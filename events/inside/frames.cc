#include "events/inside/frames.h"

namespace berth::inside {
namespace {

constexpr std::size_t kHead = 5;              // bytes before the payload
constexpr std::size_t kKeptWhenEmpty = 4096;  // bytes: an idle channel is cheap

std::uint32_t length_at(std::string_view bytes) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < 4; ++i)
    length |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return length;
}

}  // namespace

void append_frame(std::string& out, FrameType type, std::string_view payload) {
  for (std::size_t i = 0; i < 4; ++i) out += static_cast<char>(payload.size() >> (8 * i) & 0xFF);
  out += static_cast<char>(type);
  out += payload;
}

void FrameReader::append(std::string_view bytes) {
  bytes_.erase(0, read_);
  read_ = 0;
  bytes_ += bytes;
}

std::optional<Frame> FrameReader::next() {
  if (read_ == bytes_.size() && bytes_.capacity() > kKeptWhenEmpty) {
    bytes_ = {};
    read_ = 0;
  }
  const std::string_view rest = std::string_view(bytes_).substr(read_);
  if (broken_ || rest.size() < kHead) return std::nullopt;
  const std::size_t length = length_at(rest);
  broken_ = length > kFrameMax;
  if (broken_ || rest.size() < kHead + length) return std::nullopt;
  read_ += kHead + length;
  return Frame{static_cast<FrameType>(rest[4]), rest.substr(kHead, length)};
}

}  // namespace berth::inside
