// An AppConnection after the app's answer 101: bytes both ways.
#include <boost/asio/write.hpp>

#include <algorithm>

#include "controller/api/http/app_connection.h"
#include "controller/api/http/app_fields.h"

namespace berth::controller::api {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

void AppConnection::switch_protocols() {
  answer_begun_ = true;
  count(101);
  if (!request_done_) return close();
  answer_out_.reset();
  answer_ = {};
  answer_.version(11);
  answer_.result(http::status::switching_protocols);
  fill(answer_, fields_from_app(fields_of(answer_parser_->get())));
  answer_.set(http::field::connection, "Upgrade");
  answer_.set(http::field::upgrade, value_of(answer_parser_->get(), http::field::upgrade));
  answer_.body().data = nullptr;
  answer_.body().more = false;
  answer_out_.emplace(answer_);
  http::async_write_header(client_.stream, *answer_out_, on([](auto& self, ErrorCode error, std::size_t) {
                             if (error) return self.close();
                             const auto take = [](beast::flat_buffer& buffer, Piece& piece) {
                               const std::size_t size = buffer.size();
                               asio::buffer_copy(asio::buffer(piece.bytes.get(), size), buffer.data());
                               buffer.consume(size);
                               return size;
                             };
                             self.up_.make(std::max(kPiece, self.client_.buffer.size()));
                             self.down_.make(std::max(kPiece, self.app_buffer_.size()));
                             self.pump_to_app(take(self.client_.buffer, self.up_));
                             self.pump_to_client(take(self.app_buffer_, self.down_));
                           }));
}

// Writes what was read, then reads what comes next.
void AppConnection::pump_to_app(std::size_t size) {
  const auto read = [](AppConnection& self) {
    self.client_.stream.async_read_some(asio::buffer(self.up_.bytes.get(), self.up_.size),
                                        self.on([](auto& me, ErrorCode error, std::size_t came) {
                                          me.used_at_ = me.services_.context.now();
                                          if (!error) return me.pump_to_app(came);
                                          if (error != asio::error::eof) return me.close();
                                          me.app_->finish();
                                          me.side_over(me.to_app_over_);
                                        }));
  };
  if (size == 0) return read(*this);
  asio::async_write(*app_, asio::buffer(up_.bytes.get(), size),
                    on([read](auto& self, ErrorCode error, std::size_t) {
                      if (error) return self.close();
                      read(self);
                    }));
}

void AppConnection::pump_to_client(std::size_t size) {
  const auto read = [](AppConnection& self) {
    self.app_->async_read_some(asio::buffer(self.down_.bytes.get(), self.down_.size),
                               self.on([](auto& me, ErrorCode error, std::size_t came) {
                                 if (!error) return me.pump_to_client(came);
                                 // TLS has no half of an end.
                                 if (error != asio::error::eof || me.client_.stream.tls()) return me.close();
                                 ErrorCode ignored;
                                 me.client_.stream.tcp().socket().shutdown(tcp::socket::shutdown_send,
                                                                           ignored);
                                 me.side_over(me.to_client_over_);
                               }));
  };
  if (size == 0) return read(*this);
  asio::async_write(client_.stream, asio::buffer(down_.bytes.get(), size),
                    on([read](auto& self, ErrorCode error, std::size_t) {
                      if (error) return self.close();
                      read(self);
                    }));
}

void AppConnection::side_over(bool& side) {
  side = true;
  if (to_app_over_ && to_client_over_) close();
}

}  // namespace berth::controller::api
