#include "events/base/files/later_writes.h"

#include <chrono>
#include <iterator>

namespace berth {

bool LaterWrites::write(const std::string& what, Write write) {
  const auto written = write();
  if (written) return true;
  warn_(what + " is not written, and is tried again: " + to_string(written.error()));
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  left_.push_back(std::move(write));
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  return false;
}

void LaterWrites::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    left_.clear();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LaterWrites::work() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::nanoseconds(pause_), [this] { return stopping_; })) {
    std::vector<Write> tried;
    tried.swap(left_);
    lock.unlock();
    std::erase_if(tried, [](const Write& write) { return write().ok(); });
    lock.lock();
    left_.insert(left_.end(), std::make_move_iterator(tried.begin()), std::make_move_iterator(tried.end()));
  }
}

}  // namespace berth
