// Properties over random journals: whatever is written, every reader has the same state, and it adds up.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "projections/fold/event_context.h"
#include "projections/store/memory_store.h"
#include "projections/store/projector.h"
#include "tests/support/given.h"
#include "tests/support/projector_rig.h"
#include "tests/support/random_cluster.h"

namespace berth::testing {
namespace {

using projections::Projection;
using projections::State;

struct RandomRun {
  explicit RandomRun(std::uint64_t seed, int records = 300)
      : cluster(seed), projection(test_cluster(), Projection::Tracking::kRows) {
    cluster.run(journal, projection, records);
  }
  RandomCluster cluster;
  TestJournal journal;
  Projection projection;
};

// What is derived equals what its rows say.
void expect_adds_up(const State& state) {
  projections::Occupancy fresh;
  std::size_t holding = 0, pending = 0, ended = 0;
  state.kernels.for_each_unordered([&](const projections::KernelRow& row) {
    if (row.holds_slots()) fresh.add(row);
    if (row.holds_slots()) ++holding;
  });
  state.sessions.for_each_unordered([&](const projections::SessionRow& row) {
    if (projections::is_waiting(row.status)) ++pending;
    if (is_end(row.status)) {
      ++ended;
      return;
    }
    RC_ASSERT(state.find_live(row.owner->owner.user(), row.name)->id == row.id);
    RC_ASSERT(projections::with_status(state, row, 0).status == row.status);
  });
  RC_ASSERT(state.pending().size() == pending);
  RC_ASSERT(state.ended().size() == ended);
  RC_ASSERT(state.answered().size() == state.requests.size());
  std::size_t on_agents = 0;
  for (const char* agent : {"a0", "a1", "a2"}) {
    on_agents += state.kernels_on(agent).size();
    for (const char* slot : {"cpu", "mem", "cuda.shares"}) {
      const auto* kept = state.occupancy().find(agent);
      const auto* wanted = fresh.find(agent);
      RC_ASSERT((kept ? kept->slots.get(slot) : 0) == (wanted ? wanted->slots.get(slot) : 0));
      for (const char* device : {"gpu0", "gpu1"}) {
        const auto* kept_device = kept ? kept->device(device) : nullptr;
        const auto* wanted_device = wanted ? wanted->device(device) : nullptr;
        RC_ASSERT((kept_device ? kept_device->get(slot) : 0) ==
                  (wanted_device ? wanted_device->get(slot) : 0));
      }
    }
  }
  RC_ASSERT(on_agents == holding);
}

// G17, G20, G21: counters are the sums over the live rows, never negative; a rebuild is the repair.
TEST(RandomJournals, EveryReaderHasTheSameStateAndItAddsUp) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const RandomRun run(seed);
    Projection again(test_cluster(), Projection::Tracking::kRows);
    for (const auto& payload : run.journal.payloads()) again.apply(again.chain().next(), payload);
    RC_ASSERT(dump(again.state()) == dump(run.projection.state()));
    RC_ASSERT(again.state_hash() == recomputed_hash(again.state()));
    RC_ASSERT(again.chain().rolling() == run.journal.chain().rolling());
    expect_adds_up(again.state());
  }));
}

TEST(RandomJournals, AreOfBothKinds) {
  const RandomRun run(1, 2000);
  EXPECT_GT(run.cluster.refused(), 20u);
  EXPECT_GT(run.projection.counters().applied, 1000u);
}

TEST(RandomJournals, P17_ACrashAtAnyRecordIsReplayedToTheSameState) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed, std::uint8_t every) {
    const RandomRun run(seed, 200);
    projections::MemoryStore store;
    const auto entries = run.journal.entries();
    for (std::size_t at = 0; at < entries.size();) {  // a life: folds some, writes sometimes, dies
      projections::Projector projector(test_cluster(), store, {}, nullptr);
      RC_ASSERT(projector.open());
      const std::size_t until = std::min<std::size_t>(entries.size(), projector.next() + 5 + every);
      for (at = projector.next(); at < until; ++at) {
        projector.apply(std::span(&entries[at], 1), 1);
        if (at % 3 != 0) continue;
        RC_ASSERT(projector.flush());
      }
    }
    projections::Projector last(test_cluster(), store, {}, nullptr);
    RC_ASSERT(last.open());
    last.apply(run.journal.entries(last.next()), 1);
    RC_ASSERT(hash_of(last) == folded_hash(run.journal));
    expect_adds_up(last.state());
  }));
}

// The leader's way of writing (Fold::open, add, close) gives what its readers get, and abort() leaves
// nothing.
TEST(RandomJournals, ARecordWrittenInStepsIsTheRecordRead) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const RandomRun run(seed, 100);
    Projection leader(test_cluster(), Projection::Tracking::kRows),
        reader(test_cluster(), Projection::Tracking::kRows);
    for (const auto& payload : run.journal.payloads()) {
      const bool applied = reader.apply(reader.chain().next(), payload).applied();
      if (!applied) {  // with all of it, forbidden or not: a leader would have aborted
        const std::string before = dump(leader.state());
        const v1::Record& record = reader.record();
        if (leader.own().continues(record.header()) == projections::VoidReason::kNone) {
          leader.own().open(record.header());
          for (const auto& event : record.events())
            if (!leader.own().add(event).empty()) break;
          leader.own().abort();
          RC_ASSERT(dump(leader.state()) == before);
        }
        leader.apply(leader.chain().next(), payload);
        continue;
      }
      leader.own().open(reader.record().header());
      for (const auto& event : reader.record().events()) RC_ASSERT(leader.own().add(event).empty());
      leader.own().close(reader.record().header(), blake2b_256(payload));
      leader.confirm(blake2b_256(payload), true);
    }
    RC_ASSERT(dump(leader.state()) == dump(reader.state()));
    RC_ASSERT(leader.state_hash() == reader.state_hash());
  }));
}

TEST(RandomJournals, ACopyIsASnapshotThatGoesItsOwnWay) {
  RandomRun run(7, 300);
  Projection copy(run.projection);
  const std::string before = dump(copy.state());
  run.journal.append({session_requested("later")});
  run.projection.apply(run.projection.chain().next(), run.journal.payloads().back());
  EXPECT_EQ(dump(copy.state()), before);
  copy.apply(copy.chain().next(), run.journal.payloads().back());
  EXPECT_EQ(dump(copy.state()), dump(run.projection.state()));
  EXPECT_EQ(copy.state_hash(), run.projection.state_hash());
}

}  // namespace
}  // namespace berth::testing
