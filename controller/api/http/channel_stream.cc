#include "controller/api/http/channel_stream.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/defer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <cstring>

namespace berth::controller::api {

namespace asio = boost::asio;
using boost::system::error_code;

// What the channel's handlers hold weakly: it may outlive the stream, and its handlers come on its thread.
struct ChannelStream::State : std::enable_shared_from_this<State> {
  executor_type strand;
  std::shared_ptr<KernelChannel> channel;  // null: closed
  std::string came;                        // not taken yet, from `at` on
  std::size_t at = 0;
  error_code ended;    // what is read when all that came is taken
  bool asked = false;  // the channel, for more
  asio::mutable_buffer into;
  Done reading;
  PieceDone reading_piece;  // instead

  // Of what the channel has not said of that it is on its way. It says so on its thread, and the strand is
  // told only where something waits for it.
  enum Sending : int { kNothing, kSome, kSomeAwaited };
  std::atomic<int> sending = kNothing;
  std::string queued;      // written behind that
  bool finishing = false;  // behind `queued`
  error_code lost;         // what the next write is told
  Done writing;            // of `queued`

  bool has_some() const { return !came.empty() || ended; }

  // The channel is asked for more as soon as the last of what came is taken: it fetches that while the taker
  // is at work with this.
  std::size_t take() {
    const std::size_t size = std::min(into.size(), came.size() - at);
    std::memcpy(into.data(), came.data() + at, size);
    at += size;
    if (at == came.size()) {
      came = {};
      at = 0;
      ask();
    }
    return size;
  }

  void ask() {
    if (asked || ended || !channel) return;
    asked = true;
    channel->read([weak = weak_from_this()](Result<std::string> bytes) {
      const auto alive = weak.lock();
      if (!alive) return;
      const executor_type on = alive->strand;
      asio::defer(on, [weak, bytes = std::move(bytes)]() mutable {
        if (const auto self = weak.lock()) self->arrived(std::move(bytes));
      });
    });
  }

  void arrived(Result<std::string> bytes) {
    if (!channel) return;
    asked = false;
    if (!bytes.ok())
      ended = asio::error::connection_reset;
    else if (bytes->empty())
      ended = asio::error::eof;
    else
      came = *std::move(bytes);
    give();
  }

  void give() {
    if (reading_piece) return give_piece();
    if (!reading) return;
    const std::size_t size = came.empty() ? 0 : take();
    std::exchange(reading, nullptr)(size > 0 ? error_code() : ended, size);
  }

  void give_piece() {
    std::string piece = at == 0 ? std::exchange(came, {}) : came.substr(at);
    came = {};
    at = 0;
    const error_code error = piece.empty() ? ended : error_code();
    ask();
    std::exchange(reading_piece, nullptr)(error, std::move(piece));
  }

  void send(std::string bytes) {
    sending = kSome;
    channel->write(std::move(bytes), [weak = weak_from_this()](const Result<void>& written) {
      const auto alive = weak.lock();
      int some = kSome;
      if (!alive || (written.ok() && alive->sending.compare_exchange_strong(some, kNothing))) return;
      const executor_type on = alive->strand;
      asio::defer(on, [weak, good = written.ok()] {
        if (const auto self = weak.lock()) self->sent(good);
      });
    });
  }

  // Whether sent() will be called.
  bool awaits_channel() {
    int now = kSome;
    return sending.compare_exchange_strong(now, kSomeAwaited) || now == kSomeAwaited;
  }

  void sent(bool good) {
    if (!channel) return;
    sending = kNothing;
    if (!good) lost = asio::error::connection_reset;
    const std::size_t size = queued.size();
    if (size > 0 && good) send(std::exchange(queued, {}));
    if (writing) std::exchange(writing, nullptr)(lost, good ? size : 0);
    if (channel && finishing && !awaits_channel()) channel->finish();
  }

  void drop() {
    channel = nullptr;
    came = queued = {};
    at = 0;
  }
};

ChannelStream::ChannelStream(executor_type strand, std::shared_ptr<KernelChannel> channel)
    : strand_(strand), state_(std::make_shared<State>()) {
  state_->strand = std::move(strand);
  state_->channel = std::move(channel);
}

ChannelStream::~ChannelStream() { state_->drop(); }

void ChannelStream::read(asio::mutable_buffer into, Done done) {
  State& state = *state_;
  if (!state.channel || into.size() == 0)
    return asio::defer(strand_, [done = std::move(done), closed = !state.channel] {
      done(closed ? error_code(asio::error::operation_aborted) : error_code(), 0);
    });
  state.into = into;
  state.reading = std::move(done);
  if (!state.has_some()) return state.ask();
  asio::defer(strand_, [weak = std::weak_ptr(state_)] {
    const auto self = weak.lock();
    if (self && self->channel) self->give();
  });
}

void ChannelStream::read_piece(PieceDone done) {
  State& state = *state_;
  if (!state.channel)
    return asio::defer(strand_, [done = std::move(done)] { done(asio::error::operation_aborted, {}); });
  state.reading_piece = std::move(done);
  if (!state.has_some()) return state.ask();
  asio::defer(strand_, [weak = std::weak_ptr(state_)] {
    const auto self = weak.lock();
    if (self && self->channel) self->give();
  });
}

void ChannelStream::write_piece(std::string bytes, Done done) {
  State& state = *state_;
  if (!state.channel || bytes.empty() || state.lost || !state.awaits_channel()) {
    error_code error = state.lost;
    if (!state.channel) error = asio::error::operation_aborted;
    const std::size_t size = error ? 0 : bytes.size();
    if (size > 0) state.send(std::move(bytes));
    return asio::defer(strand_, [done = std::move(done), error, size] { done(error, size); });
  }
  state.queued = std::move(bytes);
  state.writing = std::move(done);
}

bool ChannelStream::has_some() const { return state_->has_some(); }

void ChannelStream::finish() {
  State& state = *state_;
  state.finishing = true;
  if (state.channel && !state.awaits_channel()) state.channel->finish();
}

void ChannelStream::close() {
  state_->drop();
  for (Done* under_way : {&state_->reading, &state_->writing})
    if (*under_way)
      asio::defer(strand_,
                  [done = std::exchange(*under_way, nullptr)] { done(asio::error::operation_aborted, 0); });
  if (state_->reading_piece)
    asio::defer(strand_, [done = std::exchange(state_->reading_piece, nullptr)] {
      done(asio::error::operation_aborted, {});
    });
}

}  // namespace berth::controller::api
