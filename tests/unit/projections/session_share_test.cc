// With whom sessions are shared, as the log says it.
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

using projections::SessionShareRow;

Events shared_world() {
  return definitions() + agent("a1") +
         Events{user_defined("bob"), project_defined("default", "labs"), session_requested("s1"),
                session_scheduled("s1", "a1"), kernel_running(kernel_name("s1"))};
}

const SessionShareRow* shares(const Given& g, const std::string& session = "s1") {
  return g.state().session_shares.find(session_id(session));
}

TEST(SessionShare, IsThereUntilItIsWithdrawn) {
  Given g = given(shared_world());
  EXPECT_EQ(shares(g), nullptr);
  g.when({session_shared("s1", "user", "bob")}).then_applied();
  g.when({session_shared("s1", "project", "default/labs")}).then_applied();
  g.when({session_shared("s1", "user", "bob")}).then_applied();
  ASSERT_NE(shares(g), nullptr);
  ASSERT_EQ(shares(g)->shares.size(), 2u);
  EXPECT_EQ(shares(g)->shares[0].id, "default/labs");
  EXPECT_EQ(shares(g)->shares[1].id, "bob");
  g.when({session_shared("s1", "user", "bob", true)}).then_applied();
  EXPECT_EQ(shares(g)->shares.size(), 1u);
  g.when({session_shared("s1", "user", "bob", true)}).then_applied();
  g.when({session_shared("s1", "project", "default/labs", true)}).then_applied();
  EXPECT_EQ(shares(g), nullptr) << "nothing is kept of a session that is shared with nobody";
}

TEST(SessionShare, IsOfASessionAndWithThoseThatExist) {
  Given g = given(shared_world());
  const auto forbid = [&](const v1::Event& event, const char* why) {
    g.when({event}).then_forbidden(why).when_elected();
  };
  forbid(session_shared("s9", "user", "bob"), "no such session");
  forbid(session_shared("s1", "user", "nobody"), "does not exist");
  forbid(session_shared("s1", "project", "default/none"), "does not exist");
  forbid(session_shared("s1", "domain", "default"), "nobody");
  v1::Event damaged = session_shared("s1", "user", "bob");
  damaged.mutable_session_shared()->set_session_id("short");
  forbid(damaged, "no such session");
}

TEST(SessionShare, OfOneSessionThereAreABoundedNumber) {
  Events users;
  for (int i = 0; i <= projections::kSessionSharesMax; ++i)
    users.push_back(user_defined("u" + std::to_string(i)));
  Given g = given(shared_world() + users);
  for (int i = 0; i < projections::kSessionSharesMax; ++i)
    g.when({session_shared("s1", "user", "u" + std::to_string(i))}).then_applied();
  g.when({session_shared("s1", "user", "u0")}).then_applied();
  g.when({session_shared("s1", "user", "u" + std::to_string(projections::kSessionSharesMax))})
      .then_forbidden("too many shares");
}

TEST(SessionShare, EndsWithWhomItNames) {
  Given g = given(shared_world() + Events{session_requested("s2")});
  g.and_given({session_shared("s1", "user", "bob"), session_shared("s1", "project", "default/labs"),
               session_shared("s2", "user", "bob")});
  g.when({definition_removed("user", "bob")}).then_applied();
  ASSERT_NE(shares(g), nullptr);
  EXPECT_EQ(shares(g)->shares.size(), 1u);
  EXPECT_EQ(shares(g, "s2"), nullptr);
  g.when({definition_removed("project", "default/labs")}).then_applied();
  EXPECT_EQ(shares(g), nullptr);
}

TEST(SessionShare, LeavesTheStateWithItsSession) {
  Given g = given(shared_world() +
                  Events{session_shared("s1", "user", "bob"), kernel_terminated(kernel_name("s1"))});
  ASSERT_NE(shares(g), nullptr) << "what is shared is seen for a while behind its end";
  g.after(projections::kHistoryAfter + kSecond);
  g.and_given({clock_confirmed(), clock_confirmed()});
  EXPECT_FALSE(g.has_session("s1"));
  EXPECT_EQ(shares(g), nullptr);
}

}  // namespace
}  // namespace berth::testing
