#include "controller/runtime/learner.h"

#include <pthread.h>

#include <utility>

namespace berth::controller {

void Learner::ask(std::vector<LearnSelection> asked) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  for (auto& one : asked) asked_.push_back(std::move(one));
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  asked_or_stopped_.notify_one();
}

void Learner::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    asked_or_stopped_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Learner::work() {
  pthread_setname_np(pthread_self(), "cell-learner");
  std::unique_lock lock(mutex_);
  while (true) {
    asked_or_stopped_.wait(lock, [this] { return stopping_ || !asked_.empty(); });
    if (stopping_) return;
    const std::vector<LearnSelection> batch = std::exchange(asked_, {});
    lock.unlock();
    for (const LearnSelection& one : batch) answers_.push(Input(learn_selection(one)));
    lock.lock();
  }
}

}  // namespace berth::controller
