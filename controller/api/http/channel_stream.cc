#include "controller/api/http/channel_stream.h"

#include <algorithm>
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
  asio::mutable_buffer into;
  Done reading, writing;

  std::size_t take() {
    const std::size_t size = std::min(into.size(), came.size() - at);
    std::memcpy(into.data(), came.data() + at, size);
    at += size;
    if (at == came.size()) came = {}, at = 0;
    return size;
  }
  void read_done(const Result<std::string>& bytes) {
    if (!channel || !reading) return;
    error_code error;
    std::size_t size = 0;
    if (!bytes.ok()) {
      error = asio::error::connection_reset;
    } else if (bytes->empty()) {
      error = asio::error::eof;
    } else {
      came = *bytes;
      size = take();
    }
    std::exchange(reading, nullptr)(error, size);
  }
  void write_done(bool written, std::size_t size) {
    if (!channel || !writing) return;
    std::exchange(writing, nullptr)(written ? error_code() : error_code(asio::error::connection_reset),
                                    written ? size : 0);
  }
  void drop() {
    channel = nullptr;
    came = {};
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
    return asio::post(strand_, [done = std::move(done), closed = !state.channel] {
      done(closed ? error_code(asio::error::operation_aborted) : error_code(), 0);
    });
  state.into = into;
  if (!state.came.empty()) {
    const std::size_t size = state.take();
    return asio::post(strand_, [done = std::move(done), size] { done({}, size); });
  }
  state.reading = std::move(done);
  state.channel->read([weak = state.weak_from_this()](Result<std::string> bytes) {
    const auto alive = weak.lock();
    if (!alive) return;
    const executor_type strand = alive->strand;
    asio::post(strand, [weak, bytes = std::move(bytes)] {
      if (const auto self = weak.lock()) self->read_done(bytes);
    });
  });
}

void ChannelStream::write(std::string bytes, Done done) {
  State& state = *state_;
  if (!state.channel || bytes.empty())
    return asio::post(strand_, [done = std::move(done), closed = !state.channel] {
      done(closed ? error_code(asio::error::operation_aborted) : error_code(), 0);
    });
  state.writing = std::move(done);
  const std::size_t size = bytes.size();
  state.channel->write(std::move(bytes), [weak = state.weak_from_this(), size](const Result<void>& written) {
    const auto alive = weak.lock();
    if (!alive) return;
    const executor_type strand = alive->strand;
    asio::post(strand, [weak, size, good = written.ok()] {
      if (const auto self = weak.lock()) self->write_done(good, size);
    });
  });
}

void ChannelStream::finish() {
  if (state_->channel) state_->channel->finish();
}

void ChannelStream::close() {
  state_->drop();
  for (Done* under_way : {&state_->reading, &state_->writing})
    if (*under_way)
      asio::post(strand_,
                 [done = std::exchange(*under_way, nullptr)] { done(asio::error::operation_aborted, 0); });
}

}  // namespace berth::controller::api
