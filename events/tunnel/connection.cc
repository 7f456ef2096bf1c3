#include "events/tunnel/connection.h"

#include <boost/asio/write.hpp>

namespace berth::tunnel {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kWriteBytes = 64u << 10;

std::string in_ms(Duration duration) { return std::to_string(duration / kMillisecond) + " ms"; }

}  // namespace

Connection::Connection(Socket socket, ConnectionParts parts)
    : stream_(std::move(socket), parts.tls->context()),
      parts_(std::move(parts)),
      timer_(stream_.get_executor()) {}

Connection::~Connection() {
  if (session_ && !over_) --parts_.common->totals.connections;
}

Error Connection::lost(const std::string& why) const {
  return make_error(kLost, "the connection with " + parts_.peer + " is lost: " + why,
                    "is it running? `berth agent ls` shows agents' states");
}

void Connection::connect(const asio::ip::tcp::endpoint& to) {
  set_deadline();
  stream_.lowest_layer().async_connect(to, [self = shared_from_this()](const error_code& error) {
    if (self->over_) return;
    if (error) return self->end(self->lost(error.message()));
    self->handshake();
  });
}

void Connection::accept() {
  set_deadline();
  handshake();
}

void Connection::set_deadline() {
  const Duration limit = parts_.limits.handshake_max;
  timer_.expires_after(std::chrono::nanoseconds(limit));
  timer_.async_wait([weak = weak_from_this(), limit](const error_code& cancelled) {
    const auto self = weak.lock();
    if (!self || cancelled || self->over_ || self->session_) return;
    self->end(make_error(kTimeout,
                         self->parts_.peer + " has not connected and proved its key within " + in_ms(limit),
                         "is it stopped, or its machine overloaded?"));
  });
}

void Connection::handshake() {
  error_code ignored;
  stream_.lowest_layer().set_option(asio::ip::tcp::no_delay(true), ignored);
  const bool client = parts_.tls->role() == Role::kClient;
  stream_.async_handshake(
      client ? asio::ssl::stream_base::client : asio::ssl::stream_base::server,
      [self = shared_from_this()](const error_code& error) {
        if (self->over_) return;
        const bool by_tls = error.category() == asio::error::get_ssl_category();
        if (error && !by_tls) return self->end(self->lost(error.message()));
        if (!error && Tls::proved(self->stream_.native_handle())) return self->begin();
        ++self->parts_.common->totals.refused;
        self->end(make_error(kRefused,
                             self->parts_.peer + " has not proved the agent's key: " + error.message(),
                             "is its key of an older enrolment, or of another cluster?"));
      });
}

void Connection::begin() {
  SessionHooks hooks;
  hooks.make = [this] { return std::make_shared<StreamState>(stream_.get_executor(), parts_.common); };
  hooks.asked = [this](Question question, const std::shared_ptr<StreamState>& stream) {
    parts_.asked(std::move(question), stream);
  };
  hooks.wake = [this] { flush(); };
  session_.emplace(parts_.tls->role(), parts_.limits, std::move(hooks));
  ++parts_.common->totals.connections;
  heard_ = busy_ = std::chrono::steady_clock::now();
  watch();
  parts_.up();
  read();
  flush();
}

void Connection::read() {
  if (over_) return;
  stream_.async_read_some(asio::buffer(in_),
                          [self = shared_from_this()](const error_code& error, std::size_t size) {
                            if (self->over_) return;
                            if (error) return self->end(self->lost(error.message()));
                            self->heard_ = std::chrono::steady_clock::now();
                            if (!self->session_->receive({self->in_.data(), size})) {
                              ++self->parts_.common->totals.broken;
                              return self->end(self->lost("what came is no HTTP/2"));
                            }
                            self->flush();
                            self->read();
                          });
}

void Connection::flush() {
  if (over_ || writing_ || !session_) return;
  out_.clear();
  if (!session_->fill(out_, kWriteBytes)) return end(lost("HTTP/2 cannot go on"));
  if (out_.empty()) {
    if (session_->done()) end(lost("HTTP/2 was ended"));
    return;
  }
  writing_ = true;
  asio::async_write(stream_, asio::buffer(out_),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      self->writing_ = false;
                      if (self->over_) return;
                      if (error) return self->end(self->lost(error.message()));
                      self->flush();
                    });
}

void Connection::watch() {
  timer_.expires_after(std::chrono::nanoseconds(parts_.limits.ping_every));
  timer_.async_wait([weak = weak_from_this()](const error_code& cancelled) {
    const auto self = weak.lock();
    if (self && !cancelled && !self->over_) self->look();
  });
}

void Connection::look() {
  const auto now = std::chrono::steady_clock::now();
  const Limits& limits = parts_.limits;
  if (now - heard_ >= std::chrono::nanoseconds(limits.silence_max))
    return end(make_error(kTimeout, parts_.peer + " has not answered for " + in_ms(limits.silence_max),
                          "is it stopped, its machine overloaded, or the network cut?"));
  if (session_->streams() > 0) busy_ = now;
  if (parts_.tls->role() == Role::kClient && now - busy_ >= std::chrono::nanoseconds(limits.idle_max))
    return end(lost("nobody uses it"));
  session_->ping();
  watch();
}

void Connection::end(const Error& error) {
  if (std::exchange(over_, true)) return;
  error_code ignored;
  timer_.cancel();
  stream_.lowest_layer().close(ignored);
  if (session_) {
    --parts_.common->totals.connections;
    session_->close(error);
  }
  parts_.over(error);
}

}  // namespace berth::tunnel
