// How people sign in, as the fold has it; and that what names people refers to what is there.
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

v1::Event user_in(const std::string& name, const std::string& project, const std::string& admin_of = "") {
  v1::Event e = user_defined(name);
  e.mutable_user_defined()->clear_projects();
  e.mutable_user_defined()->add_projects(project);
  if (!admin_of.empty()) e.mutable_user_defined()->add_admin_of(admin_of);
  return e;
}

TEST(Identity, APasswordEndsTheLoginLinkOfItsUser) {
  Given g = given(definitions() + Events{login_link_issued("alice")});
  ASSERT_NE(g.state().login_links.find("alice"), nullptr);
  g.when({password_set("alice")}).then_applied();
  EXPECT_EQ(g.state().login_links.size(), 0u);
  EXPECT_NE(g.state().passwords.find("alice"), nullptr);
}

TEST(Identity, ABrowserSessionLivesFromItsStartToItsEnd) {
  Given g = given(definitions() + Events{browser_session_started("b1", "alice")});
  g.when({browser_session_started("b1", "alice")}).then_forbidden("of that id exists").when_elected();
  g.when({browser_session_used("b1", kTestStart + kHour)}).then_applied();
  EXPECT_EQ(g.state().browser_sessions.find(*Uuid::from_bytes(wire("b1")))->used_at, kTestStart + kHour);
  g.when({browser_session_ended("b1")}).then_applied();
  g.when({browser_session_ended("b1")}).then_forbidden("no such browser session");
}

TEST(Identity, TheEndOfABrowserSessionNamesTheUserWhoseItIs) {
  const Events started = definitions() + Events{user_defined("bob"), browser_session_started("b1", "bob")};
  given(started).when({browser_session_ended("b1", "alice")}).then_forbidden("not that user's");
  given(started).when({browser_session_ended("b1", "")}).then_forbidden("not that user's");
  given(started).when({browser_session_ended("b1", "bob")}).then_applied();
}

TEST(Identity, ALoginLinkEndsUnspentByAnEventOfItsOwn) {
  Given g = given(definitions() + Events{login_link_issued("alice")});
  g.when({login_link_ended("bob")}).then_forbidden("no login link").when_elected();
  g.when({login_link_ended("alice")}).then_applied();
  EXPECT_EQ(g.state().login_links.size(), 0u);
  g.when({login_link_ended("alice")}).then_forbidden("no login link").when_elected();
  g.when({login_link_issued("alice")}).then_applied();
  EXPECT_EQ(g.state().login_links.size(), 1u);
}

TEST(Identity, WhatSignsInIsOfAUserWhoIsThere) {
  for (const v1::Event& event :
       {password_set("nobody"), login_link_issued("nobody"), browser_session_started("b1", "nobody")})
    given(definitions()).when({event}).then_forbidden("no user is named 'nobody'");
  v1::Event unmarked = password_set("alice");
  unmarked.mutable_password_set()->clear_mark();
  given(definitions()).when({unmarked}).then_forbidden("without its mark");
  given(definitions()).when({key_pair_defined("AK1", "nobody")}).then_forbidden("a user that does not exist");
  given(definitions()).when({key_pair_used("AK1", kTestStart)}).then_forbidden("no such key pair");
}

TEST(Identity, AUserIsOfADomainAndOfProjectsThatExist) {
  v1::Event elsewhere = user_defined("bob");
  elsewhere.mutable_user_defined()->set_domain("nowhere");
  given(definitions()).when({elsewhere}).then_forbidden("no domain is named 'nowhere'");
  given(definitions()).when({user_in("bob", "none")}).then_forbidden("no project is named 'default/none'");
  given(definitions()).when({user_in("bob", "default", "other")}).then_forbidden("no member of it");
  for (const char* role : {"king", ""})
    given(definitions()).when({user_with_role("bob", role)}).then_forbidden("a role that does not exist");
}

TEST(Identity, ARemovedUserLeavesNothingThatSignsInAndTheNameNeverComesBack) {
  Given g = given(definitions() + Events{key_pair_defined("AK1", "alice"), password_set("alice"),
                                         login_link_issued("alice"), browser_session_started("b1", "alice")});
  g.when({definition_removed("user", "alice")}).then_applied();
  EXPECT_EQ(g.state().key_pairs.size() + g.state().passwords.size() + g.state().login_links.size() +
                g.state().browser_sessions.size() + g.state().users.size(),
            0u);
  g.when({user_defined("alice")}).then_forbidden("never given again").when_elected();
  g.when({user_defined("bob")}).then_applied();
  g.when({key_pair_defined("AK1", "bob")}).then_forbidden("never given again");
}

TEST(Identity, WhatHoldsSomethingLiveStays) {
  Given g = given(definitions() + Events{session_requested("s1")});
  g.when({definition_removed("user", "alice")}).then_forbidden("is of 'alice'").when_elected();
  g.when({definition_removed("project", "default/default")}).then_forbidden("has members").when_elected();
  g.when({definition_removed("domain", "default")}).then_forbidden("has ");
  Given empty = given(definitions() + Events{domain_defined("lab"), project_defined("lab", "x")});
  empty.when({definition_removed("domain", "lab")}).then_forbidden("has projects").when_elected();
  empty.when({definition_removed("project", "lab/x")}).then_applied();
  empty.when({definition_removed("domain", "lab")}).then_applied();
  empty.when({project_defined("lab", "y")}).then_forbidden("a domain that does not exist");
}

TEST(Identity, TheLogSaysWhichAgentsAreHeldUnreachable) {
  Given g = given(definitions() + agent("a1"));
  g.when({unreachable_changed({"a9"})}).then_forbidden("no agent is named a9").when_elected();
  g.when({unreachable_changed({}, {"a1"})}).then_forbidden("was not held unreachable").when_elected();
  g.when({unreachable_changed({"a1"})}).then_applied();
  EXPECT_NE(g.state().unreachable.find("a1"), nullptr);
  g.when({unreachable_changed({}, {"a1"})}).then_applied();
  EXPECT_EQ(g.state().unreachable.size(), 0u);
}

}  // namespace
}  // namespace berth::testing
