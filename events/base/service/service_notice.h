// What a service manager hears of this process: that it is ready, that it is alive, that it stops
// (sd_notify(3), without its library). Says nothing where nobody listens. For edges only.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "events/base/clock.h"

namespace berth {

// One a process, made before any child: it takes NOTIFY_SOCKET and WATCHDOG_USEC out of the environment, so
// that no kernel can speak for the service.
class ServiceNotice {
 public:
  ServiceNotice();
  ~ServiceNotice() { stop(); }
  ServiceNotice(const ServiceNotice&) = delete;
  ServiceNotice& operator=(const ServiceNotice&) = delete;

  // Whether somebody listens: this process is a service.
  bool is_service() const { return !socket_.empty(); }
  // From now on. Where a watchdog is asked for, a thread calls `alive` eight times in its time and says so
  // where that returned true: a process that hangs in it, or says false all the time, is started anew.
  void ready(const std::string& status, std::function<bool()> alive);
  // The stop begins, which may take longer than the watchdog's time.
  void stopping();

 private:
  void tell(const std::string& state) const;
  void watch();
  void stop();

  std::string socket_;
  Duration watchdog_ = 0;  // 0: nobody asks
  std::function<bool()> alive_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;  // guarded
  std::thread thread_;
};

}  // namespace berth
