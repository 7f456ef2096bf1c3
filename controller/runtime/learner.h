// Learner: runs what the core asks to be learned (core/selection_learning.h) on a thread of its own, one
// after the other, since it takes up to some tenths of a second, in which a leader would miss its heartbeats.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "controller/runtime/core_queue.h"

namespace berth::controller {

class Learner {
 public:
  // `answers` gets what was found; it must outlive this.
  explicit Learner(CoreQueue& answers) : answers_(answers) {}
  ~Learner() { stop(); }

  // Any thread. Starts the thread at the first call; nothing is done after stop().
  void ask(std::vector<LearnSelection> asked);
  // Waits for what is under way. Idempotent.
  void stop();

 private:
  void work();

  CoreQueue& answers_;
  std::mutex mutex_;
  std::condition_variable asked_or_stopped_;
  std::vector<LearnSelection> asked_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace berth::controller
