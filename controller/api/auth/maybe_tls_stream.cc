#include "controller/api/auth/maybe_tls_stream.h"

namespace berth::controller::api {

MaybeTlsStream::MaybeTlsStream(Tcp tcp, boost::asio::ssl::context* tls) : tcp_(std::move(tcp)) {
  if (tls != nullptr) tls_.emplace(tcp_, *tls);
}

MaybeTlsStream::~MaybeTlsStream() = default;

void MaybeTlsStream::read(const FirstBuffers<boost::asio::mutable_buffer>& buffers, StreamHandler handler) {
  if (tls_)
    tls_->async_read_some(buffers, std::move(handler));
  else
    tcp_.async_read_some(buffers, std::move(handler));
}

void MaybeTlsStream::write(const FirstBuffers<boost::asio::const_buffer>& buffers, StreamHandler handler) {
  if (tls_)
    tls_->async_write_some(buffers, std::move(handler));
  else
    tcp_.async_write_some(buffers, std::move(handler));
}

}  // namespace berth::controller::api
