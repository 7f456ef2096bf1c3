// P33: nobody's many calls keep another person's from a thread.
#include "controller/api/http/turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace berth::controller::api {
namespace {

using Work = Turns::Work;

// Tasks that say that they run, and end when they are let go.
class Rig {
 public:
  explicit Rig(const Turns::Limits& limits = {}) : turns_(limits) {}
  ~Rig() { let_go(); }

  bool post(const std::string& person, Work work = Work::kScan) {
    return turns_.post(person, work, task(person));
  }
  void go_on(const std::string& person) { turns_.go_on(person, Work::kScan, task(person)); }
  // Who began, in order, once so many have.
  std::vector<std::string> began(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return began_.size() >= count; });
    return began_;
  }
  std::vector<std::string> began_so_far() {
    const std::lock_guard lock(mutex_);
    return began_;
  }
  void end_one() {
    const std::lock_guard lock(mutex_);
    ++may_end_;
    changed_.notify_all();
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    may_end_ = 1'000'000;
    changed_.notify_all();
  }

 private:
  Turns::Task task(const std::string& person) {
    return [this, person] {
      std::unique_lock lock(mutex_);
      began_.push_back(person);
      changed_.notify_all();
      changed_.wait(lock, [&] { return may_end_ > 0; });
      --may_end_;
    };
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> began_;
  int may_end_ = 0;
  Turns turns_;
};

TEST(Turns, P33_ManyScansOfOnePersonLeaveAPlaceToAnother) {
  Rig rig;
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(rig.post("greedy"));
  EXPECT_EQ(rig.began(1), (std::vector<std::string>{"greedy"}));
  ASSERT_TRUE(rig.post("alice"));
  EXPECT_EQ(rig.began(2), (std::vector<std::string>{"greedy", "alice"}));
  EXPECT_EQ(rig.began_so_far().size(), 2u) << "one of each at once";
}

TEST(Turns, P33_PersonsTakeTurnsWhereAllPlacesAreTaken) {
  Rig rig({.threads = 2, .scans = 1});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(rig.post("greedy"));
  (void)rig.began(1);
  for (const char* person : {"alice", "bob"}) ASSERT_TRUE(rig.post(person));
  for (std::size_t ended = 1; ended < 5; ++ended) {
    rig.end_one();
    (void)rig.began(ended + 1);
  }
  EXPECT_EQ(rig.began_so_far(), (std::vector<std::string>{"greedy", "greedy", "alice", "bob", "greedy"}));
}

TEST(Turns, P33_WhatIsShortWaitsForNoScan) {
  Rig rig;
  for (const char* person : {"a", "b", "c", "d"}) ASSERT_TRUE(rig.post(person));
  (void)rig.began(2);  // as many scans as run at once
  ASSERT_TRUE(rig.post("a", Work::kShort));
  EXPECT_EQ(rig.began(3).back(), "a");
}

TEST(Turns, P33_WhatIsShortLeavesAThreadToScans) {
  Rig rig;
  for (const char* person : {"a", "b", "c", "d"})
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(rig.post(person, Work::kShort));
  (void)rig.began(3);
  ASSERT_TRUE(rig.post("e"));
  EXPECT_EQ(rig.began(4).back(), "e");
}

TEST(Turns, P33_WhoHasTooManyWaitingIsToldSoAndNobodyElseIs) {
  Rig rig({.threads = 2, .scans = 1, .waiting_each = 3});
  ASSERT_TRUE(rig.post("greedy"));
  (void)rig.began(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(rig.post("greedy"));
  EXPECT_FALSE(rig.post("greedy"));
  EXPECT_TRUE(rig.post("alice"));
  rig.go_on("greedy");  // of a stream that was let in
  rig.let_go();
  EXPECT_EQ(rig.began(6).size(), 6u);
}

// A task that is dropped at once has not run when it is gone.
bool drops(Turns& turns) {
  const auto ran = std::make_shared<std::atomic<bool>>(false);
  (void)turns.post("probe", Work::kShort, [ran] { *ran = true; });
  return ran.use_count() == 1 && !*ran;  // nobody holds the task, and it did not run
}

TEST(Turns, WhatWaitsIsDroppedWhenTheyStop) {
  std::atomic<int> ran = 0;
  std::promise<void> running, let_go;
  Turns turns({.threads = 2, .scans = 1});
  ASSERT_TRUE(turns.post("a", Work::kScan, [&] {
    running.set_value();
    let_go.get_future().wait();
    ++ran;
  }));
  running.get_future().wait();
  ASSERT_TRUE(turns.post("a", Work::kScan, [&] { ++ran; }));
  std::thread stopper([&] { turns.stop(); });
  while (!drops(turns)) std::this_thread::yield();
  let_go.set_value();
  stopper.join();
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace berth::controller::api
