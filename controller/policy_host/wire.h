// What goes through the pipes between a controller and berth-policy-host: frames of a length and flat values,
// both ends on one machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace berth::controller::policy {

inline constexpr std::uint32_t kFrameMax = 64u << 20;

// Status of a frame from the host.
enum class Answer : std::uint32_t { kReady = 1, kScores = 2, kFailed = 3 };

class Packer {
 public:
  template <class T> void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  // The frame: its length, then what was packed.
  std::string take() {
    const auto size = static_cast<std::uint32_t>(bytes_.size());
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) + bytes_;
  }

 private:
  std::string bytes_;
};

// Reads what Packer packed; beyond its end everything is 0 and ok() false.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  template <class T> T number() {
    T value{};
    if (!has(sizeof value)) return value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string_view text() {
    const auto size = number<std::uint32_t>();
    if (!has(size)) return {};
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  bool ok() const { return ok_; }

 private:
  bool has(std::size_t size) { return ok_ = ok_ && bytes_.size() - at_ >= size; }
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace berth::controller::policy
