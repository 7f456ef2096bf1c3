// Turns: threads for calls that may take long, since they read the log or the disk, or walk the whole state.
// Persons take turns: nobody's many calls keep another person's from a thread, and what takes long keeps
// nothing short waiting (P33).
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace berth::controller::api {

// Thread-safe. stop() drops the tasks that wait, so no reply may depend on such a task alone.
class Turns {
 public:
  using Task = std::function<void()>;
  enum class Work : std::uint8_t { kShort, kScan };  // kScan: the longer, the more the cluster has
  struct Limits {
    int threads = 4;
    int scans = 2;                   // at once, of all persons: the other threads are left to what is short
    int shorts_each = 2;             // at once, of one person
    int scans_each = 1;              // at once, of one person
    std::size_t waiting_each = 100;  // tasks of one person that wait
  };

  explicit Turns(const Limits& limits);
  ~Turns() { stop(); }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // False: so many of the person's tasks wait already, and this one was not taken.
  [[nodiscard]] bool post(const std::string& person, Work work, Task task);
  // Of work that was let in before, as a stream: it is always taken.
  void go_on(const std::string& person, Work work, Task task);
  // Waits for the running tasks. Not from a task.
  void stop();

 private:
  struct Waiting {
    Task task;
    bool counts = false;  // under the bound of what waits
  };
  struct Person {
    std::deque<Waiting> waiting;
    std::size_t counted = 0;
    int running = 0;
  };
  struct Lane {
    int most = 0, each = 0, running = 0;
    std::unordered_map<std::string, Person> persons;  // who waits or runs
    std::deque<std::string> turns;                    // who waits, the next first
  };
  struct Taken {
    Task task;
    Lane* lane = nullptr;
    std::string person;
  };
  Lane& lane_of(Work work) { return lanes_[static_cast<std::size_t>(work)]; }
  bool add(const std::string& person, Work work, Task task, bool counts);
  void run();
  bool take(Taken& taken);
  static bool take_from(Lane& lane, Taken& taken);
  void ended(const Taken& taken);

  const std::size_t waiting_each_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Lane, 2> lanes_;  // what is short first
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace berth::controller::api
