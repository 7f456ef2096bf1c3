#include "agents/init/viewer.h"

#include "events/inside/messages.h"

namespace berth::init {
namespace {

constexpr std::size_t kPiece = 16 << 10;  // bytes of output in a frame

}  // namespace

bool Viewer::show() {
  while (!client_.full()) {
    if (shown_ < output_.begin()) {
      client_.send(FrameType::kLost, inside::encode_lost(output_.begin() - shown_));
      shown_ = output_.begin();
    }
    const std::string_view piece = output_.from(shown_).substr(0, kPiece);
    if (piece.empty()) break;
    client_.send(FrameType::kOut, piece);
    shown_ += piece.size();
  }
  return shown_ == output_.end();
}

}  // namespace berth::init
