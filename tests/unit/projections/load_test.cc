#include <gtest/gtest.h>
#include <time.h>

#include "projections/store/memory_store.h"
#include "tests/support/ids.h"

namespace berth::testing {
namespace {

using projections::MemoryStore;
using projections::RequestRow;
using projections::State;

// A store with that many answered requests. Their keys are hashes, so that in the order of keys their times
// come in none.
MemoryStore store_of(int requests) {
  State state;
  state.requests.track_changes();
  for (int i = 0; i < requests; ++i) {
    RequestRow row;
    row.actor = "user:alice";
    row.id = id_of("request " + std::to_string(i));
    row.answered_at = kSecond + i;
    state.requests.put(std::move(row));
  }
  state.commit();
  StateHash hash;
  projections::StoreBatch batch;
  state.requests.flush(hash, &batch.rows);
  batch.meta.cluster = test_cluster();
  batch.meta.state_hash = hash.value();
  batch.chain.emplace_back();
  MemoryStore store;
  EXPECT_TRUE(store.write(batch));
  return store;
}

double seconds_of_this_thread() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double seconds_to_load(int requests) {
  MemoryStore store = store_of(requests);
  const double begin = seconds_of_this_thread();
  const auto loaded = projections::load_projection(store, test_cluster(), {});
  const double end = seconds_of_this_thread();
  EXPECT_TRUE(loaded) << to_string(loaded.error());
  EXPECT_EQ((*loaded)->state().answered().size(), static_cast<std::size_t>(requests));
  return end - begin;
}

TEST(LoadProjection, F16_TakesTimeInProportionToItsRows) {
  const double one = seconds_to_load(25'000), four = seconds_to_load(100'000);
  EXPECT_LT(four, one * 9) << "4 in proportion, 16 with a search for each row";
}

TEST(LoadProjection, F16_TheQueueOfTimesIsInOrder) {
  MemoryStore store = store_of(100);
  const auto loaded = projections::load_projection(store, test_cluster(), {});
  ASSERT_TRUE(loaded);
  auto queue = (*loaded)->state().answered();
  for (int i = 0; i < 100; ++i) {
    const auto [time, key] = queue.front();
    EXPECT_EQ(time, kSecond + i);
    queue.remove(time, key);
  }
}

}  // namespace
}  // namespace berth::testing
