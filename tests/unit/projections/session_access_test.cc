// Who sees a session and who acts in it: by right, and by share.
#include "projections/session_access.h"

#include <gtest/gtest.h>

#include "tests/support/words.h"

namespace berth::projections {
namespace {

Actor person(const std::string& user, const std::string& role = "user",
             const std::string& domain = "default") {
  return {user, testing::value_of<v1::Role>(role), domain, {}, {}};
}
Actor one_of(const std::string& project, const std::string& domain = "default") {
  return {"max", v1::ROLE_USER, domain, {project}, {}};
}

v1::Owner alices() {
  v1::Owner owner;
  owner.set_domain("default");
  owner.set_project("default");
  owner.set_user("alice");
  return owner;
}
SessionShareRow with(const std::string& scope, const std::string& id) {
  return {SessionId(), {{testing::value_of<v1::ScopeKind>(scope), id}}};
}

bool acts(const Actor& a, const SessionShareRow* shares) {
  const bool terminal = may_act_in_session(a, Noun::kTerminal, alices(), shares);
  EXPECT_EQ(may_act_in_session(a, Noun::kExec, alices(), shares), terminal);
  return terminal;
}

TEST(SessionAccess, WithoutASharePeopleHaveTheirRightsAlone) {
  EXPECT_TRUE(may_see_session(person("alice"), alices(), nullptr));
  EXPECT_TRUE(acts(person("alice"), nullptr));
  EXPECT_FALSE(may_see_session(person("bob"), alices(), nullptr));
  for (const char* role : {"user", "monitor", "domain-admin", "superadmin"})
    EXPECT_FALSE(acts(person("bob", role), nullptr)) << role;
}

TEST(SessionAccess, WhomItIsSharedWithSeesItAndActsInIt) {
  const SessionShareRow row = with("user", "bob");
  for (const char* role : {"user", "domain-admin", "superadmin"}) {
    EXPECT_TRUE(may_see_session(person("bob", role), alices(), &row)) << role;
    EXPECT_TRUE(acts(person("bob", role), &row)) << role;
    EXPECT_FALSE(acts(person("eve", role), &row)) << role;
  }
  EXPECT_FALSE(may_see_session(person("eve"), alices(), &row));
}

TEST(SessionAccess, IsNotSharedWithItsOwner) {
  Actor alice = one_of("labs");
  alice.user = "alice";
  const SessionShareRow row = with("project", "default/labs");
  EXPECT_FALSE(is_shared_with(alice, alices(), &row));
  EXPECT_TRUE(is_shared_with(one_of("labs"), alices(), &row));
}

TEST(SessionAccess, AProjectIsItsMembersOfItsOwnDomain) {
  const SessionShareRow row = with("project", "default/labs");
  EXPECT_TRUE(acts(one_of("labs"), &row));
  EXPECT_FALSE(acts(one_of("arts"), &row));
  EXPECT_FALSE(acts(one_of("labs", "other"), &row));
  EXPECT_FALSE(may_see_session(one_of("labs", "other"), alices(), &row));
  const SessionShareRow bent = with("project", "labs");
  EXPECT_FALSE(acts(one_of("labs"), &bent));
}

TEST(SessionAccess, AMonitorActsInNoSessionThatIsShared) {
  const SessionShareRow row = with("user", "mona");
  EXPECT_TRUE(may_see_session(person("mona", "monitor"), alices(), &row));
  EXPECT_FALSE(acts(person("mona", "monitor"), &row));
}

}  // namespace
}  // namespace berth::projections
