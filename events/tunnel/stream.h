// Stream: one exchange through the tunnel, the same at both ends. A body goes each way, and each way ends by
// itself (finish, half-close); reset() ends both at once.
//
// A user that does not read keeps the other side from writing, in this stream alone: bytes that were read
// open the other side's window when the next read() asks for more, so that at most kBufferedBytesMax lie
// here.
//
// Thread-safe. Handlers are called once each, one at a time, on a thread of the io_context, and never within
// a call of this class; after stop() of the server or client not at all. When the connection ends, or either
// side resets, every handler is given the error; a reader first what the other side had said before its own
// reset, and else what has come and was not read is dropped. When the last handle goes the stream is reset;
// after finish() as soon as all that was written has left.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "events/base/result.h"
#include "events/tunnel/messages.h"

namespace berth::tunnel {

class StreamState;

class Stream {
 public:
  using Read = std::function<void(Result<std::string>)>;
  using Done = std::function<void(Result<void>)>;
  using Answered = std::function<void(Result<Answer>)>;

  explicit Stream(std::shared_ptr<StreamState> state);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // The next bytes of the other side's body, what has come of them, at most kReadBytesMax; none: it has
  // ended. One read at a time. Codes: tunnel-*, stream-reset, too-much-at-once.
  void read(Read done);
  // `done` when the bytes are on their way. At most kBufferedBytesMax bytes, and one write at a time.
  // Codes: as read(), body-ended.
  void write(std::string bytes, Done done);
  // This side's body ends after what was written.
  void finish();
  // Gives the stream up; the other side is told `code` in the error's message.
  void reset(std::uint32_t code = kCancelled);
  // `done` when both ways have ended, or with the error that ended them. At most once.
  void when_over(Done done);
  // Of the server, once; what it writes before waits for it. An answer that check() refuses resets the
  // stream.
  void answer(Answer answer);

  static constexpr std::uint32_t kCancelled = 8;  // HTTP/2's CANCEL

 private:
  std::shared_ptr<StreamState> state_;
};

}  // namespace berth::tunnel
