// LaterWrites: files that a server leaves for people and programs, and can go on without. One that cannot be
// written now, such as on a full disk, is told and tried again until it is written.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "events/base/clock.h"
#include "events/base/result.h"

namespace berth {

class LaterWrites {
 public:
  using Write = std::function<Result<void>()>;
  using Warn = std::function<void(const std::string&)>;

  explicit LaterWrites(Warn warn, Duration pause = 10 * kSecond) : warn_(std::move(warn)), pause_(pause) {}
  ~LaterWrites() { stop(); }
  LaterWrites(const LaterWrites&) = delete;
  LaterWrites& operator=(const LaterWrites&) = delete;

  // Writes now. If that fails, warns and returns false; a thread of its own calls `write` from then on, so
  // that `write` holds by value what it needs. One thread at a time.
  bool write(const std::string& what, Write write);
  // Gives up what is not written. Nothing is written any more once it returns.
  void stop();

 private:
  void work();

  Warn warn_;
  Duration pause_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Write> left_;  // guarded
  bool stopping_ = false;    // guarded
  std::thread thread_;       // starts with the first that fails
};

}  // namespace berth
