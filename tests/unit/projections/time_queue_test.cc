#include "projections/tables/time_queue.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::testing {
namespace {

using Queue = projections::TimeQueue<std::string>;

std::vector<std::string> drain(Queue queue) {
  std::vector<std::string> out;
  while (!queue.empty()) {
    const auto [time, key] = queue.front();
    out.push_back(key);
    queue.remove(time, key);
  }
  return out;
}

TEST(TimeQueue, GivesTheOldestFirst) {
  Queue queue;
  for (const auto& [time, key] :
       {std::pair{5, "e"}, std::pair{6, "f"}, std::pair{1, "a"}, std::pair{3, "c"}, std::pair{2, "b"}})
    queue.insert(time, key);
  EXPECT_EQ(drain(queue), (std::vector<std::string>{"a", "b", "c", "e", "f"}));
}

TEST(TimeQueue, KeepsArrivalOrderOfEqualTimes) {
  Queue queue;
  for (const char* key : {"x", "y", "z"}) queue.insert(1, key);
  EXPECT_EQ(drain(queue), (std::vector<std::string>{"x", "y", "z"}));
}

TEST(TimeQueue, RemovesFromAnywhere) {
  Queue queue;
  for (const char* key : {"a", "b", "c", "d"}) queue.insert(key[0] == 'd' ? 2 : 1, key);
  queue.remove(1, "b");
  queue.remove(2, "d");
  queue.remove(2, "never there");
  queue.remove(1, "never there");
  EXPECT_EQ(drain(queue), (std::vector<std::string>{"a", "c"}));
}

}  // namespace
}  // namespace berth::testing
