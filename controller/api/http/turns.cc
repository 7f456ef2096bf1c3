#include "controller/api/http/turns.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace berth::controller::api {

Turns::Turns(const Limits& limits) : waiting_each_(limits.waiting_each) {
  lanes_[0].most = std::max(1, limits.threads - 1);  // what is short keeps no scan waiting for ever
  lanes_[0].each = limits.shorts_each;
  lanes_[1].most = limits.scans;
  lanes_[1].each = limits.scans_each;
  for (int i = 0; i < limits.threads; ++i) threads_.emplace_back([this] { run(); });
}

bool Turns::post(const std::string& person, Work work, Task task) {
  return add(person, work, std::move(task), true);
}

void Turns::go_on(const std::string& person, Work work, Task task) {
  (void)add(person, work, std::move(task), false);
}

bool Turns::add(const std::string& person, Work work, Task task, bool counts) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return true;  // dropped, as what waits
    Lane& lane = lane_of(work);
    Person& who = lane.persons[person];
    if (counts && who.counted >= waiting_each_) return false;
    if (who.waiting.empty()) lane.turns.push_back(person);
    who.counted += counts ? 1 : 0;
    who.waiting.push_back({std::move(task), counts});
  }
  changed_.notify_one();
  return true;
}

void Turns::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
  std::array<Lane, 2> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(lanes_);
}

void Turns::run() {
  Taken taken;
  while (take(taken)) {
    taken.task();
    taken.task = nullptr;  // what it holds goes before the next one is waited for
    ended(taken);
  }
}

bool Turns::take(Taken& taken) {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    for (Lane& lane : lanes_)
      if (take_from(lane, taken)) return true;
    changed_.wait(lock);
  }
  return false;
}

// Of the person whose turn it is, and who has not as many running as one person may have.
bool Turns::take_from(Lane& lane, Taken& taken) {
  if (lane.running >= lane.most) return false;
  for (std::size_t looked = lane.turns.size(); looked > 0; --looked) {
    std::string person = std::move(lane.turns.front());
    lane.turns.pop_front();
    Person& who = lane.persons[person];
    if (who.running >= lane.each) {
      lane.turns.push_back(std::move(person));
      continue;
    }
    taken.task = std::move(who.waiting.front().task);
    who.counted -= who.waiting.front().counts ? 1 : 0;
    who.waiting.pop_front();
    if (!who.waiting.empty()) lane.turns.push_back(person);
    ++who.running;
    ++lane.running;
    taken.lane = &lane;
    taken.person = std::move(person);
    return true;
  }
  return false;
}

void Turns::ended(const Taken& taken) {
  {
    const std::lock_guard lock(mutex_);
    const auto who = taken.lane->persons.find(taken.person);
    --taken.lane->running;
    if (--who->second.running == 0 && who->second.waiting.empty()) taken.lane->persons.erase(who);
  }
  changed_.notify_one();
}

}  // namespace berth::controller::api
