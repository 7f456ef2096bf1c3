// What a leader has to look at because rows changed.
#include "controller/feed/leader_todo.h"

#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

class LeaderTodoTest : public ::testing::Test {
 public:
  LeaderTodoTest() : given_(definitions() + agent("a1")) { follow(); }
  ~LeaderTodoTest() override { given_.projection().set_listener(nullptr); }

 protected:
  void follow() {
    todo_.emplace(given_.state());
    given_.projection().set_listener(&*todo_);
  }
  static v1::SessionSpec after_d1() {
    v1::SessionSpec spec = Spec().batch();
    spec.add_depends_on(testing::wire("d1"));
    return spec;
  }

  Given given_;
  std::optional<LeaderTodo> todo_;
};

TEST_F(LeaderTodoTest, AFailedEndIsToldOnce) {
  given_.and_given({session_requested("d1", Spec().batch()), session_requested("s1", after_d1())});
  (void)todo_->take_failed_dependencies();
  given_.and_given({session_cancelled("d1")});
  EXPECT_EQ(todo_->take_failed_dependencies(), (std::vector<SessionId>{session_id("d1")}));
  EXPECT_TRUE(todo_->take_failed_dependencies().empty());
}

TEST_F(LeaderTodoTest, AnEndOfNoBatchSessionIsNotTold) {
  given_.and_given({session_requested("i1")});
  given_.and_given({session_cancelled("i1")});
  EXPECT_TRUE(todo_->take_failed_dependencies().empty());
}

TEST_F(LeaderTodoTest, ANewLeaderLooksAtEverySessionThatAnotherOneWaitsFor) {
  given_.and_given({session_requested("d1", Spec().batch()), session_requested("s1", after_d1())});
  given_.and_given({session_cancelled("d1")});
  follow();
  EXPECT_EQ(todo_->take_failed_dependencies(), (std::vector<SessionId>{session_id("d1")}));
}

TEST_F(LeaderTodoTest, ALostAgentIsToldOnce) {
  EXPECT_TRUE(todo_->take_lost()) << "a new leader looks once";
  given_.and_given({agent_lost("a1")});
  EXPECT_TRUE(todo_->take_lost());
  EXPECT_FALSE(todo_->take_lost());
  todo_->look_at_lost_again();
  EXPECT_TRUE(todo_->take_lost());
}

}  // namespace
}  // namespace berth::controller
