// Domains, projects, users and memberships: who makes and changes them, and what stays.
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

Events people() {
  return world_of_all_roles() +
         Events{project_defined("default", "other"), browser_session_started("b1", "alice")};
}

std::string code_of(const v1::Request& r, const Events& more = {}) {
  Case c = given(people() + more);
  c.when(r);
  return word_of(c.decided().at(0).request_refused().code());
}

const std::string kBadNames[] = {
    "", "Alice", "-a", ".a", "a b", "a/b", "\x01", "ålice", std::string(64, 'a'), std::string(10'000, 'a')};

TEST(PutDomain, ItIsCreatedAndThenChanged) {
  v1::Request named = put_domain("d3", false);
  named.mutable_put_domain()->set_display_name("물리학과");
  Case c = given(people());
  c.when(put_domain("d3")).then({domain_defined("d3")});
  v1::Event changed = domain_defined("d3");
  changed.mutable_domain_defined()->set_display_name("물리학과");
  c.when(named).then({changed});
  c.when(put_domain("d3")).then_refused("name-in-use");
  c.when(put_domain("d9", false)).then_refused("unknown-domain");
  for (const auto& name : kBadNames) c.when(put_domain(name)).then_refused("invalid-name");
}

TEST(PutProject, ADomainAdminMakesThemInTheDomain) {
  given(people())
      .when(sent_by(put_project("default", "new"), "dave"))
      .then({project_defined("default", "new")});
  EXPECT_EQ(code_of(sent_by(put_project("d2", "new"), "dave")), "unknown-domain");
  EXPECT_EQ(code_of(sent_by(put_project("default", "new"), "pat")), "denied");
  EXPECT_EQ(code_of(sent_by(put_project("default", "default", false), "pat")), "");
  EXPECT_EQ(code_of(sent_by(put_project("default", "default", false), "alice")), "denied");
  EXPECT_EQ(code_of(sent_by(put_project("default", "other", false), "alice")), "unknown-project");
  EXPECT_EQ(code_of(put_project("default", "default")), "name-in-use");
  EXPECT_EQ(code_of(put_project("nope", "p")), "unknown-domain");
  for (const auto& name : kBadNames) EXPECT_EQ(code_of(put_project("default", name)), "invalid-name");
}

TEST(PutUser, ADomainAdminMakesUsersInTheDomainUpToTheOwnRole) {
  v1::Event carol = user_defined("carol");
  carol.mutable_user_defined()->clear_projects();
  given(people()).when(sent_by(create_user("carol"), "dave")).then({carol});
  EXPECT_EQ(code_of(sent_by(create_user("carol", "domain-admin"), "dave")), "");
  EXPECT_EQ(code_of(sent_by(create_user("carol", "monitor"), "dave")), "denied");
  EXPECT_EQ(code_of(sent_by(create_user("carol", "superadmin"), "dave")), "denied");
  EXPECT_EQ(code_of(sent_by(create_user("carol"), "dora")), "unknown-domain");
  for (const char* user : {"alice", "pat", "monty"})
    EXPECT_EQ(code_of(sent_by(create_user("carol"), user)), "denied");
  EXPECT_EQ(code_of(sent_by(create_user("carol", "superadmin"), "root")), "");
}

TEST(PutUser, ItsNameIsNewAndItsProjectsExist) {
  v1::Request in_projects = create_user("carol");
  for (const char* project : {"other", "default", "other"})
    in_projects.mutable_put_user()->add_projects(project);
  Case c = given(people());
  c.when(in_projects);
  EXPECT_EQ(c.decided().at(0).user_defined().projects_size(), 2);
  EXPECT_EQ(code_of(create_user("alice")), "name-in-use");
  for (const char* role : {"king", ""}) EXPECT_EQ(code_of(create_user("carol", role)), "unknown-role");
  v1::Request nowhere = create_user("carol");
  nowhere.mutable_put_user()->add_projects("nope");
  EXPECT_EQ(code_of(nowhere), "unknown-project");
  for (const auto& name : kBadNames) EXPECT_EQ(code_of(create_user(name)), "invalid-name");
  for (const std::string& shown : {std::string("line\nbreak"), std::string(201, 'x')}) {
    v1::Request r = create_user("carol");
    r.mutable_put_user()->set_display_name(shown);
    EXPECT_EQ(code_of(r), "invalid-name");
  }
}

TEST(PutUser, AUserWithAnOlderNameIsChanged) {
  EXPECT_EQ(code_of(set_role("Old_Name", "user"), {user_defined("Old_Name")}), "");
}

TEST(PutUser, NobodyChangesARoleAboveTheirOwnOrAnotherDomain) {
  EXPECT_EQ(code_of(sent_by(set_role("alice", "domain-admin"), "dave")), "");
  EXPECT_EQ(code_of(sent_by(set_role("alice", "superadmin"), "dave")), "denied");
  EXPECT_EQ(code_of(sent_by(set_disabled("root"), "dave")), "denied");
  EXPECT_EQ(code_of(sent_by(set_disabled("monty"), "dave")), "denied");
  EXPECT_EQ(code_of(sent_by(set_disabled("alice"), "dora")), "unknown-user");
  EXPECT_EQ(code_of(sent_by(set_disabled("alice"), "pat")), "denied");
  EXPECT_EQ(code_of(sent_by(set_disabled("alice"), "bob")), "unknown-user");
  EXPECT_EQ(code_of(sent_by(set_role("alice", "superadmin"), "alice")), "denied");
  EXPECT_EQ(code_of(sent_by(remove("user", "root"), "dave")), "denied");
  EXPECT_EQ(code_of(sent_by(remove("user", "alice"), "dora")), "unknown-user");
}

TEST(PutUser, WhoIsDisabledLosesTheBrowserSessions) {
  v1::Event disabled = user_defined("alice");
  disabled.mutable_user_defined()->set_disabled(true);
  v1::Event ended = browser_session_ended("b1");
  ended.mutable_browser_session_ended()->set_reason(record_code("user-disabled"));
  given(people())
      .when(set_disabled("alice"))
      .then({disabled, ended})
      .when(set_disabled("alice", false))
      .then({user_defined("alice")});
}

TEST(PutUser, TheLastSuperadminIsNeitherRemovedNorDisabledNorDemoted) {
  EXPECT_EQ(code_of(set_disabled("root")), "last-superadmin");
  EXPECT_EQ(code_of(set_role("root", "user")), "last-superadmin");
  EXPECT_EQ(code_of(remove("user", "root")), "last-superadmin");
  EXPECT_EQ(code_of(define({user_defined("root")})), "last-superadmin");
  const Events other = {user_with_role("ruth", "superadmin")};
  for (const v1::Request& r : {set_disabled("root"), set_role("root", "user"), remove("user", "root")})
    EXPECT_EQ(code_of(r, other), "");
  v1::Event off = other[0];
  off.mutable_user_defined()->set_disabled(true);
  EXPECT_EQ(code_of(set_disabled("root"), {off}), "last-superadmin") << "one who is disabled does not count";
}

TEST(PutUser, TheLastSuperadminWhoCanSignInStays) {
  v1::Event off = key_pair_defined("k2", "ruth"), expired = off, reads = off;
  off.mutable_key_pair_defined()->set_active(false);
  expired.mutable_key_pair_defined()->set_expires_ns(kTestStart);
  reads.mutable_key_pair_defined()->set_read_only(true);
  const Events two = {user_with_role("ruth", "superadmin"), key_pair_defined("k1", "root")};
  for (const Events& credentials :
       {Events{}, Events{off}, Events{expired}, Events{reads}, Events{login_link_issued("ruth")}})
    for (const v1::Request& r : {set_disabled("root"), set_role("root", "user"), remove("user", "root"),
                                 define({user_defined("root")})})
      EXPECT_EQ(code_of(r, two + credentials), "last-superadmin") << credentials.size();
  for (const v1::Event& credential : {key_pair_defined("k2", "ruth"), password_set("ruth")})
    EXPECT_EQ(code_of(set_disabled("root"), two + Events{credential}), "");
  EXPECT_EQ(code_of(set_disabled("ruth"), two), "");
}

TEST(PutUser, ARoleThatRisesEndsTheLinkAndTheKeyPairsThatWereMadeForTheOldOne) {
  const v1::Event user = user_with_role("alice", "superadmin"),
                  over = login_link_ended("alice", "role-raised");
  v1::Event off = key_pair_defined("k1", "alice");
  off.mutable_key_pair_defined()->set_active(false);
  Case c = given(people() + Events{login_link_issued("alice"), key_pair_defined("k1", "alice"),
                                   key_pair_defined("k2", "bob")});
  c.when(set_role("alice", "superadmin")).then({user, over, off});
  c.when(set_password("alice", std::string(16, 't'))).then_refused("link-not-valid");
}

// "k-of-MAKER", made for alice.
v1::Event key_made_by(const std::string& maker) {
  v1::Event key = key_pair_defined("k-of-" + maker, "alice");
  key.mutable_key_pair_defined()->set_made_by(maker);
  return key;
}

TEST(PutUser, ARoleThatRisesLeavesTheKeyPairsThatTheUserMade) {
  v1::Event others = key_made_by("dave"), unknown = key_made_by("");
  const Events keys = {key_made_by("alice"), others, unknown};
  others.mutable_key_pair_defined()->set_active(false);
  unknown.mutable_key_pair_defined()->set_active(false);
  const v1::Event user = user_with_role("alice", "superadmin");
  given(people() + keys).when(set_role("alice", "superadmin")).then({user, unknown, others});
  given(people() + keys).when(define({user})).then({user, unknown, others});
}

TEST(Define, OneWhoIsNamedTwiceAndRisesLosesTheLinkOnce) {
  const v1::Event user = user_with_role("alice", "superadmin");
  given(people() + Events{login_link_issued("alice")})
      .when(define({user, user}))
      .then({user, user, login_link_ended("alice", "role-raised")});
}

// A link that has expired by itself ends no more.
TEST(PutUser, ARoleThatRisesEndsNoLinkThatIsOver) {
  given(people() + Events{login_link_issued("alice")})
      .after(2 * kDay)
      .when(set_role("alice", "superadmin"))
      .then({user_with_role("alice", "superadmin")});
}

TEST(PutUser, ARoleThatFallsOrStaysEndsNoKeyPair) {
  const Events made = {login_link_issued("alice"), key_pair_defined("k1", "alice")};
  given(people() + made).when(set_role("alice", "user")).then({user_defined("alice")});
  for (const char* role : {"user", "domain-admin", "monitor"})
    given(people() + Events{user_with_role("alice", "superadmin"), key_pair_defined("k2", "root")} + made)
        .when(set_role("alice", role))
        .then({user_with_role("alice", role)});
}

TEST(Define, ARoleThatRisesEndsTheKeyPairsOfBeforeAndNotThoseOfTheRequest) {
  v1::Event off = key_pair_defined("k1", "alice");
  off.mutable_key_pair_defined()->set_active(false);
  const v1::Event user = user_with_role("alice", "superadmin"), fresh = key_pair_defined("k2", "alice");
  given(people() + Events{key_pair_defined("k1", "alice")})
      .when(define({user, fresh}))
      .then({user, off, fresh});
}

TEST(PutMembership, AMemberAnAdminAndNone) {
  v1::Event admin = user_defined("alice"), member = user_defined("alice"), none = user_defined("alice");
  admin.mutable_user_defined()->add_admin_of("default");
  none.mutable_user_defined()->clear_projects();
  given(people())
      .when(put_membership("alice", "default", "admin"))
      .then({admin})
      .when(put_membership("alice", "default", "member"))
      .then({member})
      .when(put_membership("alice", "default", "none"))
      .then({none});
}

TEST(PutMembership, IsChangedByTheProjectsAdminsAndTheDomains) {
  for (const char* user : {"pat", "dave", "root"})
    EXPECT_EQ(code_of(sent_by(put_membership("alice", "default", "admin"), user)), "") << user;
  EXPECT_EQ(code_of(sent_by(put_membership("alice", "other", "member"), "pat")), "unknown-project");
  EXPECT_EQ(code_of(sent_by(put_membership("alice", "default", "admin"), "alice")), "denied");
  EXPECT_EQ(code_of(sent_by(put_membership("alice", "default", "admin"), "dora")), "unknown-user");
  EXPECT_EQ(code_of(put_membership("alice", "p", "member")), "unknown-project") << "of another domain";
  EXPECT_EQ(code_of(put_membership("alice", "default", "owner")), "invalid-level");
  EXPECT_EQ(code_of(put_membership("nobody", "default", "member")), "unknown-user");
}

TEST(PutMembership, NobodyChangesThatOfARoleAboveTheirOwn) {
  for (const auto& [actor, user, code] : {std::tuple{"dave", "root", "denied"},
                                          {"dave", "monty", "denied"},
                                          {"dave", "dave", ""},
                                          {"dave", "pat", ""},
                                          {"pat", "dave", "denied"},
                                          {"pat", "root", "denied"},
                                          {"pat", "pat", ""},
                                          {"root", "dave", ""}})
    EXPECT_EQ(code_of(sent_by(put_membership(user, "default", "none"), actor)), code)
        << actor << " of " << user;
}

}  // namespace
}  // namespace berth::testing::decisions
