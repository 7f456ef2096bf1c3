#include "agents/init/loop.h"

#include <sys/epoll.h>

namespace berth::init {

Loop::Loop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

void Loop::watch(int fd, std::uint32_t events, Watcher& who) {
  if (events == 0) return forget(fd);  // epoll would go on to tell of a hang-up
  const auto [at, is_new] = watched_.try_emplace(fd);
  at->second.who = &who;
  if (!is_new && at->second.events == events) return;
  at->second.events = events;
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  epoll_ctl(epoll_.get(), is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
}

void Loop::forget(int fd) {
  if (watched_.erase(fd) != 0) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void Loop::wait(int timeout) {
  epoll_event events[64];
  const int count = epoll_wait(epoll_.get(), events, 64, timeout);
  for (int i = 0; i < count; ++i) {
    // Whoever was told before may have closed it. If its number means another one already, that one finds
    // nothing.
    const auto found = watched_.find(events[i].data.fd);
    if (found != watched_.end()) found->second.who->ready(found->first, events[i].events);
  }
}

}  // namespace berth::init
