// The table of rights, walked: every role, noun and verb against what is own, of the same project, of another
// project and of another domain.
#include "projections/rights.h"
#include "tests/support/words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace berth::projections {
namespace {

Actor actor_of_role(const std::string& role, bool administers = false) {
  Actor out{"alice", testing::value_of<v1::Role>(role), "d1", {"p1", "p2"}, {}};
  if (administers) out.admin_of = {"p1"};
  return out;
}

v1::Owner subject(const std::string& domain, const std::string& project, const std::string& user) {
  v1::Owner out;
  out.set_domain(domain);
  out.set_project(project);
  out.set_user(user);
  return out;
}

const std::map<std::string, Actor> kActors = {{"user", actor_of_role("user")},
                                              {"project admin", actor_of_role("user", true)},
                                              {"domain admin", actor_of_role("domain-admin")},
                                              {"monitor", actor_of_role("monitor")},
                                              {"superadmin", actor_of_role("superadmin")}};

Reach column(const Right& right, const std::string& who) {
  if (who == "user") return right.user;
  if (who == "project admin") return right.project_admin;
  if (who == "domain admin") return right.domain_admin;
  return who == "monitor" ? right.monitor : right.superadmin;
}

TEST(Rights, EachRoleReachesAsFarAsItsColumnSays) {
  for (const auto& actor : kActors)
    for (const Right& right : rights()) {
      const auto& who = actor.first;
      const auto& asks = actor.second;
      SCOPED_TRACE(who + ": " + std::string(name_of(right.noun)) + "." + std::string(name_of(right.verb)));
      const Reach far = column(right, who);
      EXPECT_EQ(reach(asks, right.noun, right.verb), far);
      const auto may_do = [&](const v1::Owner& to) { return may(asks, right.noun, right.verb, to); };
      EXPECT_EQ(may_do(subject("d1", "p1", "alice")), far != Reach::kNone) << "own";
      EXPECT_EQ(may_do(subject("d1", "p1", "bob")), far >= Reach::kProject) << "of an administered project";
      EXPECT_EQ(may_do(subject("d1", "p2", "bob")), far >= Reach::kDomain) << "of another project";
      EXPECT_EQ(may_do(subject("d2", "p1", "bob")), far == Reach::kAll) << "of another domain";
      EXPECT_EQ(may_do({}), far == Reach::kAll) << "nobody's";
    }
}

TEST(Rights, NoNounAndVerbStandTwice) {
  std::set<std::pair<Noun, Verb>> seen;
  for (const Right& right : rights()) EXPECT_TRUE(seen.insert({right.noun, right.verb}).second);
}

TEST(Rights, WhatNoRowNamesNobodyMay) {
  EXPECT_EQ(reach(actor_of_role("superadmin"), Noun::kMetrics, Verb::kEnd), Reach::kNone);
}

TEST(Rights, AMonitorSeesWhatItDoesNotChange) {
  for (const Right& right : rights())
    if (right.verb != Verb::kSee) { EXPECT_LE(right.monitor, Reach::kOwn); }
  EXPECT_EQ(reach(actor_of_role("monitor"), Noun::kEnvironment, Verb::kSee), Reach::kNone);
}

TEST(Rights, ARoleThatIsUnknownIsAUsers) {
  EXPECT_EQ(reach(actor_of_role("root"), Noun::kSession, Verb::kSee), Reach::kOwn);
}

TEST(Rights, AMemberOfAProjectChangesItsMembersOnlyAsItsAdmin) {
  EXPECT_TRUE(may(actor_of_role("user", true), Noun::kMembership, Verb::kChange, subject("d1", "p1", "")));
  EXPECT_FALSE(may(actor_of_role("user", true), Noun::kMembership, Verb::kChange, subject("d1", "p2", "")));
  EXPECT_TRUE(may(actor_of_role("user", true), Noun::kProject, Verb::kSee, subject("d1", "p2", "")));
  EXPECT_FALSE(may(actor_of_role("user"), Noun::kProject, Verb::kSee, subject("d1", "p3", "")));
  EXPECT_TRUE(may(actor_of_role("user"), Noun::kLimit, Verb::kSee, subject("d1", "", "")));
}

TEST(Rights, AProjectAdminSeesTheUsersOfTheProject) {
  v1::UserDefined bob;
  bob.set_name("bob");
  bob.set_domain("d1");
  bob.add_projects("p2");
  EXPECT_FALSE(may(actor_of_role("user", true), Noun::kUser, Verb::kSee, bob));
  bob.add_projects("p1");
  EXPECT_TRUE(may(actor_of_role("user", true), Noun::kUser, Verb::kSee, bob));
  bob.set_domain("d2");
  EXPECT_FALSE(may(actor_of_role("user", true), Noun::kUser, Verb::kSee, bob));
}

TEST(Rights, NobodyManagesARoleAboveTheirOwn) {
  for (const v1::Role role : {v1::ROLE_SUPERADMIN, v1::ROLE_DOMAIN_ADMIN, v1::ROLE_USER, v1::ROLE_MONITOR}) {
    EXPECT_TRUE(may_manage_role(actor_of_role("superadmin"), role));
    EXPECT_EQ(may_manage_role(actor_of_role("domain-admin"), role),
              role == v1::ROLE_DOMAIN_ADMIN || role == v1::ROLE_USER);
    EXPECT_FALSE(may_manage_role(actor_of_role("monitor"), role));
    EXPECT_FALSE(may_manage_role(actor_of_role("user", true), role));
  }
}

TEST(Rights, TheDocumentsTableHasARowForEach) {
  const std::string text = rights_text();
  EXPECT_NE(text.find("| session | end | own | project | domain | - | all |\n"), std::string::npos);
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), rights().size() + 2);
}

TEST(Rights, TheReadmeOfTheApiHasTheTable) {
  std::ifstream file("controller/api/README.md");
  const std::string readme((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSERT_FALSE(readme.empty()) << "to be run in the folder of the sources, as ctest does";
  EXPECT_NE(readme.find("\n\n" + rights_text() + "\n"), std::string::npos) << rights_text();
}

}  // namespace
}  // namespace berth::projections
