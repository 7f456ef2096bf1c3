// P21: what an agent obeys.
#include "tests/unit/agent/agent_fixture.h"

namespace berth::agents {
namespace {

class Orders : public AgentTest {};

TEST_F(Orders, NothingIsObeyedBeforeTheSnapshotThatAnswersItsOwnNonce) {
  join();
  obey_start(5, 4, start_of(kernel(1)));
  EXPECT_EQ(started(), Keys{});
  nonce = id(9);  // of somebody else's join, or an earlier one
  snapshot(6, {desired(start_of(kernel(1)))});
  EXPECT_EQ(started(), Keys{});
  EXPECT_FALSE(agent->joined());
}

TEST_F(Orders, TheSnapshotThatAnswersItsNonceOpensAndStartsWhatItLists) {
  join();
  snapshot(10, {desired(start_of(kernel(1)))});
  EXPECT_TRUE(agent->joined());
  EXPECT_EQ(started(), Keys{kernel(1)});
}

TEST_F(Orders, AnOrderAfterTheSnapshotIsObeyedOnce) {
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  EXPECT_EQ(started(), Keys{kernel(1)});
  obey_start(11, 10, start_of(kernel(1)));
  EXPECT_EQ(started(), Keys{});
}

TEST_F(Orders, AnOrderAtOrBeforeTheLastPositionIsDropped) {
  given_joined();
  obey_start(10, 9, start_of(kernel(1)));
  EXPECT_EQ(started(), Keys{});
  obey_start(9, 8, start_of(kernel(2)));
  EXPECT_EQ(started(), Keys{});
}

TEST_F(Orders, PositionsCompareByEpochThenSequenceThenIndex) {
  EXPECT_LT((OrderPosition{1, 900, 9}), (OrderPosition{2, 0, 0}));
  EXPECT_LT((OrderPosition{2, 1, 9}), (OrderPosition{2, 2, 0}));
  EXPECT_LT((OrderPosition{2, 2, 0}), (OrderPosition{2, 2, 1}));
}

TEST_F(Orders, ARouterOfAnOlderEpochIsNotObeyed) {
  given_joined();
  epoch = 2;
  election = 0xE2;
  obey_start(11, 10, start_of(kernel(1)));
  EXPECT_EQ(started(), Keys{kernel(1)});
  epoch = 1;
  election = kElection;
  obey_start(12, 11, start_of(kernel(2)));
  EXPECT_EQ(started(), Keys{});
}

TEST_F(Orders, BehindAGapOnlyStopsAreObeyedAndASnapshotIsAskedFor) {
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  v1::Order late = order(13, 12);  // 12 never came
  *late.add_start() = start_of(kernel(2));
  late.add_stop()->set_kernel_id(bytes(id(1)));
  late.mutable_stop(0)->set_attempt(1);
  when(OrderArrived{late});
  EXPECT_EQ(started(), Keys{});
  EXPECT_EQ(stopped(), Keys{kernel(1)});
  pass(kMillisecond);
  EXPECT_TRUE(snapshot_wanted());
}

TEST_F(Orders, TheSnapshotAfterAGapBringsWhatWasMissed) {
  given_joined();
  obey_start(13, 12, start_of(kernel(2)));
  snapshot(13, {desired(start_of(kernel(2)))});
  EXPECT_EQ(started(), Keys{kernel(2)});
  pass(10 * kSecond);
  EXPECT_FALSE(snapshot_wanted());
}

TEST_F(Orders, APreviousThatTheSnapshotCoversIsNoGap) {
  given_joined();
  obey_start(12, 8, start_of(kernel(1)));
  EXPECT_EQ(started(), Keys{kernel(1)});
}

TEST_F(Orders, ASnapshotAtTheLastPositionCountsAndAnOlderOneDoesNot) {
  given_joined();
  snapshot(10, {desired(start_of(kernel(1)))});
  EXPECT_EQ(started(), Keys{kernel(1)});
  snapshot(9, {});
  EXPECT_EQ(stopped(), Keys{});
}

TEST_F(Orders, ALaterElectionsSnapshotCountsEvenAtAnOlderPosition) {
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  epoch = 2;
  election = 0xE2;
  snapshot(10, {});
  EXPECT_EQ(stopped(), Keys{kernel(1)});
}

TEST_F(Orders, AStoppedKernelNeverStarts) {
  given_joined();
  obey_stop(12, 11, kernel(1));  // its start, 11, is late
  EXPECT_EQ(fact_of(kernel(1)).end(), v1::NEVER_STARTED);
  obey_start(11, 10, start_of(kernel(1)));
  EXPECT_EQ(started(), Keys{});
  snapshot(11, {desired(start_of(kernel(1)))});
  EXPECT_EQ(started(), Keys{});
}

TEST_F(Orders, AStopThatIsNewerThanTheSnapshotIsRememberedThroughIt) {
  given_joined();
  obey_stop(12, 11, kernel(1));
  snapshot(10, {});
  obey_start(11, 10, start_of(kernel(1)));
  EXPECT_EQ(started(), Keys{});
}

TEST_F(Orders, AnotherAttemptOfAStoppedKernelDoesStart) {
  given_joined();
  obey_stop(11, 10, kernel(1, 1));
  obey_start(12, 11, start_of(kernel(1, 2)));
  EXPECT_EQ(started(), (Keys{kernel(1, 2)}));
}

TEST_F(Orders, TheSameEpochWithAnotherElectionNonceMakesItJoinAnew) {
  given_joined();
  election = 0xEE;
  obey_start(11, 10, start_of(kernel(1)));
  EXPECT_EQ(started(), Keys{});
  EXPECT_FALSE(agent->joined());
  pass(kSecond);
  EXPECT_TRUE(out.join_wanted);
  join(2);
  snapshot(7, {desired(start_of(kernel(1)))});  // what it had seen is forgotten, so an older position counts
  EXPECT_EQ(started(), Keys{kernel(1)});
}

TEST_F(Orders, AnAckOfTheSameEpochWithAnotherNonceMakesItJoinAnewToo) {
  given_joined();
  election = 0xEE;
  ack(1);
  EXPECT_FALSE(agent->joined());
}

TEST_F(Orders, OrdersForAnEarlierIncarnationAreDropped) {
  given_joined();
  const Uuid old = incarnation;
  now.boottime += kSecond;
  join(2);
  snapshot(10);
  incarnation = old;
  obey_start(11, 10, start_of(kernel(1)));
  EXPECT_EQ(started(), Keys{});
}

TEST_F(Orders, OrdersForAnotherAgentAreDropped) {
  given_joined();
  v1::Order other = order(11, 10);
  other.set_agent("a2");
  *other.add_start() = start_of(kernel(1));
  when(OrderArrived{other});
  EXPECT_EQ(started(), Keys{});
}

TEST_F(Orders, AnOrderThatAcksSpeakOfAndThatIsMissingForTwoSecondsIsAskedFor) {
  given_joined();
  ack(1, 11);
  pass(kSecond);
  EXPECT_FALSE(snapshot_wanted());
  pass(kSecond);
  EXPECT_TRUE(snapshot_wanted());
}

TEST_F(Orders, AnOrderThatComesInTimeIsNotAskedFor) {
  given_joined();
  ack(1, 11);
  obey_start(11, 10, start_of(kernel(1)));
  pass(4 * kSecond);
  EXPECT_FALSE(snapshot_wanted());
}

TEST_F(Orders, ARewoundReaderAsksForASnapshotAndGoesOnAsking) {
  given_joined();
  when(OrdersRewound{});
  pass(kMillisecond);
  EXPECT_TRUE(snapshot_wanted());
  pass(kSecond);
  EXPECT_FALSE(snapshot_wanted());
  pass(kSecond);
  EXPECT_TRUE(snapshot_wanted());
}

TEST_F(Orders, WithoutAnAnswerToItsJoinItAsksAndThenJoinsWithNewIds) {
  join();
  pass(2 * kSecond);
  EXPECT_TRUE(snapshot_wanted());
  EXPECT_FALSE(out.join_wanted);
  pass(30 * kSecond);
  EXPECT_TRUE(out.join_wanted);
}

TEST_F(Orders, OrdersThatALostEndOfTheJournalTookBackMakeItJoinAnew) {
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  pass(kSecond);
  const auto said = out.beats.at(0).counter();
  epoch = 2;
  election = 0xE2;
  ack(said, 10);  // the new leader knows of no order 11
  EXPECT_FALSE(agent->joined());
}

TEST_F(Orders, P21_AnOrderOfALaterElectionThatDoesNotKnowTheLastOneMakesItJoinAnew) {
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  epoch = 2;
  election = 0xE2;
  obey_start(12, 10, start_of(kernel(2)));  // the new leader knows of no order 11
  EXPECT_EQ(started(), Keys{});
  EXPECT_FALSE(agent->joined());
  pass(kSecond);
  EXPECT_TRUE(out.join_wanted);
  join(2);
  snapshot(12, {desired(start_of(kernel(2)))});
  EXPECT_EQ(stopped(), Keys{kernel(1)});
  EXPECT_EQ(started(), Keys{kernel(2)});
}

TEST_F(Orders, MalformedIdsAreIgnoredAndSaid) {
  given_joined();
  v1::StartKernel bad = start_of(kernel(1));
  bad.set_kernel_id("short");
  obey_start(11, 10, bad);
  EXPECT_EQ(started(), Keys{});
  EXPECT_TRUE(warned_of("malformed"));
}

}  // namespace
}  // namespace berth::agents
