// MaybeTlsStream: a TCP stream with or without TLS on it, as one type, so that what reads and writes HTTP is
// compiled once. For the composed operations of Asio and Beast; one read and one write at a time, on one
// strand.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <optional>
#include <utility>

namespace berth::controller::api {

template <class Tcp> class MaybeTlsStream {
 public:
  using executor_type = typename Tcp::executor_type;
  using Tls = boost::asio::ssl::stream<Tcp&>;

  // `tls`: null for none; outlives the stream.
  MaybeTlsStream(Tcp tcp, boost::asio::ssl::context* tls) : tcp_(std::move(tcp)) {
    if (tls != nullptr) tls_.emplace(tcp_, *tls);
  }
  MaybeTlsStream(const MaybeTlsStream&) = delete;
  MaybeTlsStream& operator=(const MaybeTlsStream&) = delete;

  executor_type get_executor() { return tcp_.get_executor(); }
  Tcp& tcp() { return tcp_; }
  Tls* tls() { return tls_ ? &*tls_ : nullptr; }
  // REQUIRES: no handshake has begun.
  void leave_tls() { tls_.reset(); }

  template <class Buffers, class Handler> void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_)
      tls_->async_read_some(buffers, std::forward<Handler>(handler));
    else
      tcp_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler> void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_)
      tls_->async_write_some(buffers, std::forward<Handler>(handler));
    else
      tcp_.async_write_some(buffers, std::forward<Handler>(handler));
  }

 private:
  Tcp tcp_;
  std::optional<Tls> tls_;
};

}  // namespace berth::controller::api
