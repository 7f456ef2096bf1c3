// ChannelStream: a KernelChannel as a stream on which Asio and Beast read and write. All of it on one strand;
// one read and one write at a time.
//
// The channel is on a thread of its own, and both are at work at once: what comes next is fetched while this
// piece is taken, and a write is done when its bytes are the channel's next, of which an error is told to the
// write that follows. So it holds a piece each way beside what the channel holds: at most kWrittenAtOnce
// written, and what a read of the channel gave.
//
// Whoever needs no more than to pass bytes on has them without a copy by read_piece() and write_piece().
#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "controller/api/api_context.h"

namespace berth::controller::api {

class ChannelStream {
 public:
  using executor_type = boost::asio::any_io_executor;
  using Done = std::function<void(boost::system::error_code, std::size_t)>;
  using PieceDone = std::function<void(boost::system::error_code, std::string)>;
  static constexpr std::size_t kWrittenAtOnce = 64u << 10;

  ChannelStream(executor_type strand, std::shared_ptr<KernelChannel> channel);
  // As close(), but nobody is told.
  ~ChannelStream();
  ChannelStream(const ChannelStream&) = delete;
  ChannelStream& operator=(const ChannelStream&) = delete;

  executor_type get_executor() const { return strand_; }

  template <class Buffers, class Handler> void async_read_some(const Buffers& buffers, Handler&& handler) {
    boost::asio::mutable_buffer into;
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         into.size() == 0 && at != boost::asio::buffer_sequence_end(buffers); ++at)
      into = *at;
    read(into, shared(std::forward<Handler>(handler)));
  }
  template <class Buffers, class Handler> void async_write_some(const Buffers& buffers, Handler&& handler) {
    std::string bytes(std::min(boost::asio::buffer_size(buffers), kWrittenAtOnce), '\0');
    boost::asio::buffer_copy(boost::asio::buffer(bytes), buffers);
    write_piece(std::move(bytes), shared(std::forward<Handler>(handler)));
  }
  // As async_read_some(): what has come, as it came, at most kReadBytesMax of the tunnel.
  void read_piece(PieceDone done);
  // As async_write_some(), and takes all of it. REQUIRES: at most kWrittenAtOnce.
  void write_piece(std::string bytes, Done done);
  // Whether something has come that nobody has read: bytes, or the end.
  bool has_some() const;
  // Ends this side's bytes alone.
  void finish();
  // Gives the channel up; what is under way is told operation_aborted.
  void close();

 private:
  struct State;
  // A Done can be copied, and Beast's handlers cannot.
  template <class Handler> static Done shared(Handler&& handler) {
    auto held = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
    return [held](boost::system::error_code error, std::size_t size) { (*held)(error, size); };
  }
  void read(boost::asio::mutable_buffer into, Done done);

  const executor_type strand_;
  const std::shared_ptr<State> state_;
};

}  // namespace berth::controller::api
