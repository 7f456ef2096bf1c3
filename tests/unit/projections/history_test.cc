// P18: ended sessions leave the state.
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

TEST(History, AnEndedSessionLeavesTheStateWithItsKernelsAfterAWhile) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1"), session_scheduled("s1", "a1"), session_requested("s2")});
  g.and_given({kernel_terminated(kernel_name("s1"), v1::EXITED, 4)});
  const Timestamp ended = g.session("s1").ended_at;
  g.after(ended + projections::kHistoryAfter - g.journal().time());
  g.and_given({clock_confirmed()});
  EXPECT_TRUE(g.has_session("s1")) << "exactly as old: kept";
  g.and_given({clock_confirmed()});
  EXPECT_FALSE(g.has_session("s1"));
  EXPECT_FALSE(g.has_kernel(kernel_name("s1")));
  EXPECT_TRUE(g.has_session("s2"));

  std::vector<projections::RowChange> changes;
  std::vector<projections::HistoryEntry> history;
  g.projection().flush(changes, history);
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history[0].session.id, session_id("s1"));
  EXPECT_EQ(history[0].session.ended_at, ended);
  ASSERT_EQ(history[0].kernels.size(), 1u);
  EXPECT_EQ(history[0].kernels[0].exit_code, 4);
}

TEST(History, IsOutsideTheStateHash) {
  Given kept = given(definitions());
  Given g = given(definitions());
  const auto empty = g.projection().state_hash();
  EXPECT_EQ(kept.projection().state_hash(), empty);
  g.and_given({session_requested("s1"), session_cancelled("s1")});
  g.after(projections::kHistoryAfter + kSecond);
  g.and_given({clock_confirmed()});
  // The same but for the epoch's own row, which names the last record.
  EXPECT_EQ(g.state().sessions.size(), 0u);
  EXPECT_EQ(g.projection().state_hash(), recomputed_hash(g.state()));
}

TEST(History, AVoidRecordSendsNothingThere) {
  Given g = given(definitions() + Events{session_requested("s1"), session_cancelled("s1")});
  g.after(projections::kHistoryAfter + kSecond);
  g.when({session_cancelled("nobody")}).then_forbidden("event 0");
  EXPECT_TRUE(g.has_session("s1"));
}

// A leader folds for years and has no store.
TEST(History, ACopyWithoutAStoreCollectsNothing) {
  Given g = given(definitions() + Events{session_requested("s1"), session_cancelled("s1")});
  projections::Projection copy(g.projection());
  copy.stop_tracking();
  TestJournal journal = g.journal();
  journal.advance(projections::kHistoryAfter + kSecond);
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(copy.apply(copy.chain().next(), journal.append({clock_confirmed()})).applied());
  EXPECT_EQ(copy.state().sessions.size(), 0u) << "it left";
  EXPECT_TRUE(copy.own().history().empty());
  std::vector<projections::RowChange> changes;
  std::vector<projections::HistoryEntry> history;
  copy.flush(changes, history);
  EXPECT_TRUE(changes.empty());
  EXPECT_TRUE(history.empty());
}

}  // namespace
}  // namespace berth::testing
