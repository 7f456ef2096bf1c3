// MaybeTlsStream: a TCP stream with or without TLS on it, as one type, so that what reads and writes HTTP is
// compiled once. For the composed operations of Asio and Beast; one read and one write at a time, on one
// strand.
//
// TLS, timeouts and the socket below the stream see one type of handler (StreamHandler) and one type of
// buffers (FirstBuffers), so that maybe_tls_stream.cc alone compiles them. Compiled for each handler of each
// user, they took half of the users' time to compile.
#pragma once

#include <algorithm>
#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace berth::controller::api {

// The handler of one read or write, of whatever type, on its own executor. Called once at most.
class StreamHandler {
 public:
  using executor_type = boost::asio::any_io_executor;

  template <class Handler>
  StreamHandler(Handler&& handler, const executor_type& usual)
      : executor_(boost::asio::get_associated_executor(handler, usual)),
        held_(std::make_unique<Held<std::decay_t<Handler>>>(std::forward<Handler>(handler))) {}

  executor_type get_executor() const noexcept { return executor_; }
  void operator()(boost::system::error_code error, std::size_t size) {
    AnyHeld* const held = held_.release();
    held->call_and_free(error, size);
  }

 private:
  struct AnyHeld {
    virtual ~AnyHeld() = default;
    virtual void call_and_free(boost::system::error_code error, std::size_t size) = 0;
  };
  template <class Handler> struct Held final : AnyHeld {
    template <class From> explicit Held(From&& from) : handler(std::forward<From>(from)) {}
    // Its memory is free before the handler goes on, which may begin the next operation.
    void call_and_free(boost::system::error_code error, std::size_t size) override {
      Handler own(std::move(handler));
      delete this;
      std::move(own)(error, size);
    }
    Handler handler;
  };

  executor_type executor_;
  std::unique_ptr<AnyHeld> held_;
};

// The first buffers of a sequence: an operation on some of the bytes may leave the rest to the next.
template <class Buffer> class FirstBuffers {
 public:
  using value_type = Buffer;
  using const_iterator = const Buffer*;

  template <class Buffers> explicit FirstBuffers(const Buffers& all) {
    const auto end = boost::asio::buffer_sequence_end(all);
    for (auto at = boost::asio::buffer_sequence_begin(all); at != end && count_ < first_.size(); ++at)
      if (const Buffer buffer(*at); buffer.size() > 0) first_[count_++] = buffer;
  }
  const_iterator begin() const { return first_.data(); }
  const_iterator end() const { return first_.data() + count_; }

 private:
  std::array<Buffer, 8> first_;
  std::size_t count_ = 0;
};

class MaybeTlsStream {
 public:
  using Tcp = boost::beast::tcp_stream;
  using executor_type = Tcp::executor_type;
  using Tls = boost::asio::ssl::stream<Tcp&>;

  // `tls`: null for none; outlives the stream.
  MaybeTlsStream(Tcp tcp, boost::asio::ssl::context* tls);
  ~MaybeTlsStream();
  MaybeTlsStream(const MaybeTlsStream&) = delete;
  MaybeTlsStream& operator=(const MaybeTlsStream&) = delete;

  executor_type get_executor() { return tcp_.get_executor(); }
  Tcp& tcp() { return tcp_; }
  Tls* tls() { return tls_ ? &*tls_ : nullptr; }
  // REQUIRES: no handshake has begun.
  void leave_tls() { tls_.reset(); }

  template <class Buffers, class Handler> void async_read_some(const Buffers& buffers, Handler&& handler) {
    read(FirstBuffers<boost::asio::mutable_buffer>(buffers),
         StreamHandler(std::forward<Handler>(handler), get_executor()));
  }
  template <class Buffers, class Handler> void async_write_some(const Buffers& buffers, Handler&& handler) {
    write(FirstBuffers<boost::asio::const_buffer>(buffers),
          StreamHandler(std::forward<Handler>(handler), get_executor()));
  }

 private:
  void read(const FirstBuffers<boost::asio::mutable_buffer>& buffers, StreamHandler handler);
  void write(const FirstBuffers<boost::asio::const_buffer>& buffers, StreamHandler handler);

  Tcp tcp_;
  std::optional<Tls> tls_;
};

}  // namespace berth::controller::api
