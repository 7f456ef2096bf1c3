#include "agents/services/relay.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "agents/services/open_channel.h"

namespace berth::agents {
namespace {

// Bytes of the app in a write: as many as the last had, and twice so many where it was full.
constexpr std::size_t kPieceMin = 4 << 10, kPieceMax = 128 << 10;

// What a kernel says is its own affair: a code that is not known here is not passed on as ours.
int refusal_status(const Error& error) {
  static constexpr struct {
    Code code;
    int status;
  } kOurs[] = {{"unknown-kernel", 404}, {"no-such-app", 404},   {"kernel-not-open", 409},
               {"channel-closed", 409}, {"port-not-open", 409}, {"app-ended", 409},
               {"kernel-busy", 503},    {"agent-busy", 503},    {"port-busy", 503},
               {"helper-silent", 504}};
  for (const auto& ours : kOurs)
    if (ours.code == error.code) return ours.status;
  return 502;
}

}  // namespace

Relay::Relay(boost::asio::io_context& io, inside::Request request, const AppLimits& limits,
             std::shared_ptr<tunnel::Stream> stream, std::shared_ptr<void> place)
    : io_(io),
      request_(std::move(request)),
      limits_(limits),
      stream_(std::move(stream)),
      place_(std::move(place)),
      timer_(io),
      busy_(Clock::now()) {}

// The stream's last handler owns it: called or, when the server stops, let go, it is gone with the stream.
// All other handlers find out whether it is still there.
void Relay::begin(const KernelKey& kernel, const FindDoor& find_door) {
  stream_->when_over([self = shared_from_this()](const Result<void>&) { self->close(); });
  await_deadline();
  ask_for_door(io_, find_door, kernel, [weak = weak_from_this()](const Result<std::string>& door) {
    if (const auto self = weak.lock()) self->open(door);
  });
}

void Relay::open(const Result<std::string>& door) {
  if (phase_ != Phase::kOpening) return;
  const auto opened =
      door ? open_channel(io_, *door, request_, channel_, channel_watch_) : Result<void>(door.error());
  if (!opened) return fail(opened.error());
  await_socket();
}

void Relay::await_socket() {
  auto connected = channel_->connected();
  if (!connected) return fail(connected.error());
  if (*connected) return join(std::move(**connected));
  wait(channel_watch_, DescriptorWatch::Wait::wait_read, waits_for_app_, &Relay::await_socket);
}

void Relay::join(Connected connected) {
  channel_watch_.reset();
  channel_.reset();
  socket_ = std::move(connected.socket);
  socket_watch_.emplace(io_);
  if (!socket_watch_->watch(socket_.get()))
    return fail(
        make_error("agent-busy", "this agent can wait for no more connections", "try again in a moment"));
  phase_ = Phase::kOpen;
  waits_for_app_ = false;
  busy_ = Clock::now();
  await_deadline();
  tunnel::Headers headers;
  if (!connected.token.empty()) headers.emplace_back(kAppTokenHeader, std::move(connected.token));
  stream_->answer({200, std::move(headers)});
  read();
  give();
}

void Relay::read() {
  stream_->read([weak = weak_from_this()](Result<std::string> bytes) {
    if (const auto self = weak.lock()) self->came(std::move(bytes));
  });
}

void Relay::came(Result<std::string> bytes) {
  if (!bytes || phase_ != Phase::kOpen) return;  // else when_over() is told
  busy_ = Clock::now();
  asker_ended_ = bytes->empty();
  unsent_ = *std::move(bytes);
  sent_ = 0;
  send_on();
}

void Relay::send_on() {
  while (!deaf_ && sent_ < unsent_.size()) {
    const ssize_t sent =
        ::send(socket_.get(), unsent_.data() + sent_, unsent_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN)
      return wait(socket_watch_, DescriptorWatch::Wait::wait_write, waits_to_send_, &Relay::send_on);
    deaf_ = sent < 0;
    if (deaf_ && app_ended_) return close();
    if (deaf_) break;
    busy_ = Clock::now();
    sent_ += static_cast<std::size_t>(sent);
  }
  unsent_ = {};
  if (!asker_ended_) return read();
  if (app_ended_) return close();
  shutdown(socket_.get(), SHUT_WR);
}

void Relay::give() {
  std::string bytes(piece_, '\0');
  const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return wait(socket_watch_, DescriptorWatch::Wait::wait_read, waits_for_app_, &Relay::give);
  if (got < 0) return give_up();
  if (got == 0) return end_of_app();
  busy_ = Clock::now();
  const auto size = static_cast<std::size_t>(got);
  piece_ = std::clamp(size == piece_ ? 2 * piece_ : size, kPieceMin, kPieceMax);
  bytes.resize(size);
  stream_->write(std::move(bytes), [weak = weak_from_this()](const Result<void>& done) {
    const auto self = weak.lock();
    if (self && done && self->phase_ == Phase::kOpen) self->give();
  });
}

void Relay::end_of_app() {
  app_ended_ = true;
  stream_->finish();
  if (deaf_ || (asker_ended_ && unsent_.empty())) close();
}

void Relay::wait(std::optional<DescriptorWatch>& watch, DescriptorWatch::Wait what, bool& waits, Step then) {
  if (std::exchange(waits, true)) return;
  const Phase phase = phase_;
  watch->wait(what, [weak = weak_from_this(), &waits, phase, then](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!self || self->phase_ != phase) return;
    waits = false;
    if (!error) ((*self).*then)();
  });
}

void Relay::await_deadline() {
  const Duration most = phase_ == Phase::kOpening ? limits_.connect_max : limits_.idle_max;
  timer_.expires_at(busy_ + std::chrono::nanoseconds(most));
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->look_at_time();
  });
}

void Relay::look_at_time() {
  if (phase_ == Phase::kOpening) return fail(helper_silent());
  if (phase_ == Phase::kOver) return;
  if (Clock::now() >= busy_ + std::chrono::nanoseconds(limits_.idle_max)) return give_up();
  await_deadline();
}

void Relay::fail(const Error& error) {
  const auto stream = stream_;
  close();
  if (stream) refuse(stream, refusal_status(error), error);
}

void Relay::give_up() {
  const auto stream = stream_;
  close();
  if (stream) stream->reset();
}

// Without its handle a stream that was finished is over when all that was written has left.
void Relay::close() {
  phase_ = Phase::kOver;
  timer_.cancel();
  channel_watch_.reset();
  channel_.reset();
  socket_watch_.reset();
  if (socket_) {
    // The kernel could have asked that closing waits until it has read all.
    const linger none{};
    setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
  }
  socket_ = Descriptor();
  unsent_ = {};
  place_ = nullptr;
  stream_ = nullptr;
}

}  // namespace berth::agents
