#include "events/tunnel/connection.h"

#include <openssl/err.h>

#include <boost/asio/write.hpp>

#include "events/base/checks.h"

namespace berth::tunnel {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

std::unique_ptr<SSL, decltype(&SSL_free)> open_ssl(Tls& tls, TlsMemory& memory) {
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(tls.context().native_handle()), &SSL_free);
  BIO* const both = memory.open();
  BERTH_CHECK(ssl && both != nullptr, "there is memory for a connection's TLS");
  SSL_set_bio(ssl.get(), both, both);
  tls.role() == Role::kClient ? SSL_set_connect_state(ssl.get()) : SSL_set_accept_state(ssl.get());
  return ssl;
}

std::string last_tls_error() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason != nullptr ? reason : "the other side ended TLS";
}

std::string in_ms(Duration duration) { return std::to_string(duration / kMillisecond) + " ms"; }

}  // namespace

Connection::Connection(Socket socket, ConnectionParts parts)
    : socket_(std::move(socket)),
      parts_(std::move(parts)),
      ssl_(open_ssl(*parts_.tls, memory_)),
      timer_(socket_.get_executor()) {}

Connection::~Connection() {
  if (session_ && !over_) --parts_.common->totals.connections;
}

Error Connection::lost(const std::string& why) const {
  return make_error(kLost, "the connection with " + parts_.peer + " is lost: " + why,
                    "is it running? `berth agent ls` shows agents' states");
}

void Connection::connect(const asio::ip::tcp::endpoint& to) {
  set_deadline();
  socket_.async_connect(to, [self = shared_from_this()](const error_code& error) {
    if (self->over_) return;
    if (error) return self->end(self->lost(error.message()));
    self->begin_handshake();
  });
}

void Connection::accept() {
  set_deadline();
  begin_handshake();
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

void Connection::begin_handshake() {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  go_on_with_handshake();
}

// As far as what has come goes. What it gives leaves also where it fails: the other side is told why.
void Connection::go_on_with_handshake() {
  ERR_clear_error();
  const int done = SSL_do_handshake(ssl_.get());
  if (done == 1) return send([this] { begin(); });
  if (SSL_get_error(ssl_.get(), done) == SSL_ERROR_WANT_READ) return send([this] { read(); });
  send([this, why = last_tls_error()] { refuse(why); });
}

void Connection::refuse(const std::string& why) {
  ++parts_.common->totals.refused;
  end(make_error(kRefused, parts_.peer + " has not proved the agent's key: " + why,
                 "is its key of an older enrolment, or of another cluster?"));
}

void Connection::begin() {
  if (!Tls::proved(ssl_.get())) return refuse("it came without");
  SessionHooks hooks;
  hooks.make = [this] { return std::make_shared<StreamState>(socket_.get_executor(), parts_.common); };
  hooks.asked = [this](Question question, const std::shared_ptr<StreamState>& stream) {
    parts_.asked(std::move(question), stream);
  };
  hooks.unasked = [this](const std::shared_ptr<StreamState>& stream, Question question) {
    parts_.unasked(stream, std::move(question));
  };
  hooks.wake = [this] { flush_soon(); };
  hooks.full = [this] { return seal(); };  // record by record, while the processor has them at hand
  session_.emplace(parts_.tls->role(), parts_.limits, std::move(hooks));
  ++parts_.common->totals.connections;
  heard_ = busy_ = std::chrono::steady_clock::now();
  watch();
  parts_.up();
  take();  // the last of the handshake may have come with more
}

void Connection::read() {
  if (over_) return;
  socket_.async_read_some(asio::buffer(in_),
                          [self = shared_from_this()](const error_code& error, std::size_t size) {
                            if (self->over_) return;
                            if (error) return self->end(self->lost(error.message()));
                            self->heard_ = std::chrono::steady_clock::now();
                            self->memory_.coming = {self->in_.data(), size};
                            self->session_ ? self->take() : self->go_on_with_handshake();
                          });
}

void Connection::take() {
  while (!over_ && take_some())
    ;
  if (session()) session_->tell_given();
  flush();
  read();
}

// A record. False: there is no more, or it is over.
bool Connection::take_some() {
  char bytes[kTlsRecordBytes];
  ERR_clear_error();
  const int got = SSL_read(ssl_.get(), bytes, sizeof bytes);
  if (got <= 0) {
    if (SSL_get_error(ssl_.get(), got) != SSL_ERROR_WANT_READ) {
      const std::string why = last_tls_error();
      session_->tell_given();
      end(lost(why));
    }
    return false;
  }
  if (session_->receive({bytes, static_cast<std::size_t>(got)})) return true;
  ++parts_.common->totals.broken;
  end(lost("what came is no HTTP/2"));
  return false;
}

// Behind what the strand is about to do, so that what all of it says leaves as one.
void Connection::flush_soon() {
  if (writing_ || std::exchange(flush_due_, true)) return;
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->flush_due_) self->flush();
  });
}

void Connection::flush() {
  flush_due_ = false;
  if (over_ || writing_ || !session_) return;
  plain_.clear();
  if (!session_->fill(plain_)) return end(lost("HTTP/2 cannot go on"));
  if (!seal()) return end(lost(last_tls_error()));
  if (memory_.leaving.empty()) {
    if (session_->done()) end(lost("HTTP/2 was ended"));
    return;
  }
  send([this] { flush(); });
}

// What lies in plain_. Memory takes all of it.
bool Connection::seal() {
  const bool good =
      plain_.empty() || SSL_write(ssl_.get(), plain_.data(), static_cast<int>(plain_.size())) > 0;
  plain_.clear();
  return good;
}

// What TLS has to say; then the next, unless it is over.
template <class Then> void Connection::send(Then then) {
  if (memory_.leaving.empty()) return then();
  out_.clear();
  out_.swap(memory_.leaving);
  writing_ = true;
  asio::async_write(
      socket_, asio::buffer(out_),
      [self = shared_from_this(), then = std::move(then)](const error_code& error, std::size_t) {
        self->writing_ = false;
        if (self->over_) return;
        if (error) return self->end(self->lost(error.message()));
        then();
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
  socket_.close(ignored);
  if (session_) {
    --parts_.common->totals.connections;
    session_->close(error);
  }
  parts_.over(error);
}

}  // namespace berth::tunnel
