// Who shares a session and with whom; what whom it is shared with may and may not ask for.
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

// s1 of alice runs on a1. bob, and mel of project labs; root a superadmin and mona a monitor; of domain d2
// the user dora, the superadmin suki and project p.
Events shared_world() {
  Events out = world() + Events{project_defined("default", "labs"),
                                domain_defined("d2"),
                                project_defined("d2", "p"),
                                user_with_role("mel", "user"),
                                user_with_role("root", "superadmin"),
                                user_with_role("mona", "monitor"),
                                user_with_role("dave", "domain-admin"),
                                user_with_role("dora", "user"),
                                user_with_role("suki", "superadmin"),
                                session_requested("s1"),
                                session_scheduled("s1", "a1"),
                                kernel_running(kernel_name("s1"))};
  for (v1::Event& e : out) {
    const std::string& name = e.user_defined().name();
    if (name == "mel") e.mutable_user_defined()->add_projects("labs");
    if (name != "dora" && name != "suki") continue;
    e.mutable_user_defined()->set_domain("d2");
    e.mutable_user_defined()->clear_projects();
  }
  return out;
}

v1::Request share(const std::string& scope, const std::string& id, bool withdraw = false) {
  return share_session("s1", scope, id, withdraw);
}

std::string share_refusal(const v1::Request& r, const Events& more = {}) {
  Case c = given(shared_world() + more);
  c.when(r);
  return word_of(c.decided().at(0).request_refused().code());
}

TEST(ShareSession, IsWithUsersAndProjectsOfItsDomain) {
  Case c = given(shared_world());
  c.when(share("user", "bob")).then({session_shared("s1", "user", "bob")});
  c.when(share("user", "bob")).then({session_shared("s1", "user", "bob")});
  c.when(share("project", "default/labs")).then({session_shared("s1", "project", "default/labs")});
  c.when(share("user", "nobody")).then_refused("unknown-user");
  c.when(share("user", "dora")).then_refused("unknown-user");
  c.when(share("project", "default/none")).then_refused("unknown-project");
  c.when(share("project", "d2/p")).then_refused("unknown-project");
  c.when(share("domain", "default")).then_refused("unknown-scope");
  c.when(share("", "")).then_refused("unknown-scope");
}

TEST(ShareSession, IsWithASuperadminOfAnyDomain) {
  given(shared_world())
      .when(share("user", "root"))
      .then({session_shared("s1", "user", "root")})
      .when(share("user", "suki"))
      .then({session_shared("s1", "user", "suki")});
}

TEST(ShareSession, IsNotWithItsOwnerNorWithAMonitor) {
  EXPECT_EQ(share_refusal(share("user", "alice")), "invalid-value");
  EXPECT_EQ(share_refusal(share("user", "mona")), "invalid-value");
}

TEST(ShareSession, IsItsOwnersAlone) {
  for (const char* user : {"root", "dave", "mona"})
    EXPECT_EQ(share_refusal(sent_by(share("user", "bob"), user)), "denied") << user;
  for (const char* user : {"bob", "mel", "dora"})
    EXPECT_EQ(share_refusal(sent_by(share("user", user), user)), "unknown-session") << user;
  const Events with_bob = {session_shared("s1", "user", "bob")};
  EXPECT_EQ(share_refusal(sent_by(share("user", "mel"), "bob"), with_bob), "denied");
  EXPECT_EQ(share_refusal(sent_by(share("user", "bob", true), "bob"), with_bob), "denied");
}

TEST(ShareSession, IsOfASessionThatLives) {
  const Events ending = {session_terminating("s1")};
  const Events ended = ending + Events{kernel_terminated(kernel_name("s1"))};
  EXPECT_EQ(share_refusal(share("user", "bob"), ending), "session-terminating");
  EXPECT_EQ(share_refusal(share("user", "bob"), ended), "session-ended");
  v1::Request other = share("user", "bob");
  other.mutable_share_session()->set_session_id(wire("s9"));
  EXPECT_EQ(share_refusal(other), "unknown-session");
  other.mutable_share_session()->set_session_id("short");
  EXPECT_EQ(share_refusal(other), "unknown-session");
}

TEST(ShareSession, IsWithdrawnWhateverTheSessionDoes) {
  const Events with_bob = {session_shared("s1", "user", "bob")};
  given(shared_world() + with_bob)
      .when(share("user", "bob", true))
      .then({session_shared("s1", "user", "bob", true)})
      .when(share("user", "bob", true))
      .then({session_shared("s1", "user", "bob", true)});
  given(shared_world() + with_bob + Events{session_terminating("s1"), kernel_terminated(kernel_name("s1"))})
      .when(share("user", "bob", true))
      .then({session_shared("s1", "user", "bob", true)});
  EXPECT_EQ(share_refusal(share("user", "nobody", true)), "unknown-user");
}

TEST(ShareSession, HasABound) {
  Events more;
  for (int i = 0; i < projections::kSessionSharesMax; ++i) {
    const std::string name = "u" + std::to_string(i);
    more.push_back(user_defined(name));
    more.push_back(session_shared("s1", "user", name));
  }
  EXPECT_EQ(share_refusal(share("user", "bob"), more), "too-many-shares");
  EXPECT_EQ(share_refusal(share("user", "u0"), more), "");
  EXPECT_EQ(share_refusal(share("user", "u0", true), more), "");
}

// ---- what a share is good for ----

TEST(ShareSession, LetsThemOpenItsKernels) {
  const Events shares = {session_shared("s1", "user", "bob"), session_shared("s1", "project", "default/labs"),
                         session_shared("s1", "user", "root")};
  for (const char* user : {"bob", "mel", "root"}) {
    EXPECT_EQ(share_refusal(sent_by(open_kernel("s1", "exec"), user), shares), "") << user;
    EXPECT_EQ(share_refusal(sent_by(open_kernel("s1", "app", "jupyter"), user), shares), "") << user;
  }
  EXPECT_EQ(share_refusal(sent_by(open_kernel("s1"), "suki"), shares), "denied");
  EXPECT_EQ(share_refusal(sent_by(open_kernel("s1"), "dora"), shares), "unknown-session");
  EXPECT_EQ(share_refusal(sent_by(open_kernel("s1"), "bob"),
                          shares + Events{session_shared("s1", "user", "bob", true)}),
            "unknown-session");
  EXPECT_EQ(share_refusal(sent_by(open_kernel("s1"), "root"),
                          shares + Events{session_shared("s1", "user", "root", true)}),
            "denied");
}

TEST(ShareSession, EndsWithAMembership) {
  v1::Event out = user_with_role("mel", "user");
  EXPECT_EQ(share_refusal(sent_by(open_kernel("s1"), "mel"),
                          Events{session_shared("s1", "project", "default/labs"), out}),
            "unknown-session");
}

TEST(ShareSession, LetsNobodyEndIt) {
  const Events with_bob = {session_shared("s1", "user", "bob")};
  EXPECT_EQ(share_refusal(sent_by(terminate_session("s1"), "bob")), "unknown-session");
  EXPECT_EQ(share_refusal(sent_by(terminate_session("s1"), "bob"), with_bob), "denied");
}

}  // namespace
}  // namespace berth::testing::decisions
