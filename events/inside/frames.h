// The frames of a channel: what the agent and the helper in a kernel say to each other over one stream.
//
//   u32 length of the payload (little-endian, at most kFrameMax) | u8 type | payload
//
// The agent begins with a request. What follows depends on it (messages.h). Standard library only:
// berth-init links it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::inside {

inline constexpr std::size_t kFrameMax = 64 << 10;  // bytes of a payload

enum class FrameType : std::uint8_t {
  // From the agent.
  kRequestPart = 1,  // the request goes on in the next frame
  kRequest = 2,      // the request, or its last part
  kIn = 3,           // bytes for stdin, or as typed
  kInEnd = 4,
  kSize = 5,  // of the terminal
  // From the helper.
  kBegun = 16,
  kOut = 17,  // bytes of stdout, or of the terminal
  kErr = 18,
  kLost = 19,        // how many bytes of the output were dropped here
  kShell = 20,       // an entry of the list of shells
  kEnded = 21,       // the last frame
  kError = 22,       // the last frame
  kApp = 23,         // an app and its state
  kConnection = 24,  // a program has connected; empty, its socket comes with it
  kLossSum = 25,     // how much ends with the kernel
  kLoss = 26,        // a file that does
};

struct Frame {
  FrameType type{};
  std::string_view payload;
};

// REQUIRES: at most kFrameMax bytes of payload.
void append_frame(std::string& out, FrameType type, std::string_view payload);

// Cuts what came over the stream into frames. It holds what is not yet a whole frame: at most one.
class FrameReader {
 public:
  void append(std::string_view bytes);
  // The next whole frame; nullopt: more bytes are needed, or broken(). Its payload lives until the next call.
  std::optional<Frame> next();
  // A frame said that it is longer than kFrameMax: nothing of this stream can be read any more.
  bool broken() const { return broken_; }

 private:
  std::string bytes_;
  std::size_t read_ = 0;  // bytes of it
  bool broken_ = false;
};

}  // namespace berth::inside
