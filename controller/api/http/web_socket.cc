#include "controller/api/http/web_socket.h"

#include <algorithm>
#include <array>
#include <boost/asio/compose.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/websocket.hpp>
#include <optional>
#include <utility>

namespace berth::controller::api {

// How Beast ends a connection that has said all: as one without TLS. Nothing is lost by that, for both sides
// have said that it ends, or the client broke the rules. Beast's own way waits for the client without end.
template <class Handler>
void async_teardown(boost::beast::role_type /*role*/, MaybeTlsStream& stream, Handler&& handler) {
  constexpr std::chrono::seconds kPatience{5};
  MaybeTlsStream::Tcp& tcp = stream.tcp();
  boost::system::error_code ignored;
  tcp.socket().shutdown(boost::asio::socket_base::shutdown_send, ignored);
  tcp.expires_after(kPatience);
  const auto until_closed = [&tcp, dropped = std::make_shared<std::array<char, 4096>>()](
                                auto& self, boost::system::error_code error = {}, std::size_t = 0) {
    if (error) return self.complete(error == boost::asio::error::eof ? boost::system::error_code() : error);
    tcp.async_read_some(boost::asio::buffer(*dropped), std::move(self));
  };
  boost::asio::async_compose<Handler, void(boost::system::error_code)>(until_closed, handler, tcp);
}
inline void beast_close_socket(MaybeTlsStream& stream) { stream.tcp().close(); }

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;
using std::chrono::steady_clock;

constexpr std::size_t kKeptWhenIdle = 4096;  // bytes: an idle stream is cheap

// All of it on the connection's strand. Its operations hold it until done(); the relay does not.
class WebSocket : public std::enable_shared_from_this<WebSocket> {
 public:
  WebSocket(const WebSocketPlace& place, std::shared_ptr<MessageRelay> relay, const WebSocketOptions& options)
      : owner_(place.owner),
        stream_(place.stream),
        web_socket_(stream_),
        relay_(std::move(relay)),
        options_(options),
        ping_(place.stream.get_executor()),
        patience_(place.stream.get_executor()) {}

  void accept(const ClientRequest& request, HttpReply reply);

 private:
  using Messages = websocket::stream<ClientStream&, false>;  // without compression, which bombs could use

  void begin();
  void read();
  void took(std::size_t size);
  void next();
  void write(std::shared_ptr<MessageRelay::Batch> batch, std::size_t at);
  void say_goodbye(std::uint16_t code);
  void watch();
  void look();
  void relay_is_over();
  void done();
  // `step` with this, as a task of the strand; from any thread, and not when this is gone.
  template <class Step> auto later(Step step);

  const std::shared_ptr<void> owner_;
  ClientStream& stream_;
  Messages web_socket_;
  std::shared_ptr<MessageRelay> relay_;  // null when done
  const WebSocketOptions options_;
  asio::steady_timer ping_;
  asio::steady_timer patience_;  // with the client, while something is being written
  beast::flat_buffer in_{MessageRelay::kMessageBytesMax};
  steady_clock::time_point heard_;  // when something of the client came last
  bool reading_ = false;            // else it may not be heard
  bool writing_ = false;
  bool pinging_ = false;
  bool over_ = false;  // the relay is: patience_ is for the rest
};

template <class Step> auto WebSocket::later(Step step) {
  return [weak = weak_from_this(), step](auto... values) {
    const auto self = weak.lock();
    if (!self) return;
    asio::post(self->web_socket_.get_executor(),
               [self, step, ... values = std::make_shared<decltype(values)>(std::move(values))] {
                 if (self->relay_) step(*self, std::move(*values)...);
               });
  };
}

void WebSocket::accept(const ClientRequest& request, HttpReply reply) {
  web_socket_.set_option(
      websocket::stream_base::timeout{options_.handshake, websocket::stream_base::none(), false});
  web_socket_.set_option(websocket::stream_base::decorator(
      [headers = std::move(reply.headers)](websocket::response_type& response) {
        response.set(beast::http::field::server, "berth");
        for (const auto& [name, value] : headers) response.set(name, value);
      }));
  web_socket_.read_message_max(MessageRelay::kMessageBytesMax);
  web_socket_.auto_fragment(false);  // a message is a frame, written without a copy
  web_socket_.control_callback(
      [this](websocket::frame_type, beast::string_view) { heard_ = steady_clock::now(); });
  web_socket_.async_accept(request, [self = shared_from_this()](error_code error) {
    if (error) return self->done();
    self->begin();
  });
}

void WebSocket::begin() {
  heard_ = steady_clock::now();
  relay_->when_over(later([](WebSocket& self) { self.relay_is_over(); }));
  read();
  next();
  watch();
}

// ---- from the client ----

void WebSocket::read() {
  reading_ = true;
  heard_ = steady_clock::now();
  web_socket_.async_read(in_, [self = shared_from_this()](error_code error, std::size_t size) {
    self->reading_ = false;
    // A client that broke a rule was told so by a close.
    if (error) return self->done();
    self->took(size);
  });
}

void WebSocket::took(std::size_t size) {
  if (!relay_) return;
  Message message{web_socket_.got_text(), beast::buffers_to_string(in_.data())};
  in_.consume(size);
  if (in_.capacity() > kKeptWhenIdle) in_.shrink_to_fit();
  relay_->take(std::move(message), later([](WebSocket& self) { self.read(); }));
}

// ---- to the client ----

void WebSocket::next() {
  relay_->next(later([](WebSocket& self, MessageRelay::Batch batch) {
    self.write(std::make_shared<MessageRelay::Batch>(std::move(batch)), 0);
  }));
}

void WebSocket::write(std::shared_ptr<MessageRelay::Batch> batch, std::size_t at) {
  if (!relay_) return;
  if (at == batch->messages.size()) {
    writing_ = false;
    if (batch->close) return say_goodbye(*batch->close);
    return next();
  }
  writing_ = true;
  if (!over_) {
    patience_.expires_after(options_.stall);
    patience_.async_wait(  // holds nothing: what is written holds this
        [weak = weak_from_this()](error_code cancelled) {
          const auto self = weak.lock();
          if (!cancelled && self && self->relay_ && !self->over_) self->relay_->stalled();
        });
  }
  const Message& message = batch->messages[at];
  web_socket_.text(message.text);
  web_socket_.async_write(asio::buffer(message.bytes),
                          [self = shared_from_this(), batch, at](error_code error, std::size_t) {
                            if (error) return self->done();
                            if (!self->over_) self->patience_.cancel();
                            self->write(batch, at + 1);
                          });
}

void WebSocket::say_goodbye(std::uint16_t code) {
  web_socket_.async_close(websocket::close_reason(code),
                          [self = shared_from_this()](error_code) { self->done(); });
}

// The rest is said, if the client takes it.
void WebSocket::relay_is_over() {
  over_ = true;
  patience_.expires_after(options_.linger);
  patience_.async_wait([weak = weak_from_this()](error_code cancelled) {
    const auto self = weak.lock();
    if (!cancelled && self) self->done();
  });
}

// ---- whether the client is there ----

void WebSocket::watch() {
  ping_.expires_after(std::min<steady_clock::duration>(
      options_.ping, std::max<steady_clock::duration>(heard_ + options_.silence - steady_clock::now(),
                                                      std::chrono::milliseconds(1))));
  // This wait goes on until done(), and holds this while nothing is read or written.
  ping_.async_wait([self = shared_from_this()](error_code cancelled) {
    if (!cancelled && self->relay_) self->look();
  });
}

void WebSocket::look() {
  const auto now = steady_clock::now();
  // What is not read is not heard; and who takes nothing is not asked: that is the relay's to judge.
  if (!reading_ || writing_) heard_ = now;
  if (heard_ + options_.silence <= now) return done();
  if (!std::exchange(pinging_, true))
    web_socket_.async_ping({}, [self = shared_from_this()](error_code error) {
      self->pinging_ = false;
      if (error) self->done();
    });
  watch();
}

void WebSocket::done() {
  if (!relay_) return;
  relay_ = nullptr;
  ping_.cancel();
  patience_.cancel();
  error_code ignored;
  stream_.tcp().socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  stream_.tcp().close();
}

}  // namespace

void serve_web_socket(const WebSocketPlace& place, const ClientRequest& request, HttpReply reply,
                      const WebSocketOptions& options) {
  auto relay = std::move(reply.relay);
  std::make_shared<WebSocket>(place, std::move(relay), options)->accept(request, std::move(reply));
}

}  // namespace berth::controller::api
