// Questions from several threads: each is answered as if it were the only one.
#include "controller/runtime/explainer.h"

#include <gtest/gtest.h>

#include <future>
#include <shared_mutex>
#include <thread>

#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

TEST(Explainer, AnswersSeveralThreadsAsIfEachWereAlone) {
  Given given(definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 4, 64 * kGiga)});
  Explainer explainer([&](const Explainer::Read& look) { look(given.state()); });
  given.projection().set_listener(&explainer);
  given.and_given(running("long", "a1", Spec().cpu(4)));
  given.and_given({session_requested("s1", Spec().cpu(2)), session_reason_changed("s1", "no-capacity", "cpu"),
                   session_requested("s2", Spec().cpu(1)), session_reason_changed("s2", "behind-head", "")});
  const SeesSession everybody = [](const auto&) { return true; };
  std::vector<Explanation> head(8), behind(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < head.size(); ++i)
    threads.emplace_back([&, i] {
      const Timestamp now = given.journal().time();
      head[i] = explainer.why(now, session_id("s1"), everybody);
      behind[i] = explainer.why(now, session_id("s2"), everybody);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < head.size(); ++i) {
    EXPECT_EQ(head[i].unblock.ends, (std::vector<std::vector<SessionId>>{{session_id("long")}}));
    EXPECT_EQ(head[i].queue_position, 1u);
    EXPECT_EQ(behind[i].blocked_by, session_id("s1"));
    EXPECT_EQ(behind[i].queue_position, 2u);
  }
  given.projection().set_listener(nullptr);
}

// The copy is made at the first question; what changes after it is asked about as it is by then.
TEST(Explainer, FollowsTheStateFromOneQuestionToTheNext) {
  Given given(definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 4, 64 * kGiga)});
  Explainer explainer([&](const Explainer::Read& look) { look(given.state()); });
  given.projection().set_listener(&explainer);
  const SeesSession everybody = [](const auto&) { return true; };
  const auto asked = [&](const std::string& name) {
    return explainer.why(given.journal().time(), session_id(name), everybody);
  };
  EXPECT_EQ(asked("s0").code, "");
  for (int i = 0; i < 300; ++i) {  // more changes than the queue holds before the fold's thread applies them
    const std::string name = "s" + std::to_string(i);
    given.and_given(
        {session_requested(name, Spec().cpu(8)), session_reason_changed(name, "no-capacity", "cpu")});
  }
  EXPECT_EQ(asked("s0").queue_position, 1u);
  EXPECT_EQ(asked("s299").queue_position, 300u);
  given.and_given({session_cancelled("s0")});
  EXPECT_EQ(asked("s0").code, "");
  EXPECT_EQ(asked("s299").queue_position, 299u);
  explainer.forget();
  EXPECT_EQ(asked("s299").queue_position, 299u);
  given.projection().set_listener(nullptr);
}

// `sees` is asked while the answer is worked out: meanwhile another thread folds.
TEST(Explainer, F16_AChangeIsTakenWhileAnAnswerIsWorkedOut) {
  Given given(definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 4, 64 * kGiga)});
  std::shared_mutex state_lock;
  Explainer explainer([&](const Explainer::Read& look) {
    const std::shared_lock lock(state_lock);
    look(given.state());
  });
  given.projection().set_listener(&explainer);
  given.and_given(running("long", "a1", Spec().cpu(4)));
  given.and_given(
      {session_requested("s1", Spec().cpu(2)), session_reason_changed("s1", "no-capacity", "cpu")});
  std::future<void> folded;
  bool taken = false;
  const SeesSession folds_meanwhile = [&](const auto&) {
    if (folded.valid()) return true;
    folded = std::async(std::launch::async, [&] {
      const std::unique_lock lock(state_lock);
      for (int i = 0; i < 300; ++i) given.and_given({session_requested("t" + std::to_string(i))});
    });
    taken = folded.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    return true;
  };
  const auto now = given.journal().time();
  EXPECT_EQ(explainer.why(now, session_id("s1"), folds_meanwhile).holders.at(0).name, "long");
  EXPECT_TRUE(taken);
  const SeesSession everybody = [](const auto&) { return true; };
  EXPECT_EQ(explainer.why(now, session_id("t299"), everybody).queue_position, 301u);
  given.projection().set_listener(nullptr);
}

}  // namespace
}  // namespace berth::controller
