// Learner: answers the core's LearnSelection (controller/feed/learning.h) on a thread of its own, one after
// the other: an answer takes up to some tenths of a second, in which a leader would miss its heartbeats.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "controller/runtime/core_queue.h"

namespace berth::controller {

class Learner {
 public:
  // `answers` gets each SelectionFound, and must outlive the learner.
  explicit Learner(CoreQueue& answers) : answers_(answers) {}
  ~Learner() { stop(); }

  // Any thread. The first call starts the learner's thread. After stop() it does nothing.
  void ask(std::vector<LearnSelection> asked);
  // Waits for the answer under way. Idempotent.
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
