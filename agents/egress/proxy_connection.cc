#include "agents/egress/proxy_connection.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace berth::agents {
namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t kPiece = 64 << 10;  // bytes
constexpr int kPiecesAtOnce = 16;         // then others have their turn

socklen_t fill(sockaddr_storage& storage, const ip::address& address, std::uint16_t port) {
  if (address.is_v4()) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    v4.sin_addr.s_addr = htonl(address.to_v4().to_uint());
    std::memcpy(&storage, &v4, sizeof v4);
    return sizeof v4;
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  const auto bytes = address.to_v6().to_bytes();
  std::memcpy(&v6.sin6_addr, bytes.data(), bytes.size());
  std::memcpy(&storage, &v6, sizeof v6);
  return sizeof v6;
}

}  // namespace

ProxyConnection::ProxyConnection(boost::asio::io_context& io, Descriptor program, const EgressLimits& limits,
                                 std::shared_ptr<const AllowList> allowed, LookUp look_up,
                                 AddressRule may_dial, EgressCounts& counts, Over over)
    : io_(io),
      limits_(limits),
      allowed_(std::move(allowed)),
      look_up_(std::move(look_up)),
      may_dial_(std::move(may_dial)),
      counts_(counts),
      over_(std::move(over)),
      timer_(io),
      busy_(Clock::now()),
      out_{program_, host_, counts.bytes_out, {}},
      in_{host_, program_, counts.bytes_in, {}} {
  program_.socket = std::move(program);
  ++counts_.open;
}

bool ProxyConnection::watch(Side& side) {
  side.watch.emplace(io_);
  return side.watch->watch(side.socket.get());
}

void ProxyConnection::begin() {
  if (!watch(program_)) return end_by_itself();
  limit(limits_.head_max, &ProxyConnection::give_up_reading);
  read_head();
}

void ProxyConnection::read_head() {
  for (;;) {
    char bytes[kProxyHeadMax];
    const ssize_t got = ::recv(program_.socket.get(), bytes, kProxyHeadMax - head_.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN)
      return wait(program_, DescriptorWatch::Wait::wait_read, [this] { read_head(); });
    if (got <= 0) return end_by_itself();
    head_.append(bytes, static_cast<std::size_t>(got));
    auto read = read_proxy_request(head_);
    if (!read) continue;
    if (const auto* const refusal = std::get_if<ProxyRefusal>(&*read)) return refuse(*refusal);
    return take(std::move(std::get<ProxyRequest>(*read)));
  }
}

void ProxyConnection::give_up_reading() { refuse({408, "no whole request has come in time"}); }

void ProxyConnection::take(ProxyRequest request) {
  request_ = std::move(request);
  const std::string where = request_.host + ":" + std::to_string(request_.port);
  if (allowed_->find(request_.host, request_.port) == nullptr)
    return refuse({403, where + " is none of the package registries that this session may reach"});
  out_.bytes = request_.tunnels ? head_.substr(request_.size) : request_.forward;
  out_.drops = !request_.tunnels;
  head_ = {};
  phase_ = Phase::kLookingUp;
  limit(limits_.lookup_max, &ProxyConnection::look_at_time);
  look_up_(request_.host, [&io = io_, weak = weak_from_this()](Result<Addresses> found) {
    boost::asio::post(io, [weak, found = std::move(found)] {
      if (const auto self = weak.lock()) self->looked_up(found);
    });
  });
}

void ProxyConnection::looked_up(const Result<Addresses>& found) {
  if (phase_ != Phase::kLookingUp) return;
  if (!found.ok() || found->empty()) return fail({502, request_.host + " has no address that is known here"});
  const auto* const entry = allowed_->find(request_.host, request_.port);
  for (const ip::address& address : *found)
    if (may_dial_(address, entry->private_)) addresses_.push_back(address);
  if (addresses_.empty())
    return refuse({403, request_.host + " leads to an address of the agent's own network, which is refused"});
  phase_ = Phase::kDialing;
  dial_next();
}

void ProxyConnection::dial_next() {
  ++step_;
  host_.watch.reset();
  host_.socket = Descriptor();
  if (next_ == addresses_.size()) {
    const bool late = last_error_.empty();
    return fail({late ? 504 : 502, request_.host + " does not answer" + (late ? "" : ": " + last_error_)});
  }
  const ip::address& address = addresses_[next_++];
  sockaddr_storage to{};
  const socklen_t size = fill(to, address, request_.port);
  host_.socket =
      Descriptor(socket(address.is_v4() ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const bool begun =
      host_.socket && watch(host_) &&
      (connect(host_.socket.get(), reinterpret_cast<sockaddr*>(&to), size) == 0 || errno == EINPROGRESS);
  if (!begun) {
    last_error_ = std::strerror(errno);
    return dial_next();
  }
  limit(limits_.dial_max, &ProxyConnection::dial_next);
  wait(host_, DescriptorWatch::Wait::wait_write, [this, step = step_] {
    if (step == step_) dialled();
  });
}

void ProxyConnection::dialled() {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(host_.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error == 0) return pass();
  last_error_ = std::strerror(error);
  dial_next();
}

void ProxyConnection::pass() {
  phase_ = Phase::kPassing;
  if (request_.tunnels) in_.bytes = kTunnelMade;
  busy_ = Clock::now();
  limit(limits_.idle_max, &ProxyConnection::look_at_time);
  go(out_);
  if (phase_ == Phase::kPassing) go(in_);
}

void ProxyConnection::refuse(const ProxyRefusal& refusal) {
  ++counts_.refused;
  answer(refusal);
}

void ProxyConnection::refuse_at_once(const ProxyRefusal& refusal) {
  ++counts_.refused;
  const std::string text = proxy_answer(refusal);
  ::send(program_.socket.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  cut();
}

void ProxyConnection::fail(const ProxyRefusal& refusal) {
  ++counts_.failed;
  answer(refusal);
}

// What the program still says is read and dropped for a while: a socket that is closed with bytes in it would
// take the answer back.
void ProxyConnection::answer(const ProxyRefusal& refusal) {
  phase_ = Phase::kPassing;
  host_.watch.reset();
  host_.socket = Descriptor();
  head_ = {};
  in_.bytes = proxy_answer(refusal);
  in_.ended = true;
  out_.bytes.clear();
  out_.drops = true;
  lingers_ = true;
  limit(limits_.linger_max, &ProxyConnection::end_by_itself);
  go(in_);
  if (phase_ == Phase::kPassing) go(out_);
}

void ProxyConnection::go(Way& way) {
  for (int i = 0; i < kPiecesAtOnce; ++i) {
    if (way.sent < way.bytes.size()) {
      if (!send_some(way)) return;
    } else if (way.ended) {
      return end(way);
    } else if (!read_some(way)) {
      return;
    }
  }
  boost::asio::post(io_, [weak = weak_from_this(), &way] {
    const auto self = weak.lock();
    if (self && self->phase_ == Phase::kPassing) self->go(way);
  });
}

// False: it goes on later, or not at all.
bool ProxyConnection::send_some(Way& way) {
  const ssize_t sent = ::send(way.to.socket.get(), way.bytes.data() + way.sent, way.bytes.size() - way.sent,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno == EINTR) return true;
  if (sent < 0 && errno == EAGAIN) {
    wait(way.to, DescriptorWatch::Wait::wait_write, [this, &way] { go(way); });
    return false;
  }
  if (sent < 0) {  // it takes nothing more; what it said before that may still be there
    way.bytes.clear();
    way.sent = 0;
    way.drops = true;
    return true;
  }
  busy_ = Clock::now();
  way.count += static_cast<std::uint64_t>(sent);
  way.sent += static_cast<std::size_t>(sent);
  return true;
}

bool ProxyConnection::read_some(Way& way) {
  char bytes[kPiece];
  const ssize_t got = ::recv(way.from.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && errno == EINTR) return true;
  if (got < 0 && errno == EAGAIN) {
    wait(way.from, DescriptorWatch::Wait::wait_read, [this, &way] { go(way); });
    return false;
  }
  if (got < 0) {
    end_by_itself();
    return false;
  }
  way.ended = got == 0;
  way.bytes.assign(bytes, way.drops ? 0 : static_cast<std::size_t>(got));
  way.sent = 0;
  if (!lingers_) busy_ = Clock::now();
  return true;
}

// A host that is asked for a URL is not told that the program says no more: some would answer nothing then.
void ProxyConnection::end(Way& way) {
  way.over = true;
  way.bytes = {};
  if (&way == &in_ || request_.tunnels) shutdown(way.to.socket.get(), SHUT_WR);
  if (in_.over && (out_.over || !(request_.tunnels || lingers_))) end_by_itself();
}

void ProxyConnection::wait(Side& side, DescriptorWatch::Wait what, std::function<void()> then) {
  side.watch->wait(what, [weak = weak_from_this(), phase = phase_,
                          then = std::move(then)](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error && self->phase_ == phase) then();
  });
}

void ProxyConnection::limit(Duration most, Step then) {
  timer_.expires_after(std::chrono::nanoseconds(most));
  timer_.async_wait([weak = weak_from_this(), phase = phase_, step = ++step_,
                     then](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error && self->phase_ == phase && self->step_ == step) ((*self).*then)();
  });
}

void ProxyConnection::look_at_time() {
  if (phase_ == Phase::kLookingUp)
    return fail({504, "the address of " + request_.host + " is not found in time"});
  const auto idle = Clock::now() - busy_;
  const auto most = std::chrono::nanoseconds(limits_.idle_max);
  if (idle >= most) return end_by_itself();
  limit(std::chrono::duration_cast<std::chrono::nanoseconds>(most - idle).count(),
        &ProxyConnection::look_at_time);
}

void ProxyConnection::end_by_itself() {
  const auto self = shared_from_this();
  cut();
  if (const Over over = std::exchange(over_, nullptr)) over(self);
}

void ProxyConnection::cut() {
  if (std::exchange(phase_, Phase::kOver) == Phase::kOver) return;
  --counts_.open;
  timer_.cancel();
  for (Side* side : {&program_, &host_}) {
    side->watch.reset();
    if (!side->socket) continue;
    // The kernel could have asked that closing waits until it has read all.
    const linger none{};
    setsockopt(side->socket.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    side->socket = Descriptor();
  }
}

}  // namespace berth::agents
