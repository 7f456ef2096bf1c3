// P21: `routed` is what the log has acknowledged.
#include "tests/unit/cell/guard_fixture.h"

namespace berth::controller {
namespace {

using projections::Position;

class Routed : public GuardTest {
 protected:
  void SetUp() override {
    GuardTest::SetUp();
    for (const auto& append : appends_to(Stream::kOrders)) acknowledge(append);  // the snapshot of the join
  }
  // One session, and the order that starts it.
  struct Sent {
    Append append;
    Position position;
  };
  Tickets tickets;
  ControllerCounters counters;
  Sent send_order() {
    ask_for_session();
    read_back();
    BERTH_CHECK(orders().size() == 1, "a session of one kernel is one order");
    return {appends_to(Stream::kOrders)[0], projections::from_proto(orders()[0].position())};
  }
  void acknowledge(const Append& append) { when(Appended{append.ticket, {AppendState::kDurable, 0, {}}}); }
  // The `routed` of the ChainHeadRecorded that follows the next chain point.
  Position routed() {
    projections::ChainPoint point = controller->projection().chain().last();
    point.state_hash = Hash128{};
    when(ChainPointRead{point});
    const auto recorded = events();
    BERTH_CHECK(recorded.size() == 1 && recorded[0].has_chain_head_recorded(), "it is recorded at once");
    read_all_back();
    return projections::from_proto(recorded[0].chain_head_recorded().routed());
  }
};

TEST_F(Routed, P21_AnOrderIsCoveredOnceTheLogAcknowledgedIt) {
  const Sent order = send_order();
  EXPECT_LT(routed(), order.position);
  acknowledge(order.append);
  EXPECT_GE(routed(), order.position);
}

TEST_F(Routed, P21_AnAcknowledgedOrderBehindOneThatIsNotIsNotCovered) {
  const Sent first = send_order();
  const Sent second = send_order();
  acknowledge(second.append);
  EXPECT_LT(routed(), first.position);
  acknowledge(first.append);
  EXPECT_GE(routed(), second.position);
}

TEST_F(Routed, P21_AnOrderWhoseAppendFailedIsCoveredOnceItsNextAppendIsAcknowledged) {
  const Sent order = send_order();
  fails(order.append);
  EXPECT_TRUE(appends_to(Stream::kOrders).empty());
  pass(kSecond);
  ASSERT_EQ(appends_to(Stream::kOrders).size(), 1u);
  const Append again = appends_to(Stream::kOrders)[0];
  EXPECT_LT(routed(), order.position);
  acknowledge(again);
  EXPECT_GE(routed(), order.position);
}

TEST_F(Routed, P21_TheNextLeaderSendsASnapshotForAnOrderThatIsNotCovered) {
  send_order();
  routed();
  fail_over();
  ASSERT_EQ(orders().size(), 1u);
  EXPECT_EQ(orders()[0].snapshot().kernels_size(), 1);
}

TEST_F(Routed, P21_TheNextLeaderSendsNothingAgainForAnOrderThatIsCovered) {
  acknowledge(send_order().append);
  routed();
  fail_over();
  EXPECT_TRUE(orders().empty());
}

// Both snapshots have the position of the election: one is acknowledged, the other may be lost.
TEST_F(Routed, P21_OfOrdersAtOnePositionEachHasToBeAcknowledged) {
  OrderOutbox outbox(tickets, counters, {1, 1, 0});
  for (int i = 0; i < 2; ++i) {
    outbox.owe({1, 5, 0});
    outbox.send({1, 5, 0}, {}, out);
  }
  ASSERT_TRUE(outbox.appended({1, {AppendState::kDurable, 0, {}}}, now, out));
  EXPECT_EQ(outbox.routed(), (Position{1, 1, 0}));
  ASSERT_TRUE(outbox.appended({2, {AppendState::kDurable, 0, {}}}, now, out));
  EXPECT_EQ(outbox.routed(), (Position{1, 5, 0}));
}

// A snapshot is kept back until what it describes was read back; later orders must not cover it.
TEST_F(Routed, P21_AnOrderThatIsKeptBackIsNotCovered) {
  OrderOutbox outbox(tickets, counters, {1, 1, 0});
  outbox.owe({1, 5, 0});
  outbox.owe({1, 7, 0});
  outbox.send({1, 7, 0}, {}, out);
  ASSERT_TRUE(outbox.appended({1, {AppendState::kDurable, 0, {}}}, now, out));
  EXPECT_EQ(outbox.routed(), (Position{1, 1, 0}));
  outbox.send({1, 5, 0}, {}, out);
  ASSERT_TRUE(outbox.appended({2, {AppendState::kDurable, 0, {}}}, now, out));
  EXPECT_EQ(outbox.routed(), (Position{1, 7, 0}));
}

}  // namespace
}  // namespace berth::controller
