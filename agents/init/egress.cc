#include "agents/init/egress.h"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace berth::init {
namespace {

constexpr int kBacklog = 16;
constexpr int kAcceptsAtOnce = 16;

Descriptor listen_on(std::uint16_t port) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int one = 1;  // connections of a channel before may still be closing
  if (!listener || setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
      bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener.get(), kBacklog) != 0)
    return {};
  return listener;
}

}  // namespace

std::optional<Problem> Egress::begin(Helper& helper, const Request& request, Client& client,
                                     std::unique_ptr<Purpose>& purpose) {
  Descriptor listener = listen_on(request.port);
  if (!listener)
    return Problem{"port-taken", "cannot listen on port " + std::to_string(request.port) +
                                     " of 127.0.0.1 in this kernel: " + std::strerror(errno)};
  helper.begin(client, {});
  purpose = std::make_unique<Egress>(helper, client, std::move(listener));
  return std::nullopt;
}

Egress::Egress(Helper& helper, Client& client, Descriptor listener)
    : helper_(helper), client_(client), listener_(std::move(listener)) {
  helper_.loop().watch(listener_.get(), EPOLLIN, *this);
}

Egress::~Egress() {
  helper_.look_no_more(*this);
  helper_.loop().forget(listener_.get());
}

void Egress::pass_all() {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    if (!waiting_) waiting_ = Descriptor(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!waiting_ && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)) return;
    if (!waiting_ || !client_.pass_on(FrameType::kConnection, waiting_)) return pause();
    waiting_ = Descriptor();
  }
}

// No descriptors are left, or the agent is slow: a listener that is looked at would wake this thread for
// ever.
void Egress::pause() {
  helper_.loop().forget(listener_.get());
  helper_.look_at_times(*this);
}

void Egress::look() {
  helper_.look_no_more(*this);
  helper_.loop().watch(listener_.get(), EPOLLIN, *this);
  pass_all();
}

}  // namespace berth::init
