#include "agents/egress/kernel_egress.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "agents/services/open_channel.h"

namespace berth::agents {
namespace {

constexpr Duration kPause = 100 * kMillisecond, kPauseMax = 5 * kSecond;
constexpr int kTakenAtOnce = 64;

}  // namespace

KernelEgress::KernelEgress(Shared& shared, std::string name, std::string door, std::uint16_t port)
    : shared_(shared),
      name_(std::move(name)),
      door_(std::move(door)),
      port_(port),
      again_(shared.io),
      pause_(kPause) {}

void KernelEgress::open() {
  if (closed_) return;
  inside::Request request;
  request.what = inside::Request::What::kEgress;
  request.port = port_;
  if (auto opened = open_channel(shared_.io, door_, request, channel_, watch_); !opened)
    return lost(opened.error());
  take();
}

void KernelEgress::take() {
  for (int i = 0; i < kTakenAtOnce; ++i) {
    auto program = channel_->accepted();
    if (!program.ok()) return lost(program.error());
    if (!*program)
      return watch_->wait(DescriptorWatch::Wait::wait_read,
                          [weak = weak_from_this()](const boost::system::error_code& error) {
                            const auto self = weak.lock();
                            if (self && !error && self->channel_) self->take();
                          });
    pause_ = kPause;
    admit(std::move(**program));
  }
  boost::asio::post(shared_.io, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->channel_) self->take();
  });
}

void KernelEgress::admit(Descriptor program) {
  ++shared_.counts.connections;
  const auto connection = std::make_shared<ProxyConnection>(
      shared_.io, std::move(program), shared_.limits, shared_.allowed, shared_.look_up, shared_.may_dial,
      shared_.counts, [weak = weak_from_this()](const std::shared_ptr<ProxyConnection>& ended) {
        if (const auto self = weak.lock()) self->connections_.erase(ended);
      });
  if (connections_.size() >= shared_.limits.of_kernel_max)
    return connection->refuse_at_once({503, "64 connections of this session are open already"});
  if (shared_.counts.open > shared_.limits.open_max)
    return connection->refuse_at_once({503, "this agent has no room for more connections"});
  connections_.insert(connection);
  connection->begin();
}

// Its helper has died, or the kernel ends and nobody has said so yet.
void KernelEgress::lost(const Error& why) {
  watch_.reset();
  channel_.reset();
  if (why.code != "channel-closed" && why.code != "kernel-not-open" && !std::exchange(told_, true))
    shared_.warn("the way out of kernel " + name_ + " does not open: " + to_string(why));
  again_.expires_after(std::chrono::nanoseconds(pause_));
  pause_ = std::min(2 * pause_, kPauseMax);
  again_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->open();
  });
}

void KernelEgress::close() {
  closed_ = true;
  again_.cancel();
  watch_.reset();
  channel_.reset();
  for (const auto& connection : std::exchange(connections_, {})) connection->cut();
}

}  // namespace berth::agents
