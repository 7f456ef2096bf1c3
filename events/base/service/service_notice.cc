#include "events/base/service/service_notice.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "events/base/files/descriptor.h"

namespace berth {
namespace {

// In the watchdog's time: one answer that comes late, or two, are not the end.
constexpr int kQuestions = 8;

std::string taken_out(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  ::unsetenv(name);
  return text;
}

}  // namespace

ServiceNotice::ServiceNotice() : socket_(taken_out("NOTIFY_SOCKET")) {
  const std::string pid = taken_out("WATCHDOG_PID"), time = taken_out("WATCHDOG_USEC");
  const bool is_for_us = pid.empty() || pid == std::to_string(::getpid());
  if (is_for_us) watchdog_ = std::max(0LL, std::atoll(time.c_str())) * (kMillisecond / 1'000);
}

void ServiceNotice::ready(const std::string& status, std::function<bool()> alive) {
  tell("READY=1\nSTATUS=" + status);
  if (socket_.empty() || watchdog_ == 0) return;
  alive_ = std::move(alive);
  thread_ = std::thread([this] { watch(); });
}

void ServiceNotice::stopping() {
  stop();
  tell("STOPPING=1");
}

void ServiceNotice::tell(const std::string& state) const {
  sockaddr_un address{};
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const Descriptor out(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  (void)!::sendto(out.get(), state.data(), state.size(), MSG_NOSIGNAL,
                  reinterpret_cast<const sockaddr*>(&address), size);
}

void ServiceNotice::watch() {
  const auto pause = std::chrono::nanoseconds(watchdog_ / kQuestions);
  for (;;) {
    if (alive_()) tell("WATCHDOG=1");
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, pause, [this] { return stopping_; })) return;
  }
}

void ServiceNotice::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace berth
