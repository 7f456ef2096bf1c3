// The order of the live sessions equals a walk over all, after every record, void ones and undo included.
#include "controller/api/live/live_sessions.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/random_cluster.h"

namespace berth::testing {
namespace {

using controller::api::LiveSessions;
using controller::api::SessionOrder;

std::map<std::string, SessionOrder> walk(const projections::State& state) {
  std::map<std::string, SessionOrder> orders;
  state.sessions.for_each_unordered([&](const projections::SessionRow& row) {
    if (projections::is_end(row.status)) return;
    orders[""].emplace(row.created, row.id);
    orders[row.owner->owner.user()].emplace(row.created, row.id);
  });
  return orders;
}

TEST(LiveSessions, EqualAWalkOverAllAfterEveryRecord) {
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TestJournal journal;
    projections::Projection whole(test_cluster(), projections::Projection::Tracking::kNone);
    RandomCluster(seed).run(journal, whole, 200);
    projections::Projection projection(test_cluster(), projections::Projection::Tracking::kNone);
    LiveSessions live;
    projection.set_listener(&live);
    for (const std::string& payload : journal.payloads()) {
      projection.apply(projection.chain().next(), payload);
      const auto walked = walk(projection.state());
      for (const auto& [user, order] : walked) ASSERT_EQ(live.of(projection.state(), user), order);
      ASSERT_EQ(live.of(projection.state(), "").empty(), !walked.contains(""));
      ASSERT_TRUE(live.of(projection.state(), "nobody").empty());
      most = std::max(most, live.of(projection.state(), "").size());
    }
    projection.set_listener(nullptr);
  }
  EXPECT_GT(most, 5u);
}

TEST(LiveSessions, AreTakenFromTheStateAnewWhenItIsReplaced) {
  TestJournal journal;
  projections::Projection one(test_cluster(), projections::Projection::Tracking::kNone);
  RandomCluster(1).run(journal, one, 200);
  LiveSessions live;
  EXPECT_EQ(live.of(one.state(), ""), walk(one.state())[""]);
  const projections::State empty;
  live.forget();
  EXPECT_TRUE(live.of(empty, "").empty());
}

}  // namespace
}  // namespace berth::testing
