// Questions from several threads: each is answered as if it were the only one.
#include "controller/runtime/explainer.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

TEST(Explainer, AnswersSeveralThreadsAsIfEachWereAlone) {
  Given given(definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 4, 64 * kGiga)});
  Explainer explainer;
  given.projection().set_listener(&explainer.listener());
  given.and_given(running("long", "a1", Spec().cpu(4)));
  given.and_given({session_requested("s1", Spec().cpu(2)), session_reason_changed("s1", "no-capacity", "cpu"),
                   session_requested("s2", Spec().cpu(1)), session_reason_changed("s2", "behind-head", "")});
  const SeesSession everybody = [](const auto&) { return true; };
  std::vector<Explanation> head(8), behind(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < head.size(); ++i)
    threads.emplace_back([&, i] {
      const Timestamp now = given.journal().time();
      head[i] = explainer.why(given.state(), now, session_id("s1"), everybody);
      behind[i] = explainer.why(given.state(), now, session_id("s2"), everybody);
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

}  // namespace
}  // namespace berth::controller
