#include "ops/cli/session/local_output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace berth::cli {
namespace {

// What a pipe that is ready takes at once, though it blocks (PIPE_BUF).
constexpr std::size_t kTakenAtOnce = 4096;

bool is_ready(int descriptor, int patience_ms) {
  pollfd polled{descriptor, POLLOUT, 0};
  return ::poll(&polled, 1, patience_ms) > 0;
}

}  // namespace

void LocalOutput::add(int descriptor, std::string bytes) {
  if (bytes.empty() || reader_gone_ || error_) return;
  size_ += bytes.size();
  pieces_.push_back({descriptor, std::move(bytes)});
}

void LocalOutput::write() {
  while (!pieces_.empty() && is_ready(descriptor(), 0) && write_some(pieces_.front())) {}
}

void LocalOutput::finish() {
  while (!pieces_.empty()) {
    is_ready(descriptor(), -1);
    write_some(pieces_.front());
  }
}

// False: it took nothing.
bool LocalOutput::write_some(Piece& piece) {
  const std::size_t left = std::min(piece.bytes.size() - piece.written, kTakenAtOnce);
  const ssize_t wrote = ::write(piece.descriptor, piece.bytes.data() + piece.written, left);
  if (wrote < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (wrote < 0) {
    fail(piece.descriptor, errno);
    return true;
  }
  piece.written += static_cast<std::size_t>(wrote);
  size_ -= static_cast<std::size_t>(wrote);
  if (piece.written == piece.bytes.size()) pieces_.pop_front();
  return true;
}

void LocalOutput::fail(int descriptor, int why) {
  if (descriptor == out_) {
    reader_gone_ = why == EPIPE;
    if (!reader_gone_)
      error_ =
          make_error("output-failed", std::string("the output cannot be written: ") + std::strerror(why));
    pieces_.clear();
    size_ = 0;
    return;
  }
  size_ -= pieces_.front().bytes.size() - pieces_.front().written;
  pieces_.pop_front();
}

}  // namespace berth::cli
