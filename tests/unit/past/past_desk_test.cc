// The desk that rebuilds states of the past: what it answers, keeps, and refuses.
#include "projections/past/past_desk.h"

#include <future>

#include "tests/unit/past/past_rig.h"

namespace berth::testing {
namespace {

using projections::PastDesk;
using projections::PastMoment;
using projections::PastPtr;

struct DeskRig {
  explicit DeskRig(PastDesk::Options options = {}) : journal(busy_journal(30)) {
    past.follow(journal);
    desk = std::make_unique<PastDesk>(PastDesk::Parts{{test_cluster(),
                                                       {},
                                                       past.log,
                                                       past.checkpoints.get(),
                                                       [this](Offset) {
                                                         if (!std::exchange(is_held, true)) {
                                                           reached.set_value();
                                                           held.get_future().wait();
                                                         }
                                                         return false;
                                                       }},
                                                      [this] { return past.projector->next(); },
                                                      [this] { return journal.time() + kHour; }},
                                      options);
  }
  Result<PastPtr> ask(const PastMoment& moment) {
    std::promise<Result<PastPtr>> answer;
    auto future = answer.get_future();
    desk->ask(moment, [&](Result<PastPtr> state) { answer.set_value(std::move(state)); });
    return future.get();
  }
  std::string code_of(const PastMoment& moment) {
    const auto answer = ask(moment);
    return answer.ok() ? "" : answer.error().code.word();
  }

  PastRig past;
  TestJournal journal;
  bool is_held = false;  // the desk's thread
  std::promise<void> reached, held;
  std::unique_ptr<PastDesk> desk;
};

PastMoment at(Offset position) { return {position, 0}; }
PastMoment at_time(Timestamp time) { return {std::nullopt, time}; }

struct FreeDesk : DeskRig {
  explicit FreeDesk(PastDesk::Options options = {}) : DeskRig(options) {
    desk = std::make_unique<PastDesk>(
        PastDesk::Parts{{test_cluster(), {}, past.log, past.checkpoints.get(), [](Offset) { return false; }},
                        [this] { return past.projector->next(); },
                        [this] { return journal.time() + kHour; }},
        options);
  }
};

TEST(PastDesk, AnswersPositionsAndTimes) {
  FreeDesk rig;
  const auto state = rig.ask(at(10));
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(rows_of((*state)->state()), folded_rows(rig.journal, 11));
  const auto same = rig.ask(at_time((*state)->point.time));
  ASSERT_TRUE(same.ok());
  EXPECT_GE((*same)->point.position, 10u);
  EXPECT_EQ((*same)->point.time, (*state)->point.time);
}

TEST(PastDesk, RefusesWhatIsNoMomentOfTheJournal) {
  FreeDesk rig;
  EXPECT_EQ(rig.code_of(at(rig.past.projector->next())), "future-moment");
  EXPECT_EQ(rig.code_of(at_time(rig.journal.time() + kDay)), "future-moment");
  EXPECT_EQ(rig.code_of(at_time(kTestStart - kDay)), "before-the-log");
  EXPECT_TRUE(rig.ask(at_time(rig.journal.time() + kMinute)).ok());  // after the last record: its state
}

TEST(PastDesk, KeepsAFewStatesAndGivesThemOutAgain) {
  PastDesk::Options options;
  options.states_max = 2;
  FreeDesk rig(options);
  const auto first = rig.ask(at(3));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*rig.ask(at(3)), *first);
  EXPECT_TRUE(rig.ask(at(20)).ok());
  EXPECT_EQ(*rig.ask(at(3)), *first);
  EXPECT_TRUE(rig.ask(at(21)).ok());
  EXPECT_TRUE(rig.ask(at(22)).ok());
  EXPECT_NE(*rig.ask(at(3)), *first);
}

TEST(PastDesk, ThatIsFullSaysSoAndManyMayWaitForOneMoment) {
  PastDesk::Options options;
  options.waiting_max = 2;
  DeskRig rig(options);
  std::vector<std::future<Result<PastPtr>>> waiting;
  const auto later = [&](Offset position) {
    auto answer = std::make_shared<std::promise<Result<PastPtr>>>();
    waiting.push_back(answer->get_future());
    rig.desk->ask(at(position), [answer](Result<PastPtr> state) { answer->set_value(std::move(state)); });
  };
  later(3);
  rig.reached.get_future().wait();  // it is under way, and held
  later(4);
  later(5);
  for (int i = 0; i < 20; ++i) later(5);
  EXPECT_EQ(rig.code_of(at(6)), "past-busy");
  EXPECT_TRUE(rig.desk->percent(at(3)).has_value());
  std::thread stop([&] { rig.desk->stop(); });
  rig.held.set_value();
  stop.join();
  for (auto& answer : waiting) {
    const auto state = answer.get();
    EXPECT_TRUE(state.ok() || state.error().code == "stopping");
  }
}

// The next record may fall into a time that is not over.
TEST(PastDesk, ATimeThatMayStillBringARecordIsNotRemembered) {
  FreeDesk rig;
  const Timestamp now = rig.journal.time() + kMinute;
  const auto before = rig.ask(at_time(now));
  ASSERT_TRUE(before.ok());
  rig.journal.advance(kSecond);
  rig.journal.append({domain_defined("later")});
  rig.past.follow(rig.journal);
  const auto after = rig.ask(at_time(now));
  ASSERT_TRUE(after.ok());
  EXPECT_EQ((*after)->point.position, (*before)->point.position + 1);
  EXPECT_NE((*after)->state().domains.find("later"), nullptr);
  rig.journal.advance(kHour);
  rig.journal.append({domain_defined("much-later")});
  rig.past.follow(rig.journal);
  EXPECT_EQ((*rig.ask(at_time(now)))->point.position, (*after)->point.position);
}

TEST(PastDesk, P35_StatesOfRecordsThatTheLogLostAreForgotten) {
  FreeDesk rig;
  const auto kept = rig.ask(at(5)), lost = rig.ask(at(20));
  ASSERT_TRUE(kept.ok() && lost.ok());
  const Timestamp time = (*lost)->point.time;
  ASSERT_TRUE(rig.ask(at_time(time)).ok());
  rig.desk->on_rebuilt(10);
  EXPECT_EQ(*rig.ask(at(5)), *kept);
  EXPECT_NE(*rig.ask(at(20)), *lost);
  EXPECT_NE(*rig.ask(at_time(time)), *lost);
}

TEST(PastDesk, P35_AStateThatIsUnderWayWhenTheLogLostItsRecordsIsDoneAgain) {
  DeskRig rig;
  std::promise<Result<PastPtr>> answer;
  auto future = answer.get_future();
  rig.desk->ask(at(3), [&](Result<PastPtr> state) { answer.set_value(std::move(state)); });
  rig.reached.get_future().wait();  // it is under way, and held
  rig.desk->on_rebuilt(2);
  rig.held.set_value();
  const auto state = future.get();
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(*rig.ask(at(3)), *state) << "it was made after the cut, and is kept";
}

TEST(PastDesk, KnowsTheBounds) {
  FreeDesk rig;
  const auto bounds = rig.desk->bounds();
  ASSERT_TRUE(bounds.ok());
  EXPECT_EQ(bounds->first.position, 0u);
  EXPECT_EQ(bounds->last.position + 1, rig.past.projector->next());
  EXPECT_EQ(bounds->last.time, rig.past.projector->state().epoch().time);
}

}  // namespace
}  // namespace berth::testing
