// Key pairs, login links, passwords and browser sessions.
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

const std::string kLink(16, 't');

Events people_with_passwords() {
  return world() + Events{user_with_role("root", "superadmin"), user_with_role("dave", "domain-admin"),
                          user_with_role("monty", "monitor")};
}

std::string sign_in_code(const v1::Request& r, const Events& more = {}) {
  Case c = given(people_with_passwords() + more);
  c.when(r);
  return word_of(c.decided().at(0).request_refused().code());
}

// ---- key pairs ----

TEST(AddKeyPair, ItIsActiveFromNowAndWasNeverUsed) {
  v1::Request r = add_key_pair("AK1", "alice");
  r.mutable_add_key_pair()->mutable_key()->set_used_ns(5);
  Case c = given(people_with_passwords());
  c.when(r);
  const v1::KeyPairDefined& key = c.decided().at(0).key_pair_defined();
  EXPECT_TRUE(key.active());
  EXPECT_EQ(key.created_ns(), c.decided_at());
  EXPECT_EQ(key.used_ns(), 0);
}

TEST(AddKeyPair, OfOneselfOrOfWhoIsBelow) {
  EXPECT_EQ(sign_in_code(sent_by(add_key_pair("AK1", "alice"), "alice")), "");
  EXPECT_EQ(sign_in_code(sent_by(add_key_pair("AK1", "alice"), "dave")), "");
  EXPECT_EQ(sign_in_code(sent_by(add_key_pair("AK1", "root"), "dave")), "denied");
  EXPECT_EQ(sign_in_code(sent_by(add_key_pair("AK1", "monty"), "dave")), "denied");
  EXPECT_EQ(sign_in_code(sent_by(add_key_pair("AK1", "alice"), "bob")), "unknown-user");
}

TEST(AddKeyPair, WhatIsWrongIsRefused) {
  EXPECT_EQ(sign_in_code(add_key_pair("AK1", "nobody")), "unknown-user");
  EXPECT_EQ(sign_in_code(add_key_pair("", "alice")), "invalid-definition");
  EXPECT_EQ(sign_in_code(add_key_pair("A K", "alice")), "invalid-definition");
  EXPECT_EQ(sign_in_code(add_key_pair("AK1", "alice"), {key_pair_defined("AK1", "bob")}), "id-in-use");
  EXPECT_EQ(sign_in_code(add_key_pair("AK1", "alice"),
                         {key_pair_defined("AK1", "bob"), definition_removed("key", "AK1")}),
            "name-retired");
  v1::Request open = add_key_pair("AK1", "alice");
  open.mutable_add_key_pair()->mutable_key()->clear_secret();
  EXPECT_EQ(sign_in_code(open), "invalid-definition");
  v1::Request late = add_key_pair("AK1", "alice");
  late.mutable_add_key_pair()->mutable_key()->set_expires_ns(kTestStart - 1);
  EXPECT_EQ(sign_in_code(late), "invalid-definition");
  v1::Request unnamed = add_key_pair("AK1", "alice");
  unnamed.mutable_add_key_pair()->mutable_key()->clear_name();
  EXPECT_EQ(sign_in_code(unnamed), "invalid-name");
}

TEST(AddKeyPair, AMonitorsReads) {
  Case c = given(people_with_passwords());
  c.when(sent_by(add_key_pair("AK1", "monty"), "monty"));
  EXPECT_TRUE(c.decided().at(0).key_pair_defined().read_only());
}

TEST(AddKeyPair, AUserHasSixteenInUse) {
  Events keys;
  for (int i = 0; i < 16; ++i) keys.push_back(key_pair_defined("K" + std::to_string(i), "alice"));
  Case c = given(people_with_passwords() + keys);
  c.when(add_key_pair("AK1", "alice")).then_refused("too-many-keys");
  c.when(change_key_pair("K0", false)).when(add_key_pair("AK1", "alice"));
  EXPECT_TRUE(c.decided().at(0).has_key_pair_defined());
  c.when(change_key_pair("K0", true)).then_refused("too-many-keys");
}

TEST(AddKeyPair, AUserHasSixtyFourAltogether) {
  Events keys;
  for (int i = 0; i < 64; ++i) {
    keys.push_back(key_pair_defined("K" + std::to_string(i), "alice"));
    keys.back().mutable_key_pair_defined()->set_active(false);
  }
  EXPECT_EQ(sign_in_code(add_key_pair("AK1", "alice"), keys), "too-many-keys");
}

std::string maker_of(const v1::Request& r, const Events& more = {}) {
  Case c = given(people_with_passwords() + more);
  c.when(r);
  EXPECT_TRUE(c.decided().at(0).has_key_pair_defined());
  return c.decided().at(0).key_pair_defined().made_by();
}

TEST(AddKeyPair, TheLogSaysWhoMadeIt) {
  EXPECT_EQ(maker_of(sent_by(add_key_pair("AK1", "alice"), "alice")), "alice") << "by a password";
  EXPECT_EQ(maker_of(sent_by(add_key_pair("AK1", "alice"), "dave")), "dave");
  EXPECT_EQ(maker_of(add_key_pair("AK1", "alice")), "") << "by the controller: nobody who is known";
  v1::Request claimed = sent_by(add_key_pair("AK1", "alice"), "dave");
  claimed.mutable_add_key_pair()->mutable_key()->set_made_by("alice");
  EXPECT_EQ(maker_of(claimed), "dave") << "whatever the request says";
}

// Whoever has the secret of a key pair that was made for alice asks as alice.
TEST(AddKeyPair, OneMadeByMeansOfAnotherKeyPairIsOfWhoeverMadeThatOne) {
  v1::Event by = key_pair_defined("AK0", "alice");
  v1::Request r = sent_by(add_key_pair("AK1", "alice"), "alice");
  r.mutable_owner()->set_keypair("AK0");
  EXPECT_EQ(maker_of(r, {by}), "") << "the controller's";
  for (const char* maker : {"dave", "alice"}) {
    by.mutable_key_pair_defined()->set_made_by(maker);
    EXPECT_EQ(maker_of(r, {by}), maker);
  }
}

// dave may have it from alice, who knows it, too: what he makes for her is not hers.
TEST(AddKeyPair, WhatSomebodyMakesForAnotherIsNotTheOthersOwn) {
  v1::Event by = key_pair_defined("AK0", "dave");
  by.mutable_key_pair_defined()->set_made_by("alice");
  v1::Request r = sent_by(add_key_pair("AK1", "alice"), "dave");
  r.mutable_owner()->set_keypair("AK0");
  EXPECT_EQ(maker_of(r, {by}), "dave");
}

TEST(Define, AKeyPairIsOfWhoDefinesIt) {
  v1::Event claimed = key_pair_defined("AK1", "alice");
  claimed.mutable_key_pair_defined()->set_made_by("alice");
  EXPECT_EQ(maker_of(sent_by(define({claimed}), "root")), "root");
  EXPECT_EQ(maker_of(define({claimed})), "");
}

TEST(ChangeKeyPair, LeavesWhoMadeIt) {
  v1::Event key = key_pair_defined("AK1", "alice");
  key.mutable_key_pair_defined()->set_made_by("dave");
  EXPECT_EQ(maker_of(sent_by(change_key_pair("AK1", false), "alice"), {key}), "dave");
}

TEST(ChangeKeyPair, IsItsUsersOrAnAdmins) {
  const Events key = {key_pair_defined("AK1", "alice")};
  v1::Event off = key[0];
  off.mutable_key_pair_defined()->set_active(false);
  given(people_with_passwords() + key).when(sent_by(change_key_pair("AK1", false), "alice")).then({off});
  EXPECT_EQ(sign_in_code(sent_by(change_key_pair("AK1", false), "dave"), key), "");
  EXPECT_EQ(sign_in_code(sent_by(change_key_pair("AK1", false), "bob"), key), "unknown-key-pair");
  EXPECT_EQ(sign_in_code(change_key_pair("AK9", false)), "unknown-key-pair");
}

// ---- links and passwords ----

TEST(IssueLoginLink, IsMadeByAnAdminForWhoIsNotAbove) {
  v1::Event issued = login_link_issued("alice");
  issued.mutable_login_link_issued()->set_expires_ns(kTestStart + kHour);
  given(people_with_passwords())
      .when(sent_by(issue_login_link("alice", kLink, kTestStart + kHour), "dave"))
      .then({issued});
  for (const char* user : {"root", "monty"})
    EXPECT_EQ(sign_in_code(sent_by(issue_login_link(user, kLink, kTestStart + kHour), "dave")), "denied");
  EXPECT_EQ(sign_in_code(sent_by(issue_login_link("alice", kLink, kTestStart + kHour), "alice")), "denied");
  EXPECT_EQ(sign_in_code(sent_by(issue_login_link("alice", kLink, kTestStart + kHour), "bob")),
            "unknown-user");
  EXPECT_EQ(sign_in_code(issue_login_link("alice", kLink, kTestStart - 1)), "invalid-value");
  EXPECT_EQ(sign_in_code(issue_login_link("alice", kLink, kTestStart + 31 * 24 * kHour)), "invalid-value");
  EXPECT_EQ(sign_in_code(issue_login_link("alice", "short", kTestStart + kHour)), "invalid-definition");
}

TEST(IssueLoginLink, TheOpenOneEndsAndOneThatIsOverDoesNot) {
  v1::Event issued = login_link_issued("alice");
  Case c = given(people_with_passwords() + Events{issued});
  issued.mutable_login_link_issued()->set_expires_ns(kTestStart + 30 * kDay);
  c.when(issue_login_link("alice", kLink, kTestStart + 30 * kDay))
      .then({login_link_ended("alice", "replaced"), issued});
  Case late = given(people_with_passwords() + Events{login_link_issued("alice")});
  late.after(2 * kDay).when(issue_login_link("alice", kLink, kTestStart + 30 * kDay)).then({issued});
}

TEST(SetPassword, ByTheOldOneTheOpenLinkEndsUnspent) {
  Case c = given(people_with_passwords() + Events{password_set("alice"), login_link_issued("alice")});
  c.when(set_password("alice"));
  ASSERT_EQ(c.decided().size(), 2u);
  EXPECT_EQ(c.decided()[0].login_link_ended().reason(), "password-changed");
  EXPECT_TRUE(c.decided()[1].has_password_set());
  EXPECT_EQ(c.state().login_links.size(), 0u);
}

TEST(SetPassword, ALinkIsSpentByIt) {
  Case c = given(people_with_passwords() +
                 Events{login_link_issued("alice"), browser_session_started("b1", "alice")});
  c.when(set_password("alice", std::string(16, 'x'))).then_refused("link-not-valid");
  c.when(set_password("alice", kLink));
  ASSERT_EQ(c.decided().size(), 2u);
  EXPECT_TRUE(c.decided()[0].has_password_set());
  EXPECT_EQ(c.decided()[1].browser_session_ended().reason(), "password-changed");
  c.when(set_password("alice", kLink)).then_refused("link-not-valid");
}

TEST(SetPassword, ANewerLinkEndsTheOlderAndALateOneIsNone) {
  v1::Event newer = login_link_issued("alice");
  newer.mutable_login_link_issued()->set_token_hash(std::string(16, 'u'));
  EXPECT_EQ(sign_in_code(set_password("alice", kLink), {login_link_issued("alice"), newer}),
            "link-not-valid");
  Case c = given(people_with_passwords() + Events{login_link_issued("alice")});
  c.after(25 * kHour).when(set_password("alice", kLink)).then_refused("link-not-valid");
}

TEST(SetPassword, ByTheOldOneTheOtherBrowserSessionsEnd) {
  v1::Request r = set_password("alice");
  r.set_browser_session(wire("b1"));
  Case c = given(people_with_passwords() +
                 Events{password_set("alice"), browser_session_started("b1", "alice"),
                        browser_session_started("b2", "alice"), browser_session_started("b3", "bob")});
  c.when(r);
  ASSERT_EQ(c.decided().size(), 2u);
  EXPECT_EQ(c.decided()[1].browser_session_ended().id(), wire("b2"));
}

TEST(SetPassword, P35_OfTwoChangesByOneOldPasswordTheSecondIsRefused) {
  Case c = given(people_with_passwords() + Events{password_set("alice")});
  c.when(set_password("alice")).when(set_password("alice")).then_refused("login-failed");
  v1::Request nothing = set_password("alice");
  nothing.mutable_set_password()->clear_replaces();
  EXPECT_EQ(sign_in_code(nothing, {password_set("alice")}), "login-failed");
}

TEST(SetPassword, IsOnesOwnAlone) {
  v1::Request r = set_password("alice");
  for (const char* user : {"root", "dave"}) {
    r.set_actor("user:" + std::string(user));
    EXPECT_EQ(sign_in_code(r, {password_set("alice")}), "denied");
  }
  EXPECT_EQ(sign_in_code(set_password("alice")), "no-password") << "the first one is set by a link";
  v1::Request open = set_password("alice");
  open.mutable_set_password()->clear_hash();
  EXPECT_EQ(sign_in_code(open, {password_set("alice")}), "invalid-definition");
}

// ---- browser sessions ----

TEST(StartBrowserSession, IsOfThePasswordInForce) {
  v1::Event started = browser_session_started("b1", "alice");
  started.mutable_browser_session_started()->set_client("");
  Case c = given(people_with_passwords() + Events{password_set("alice")});
  started.mutable_browser_session_started()->set_started_ns(c.journal().time());
  c.when(start_browser_session("b1", "alice")).then({started});
  c.when(start_browser_session("b1", "alice")).then_refused("id-in-use");
  c.when(set_password("alice"));
  c.when(start_browser_session("b2", "alice")).then_refused("login-failed");
  EXPECT_EQ(sign_in_code(start_browser_session("b1", "alice")), "login-failed");
}

// A rotation of the sealing keys seals it anew, while people sign in.
TEST(StartBrowserSession, APasswordThatIsSealedAnewIsTheOneThatWasChecked) {
  const v1::Event set = password_set("alice");
  v1::Event sealed_anew;
  auto& resealed = *sealed_anew.mutable_secret_resealed();
  resealed.set_kind(v1::SECRET_KIND_PASSWORD);
  resealed.set_name("alice");
  resealed.set_before(set.password_set().hash().key());
  *resealed.mutable_secret() = set.password_set().hash();
  resealed.mutable_secret()->set_key(resealed.before() + 1);
  resealed.mutable_secret()->set_box(std::string(40, 'x'));
  Case c = given(people_with_passwords() + Events{set, sealed_anew});
  c.when(start_browser_session("b1", "alice"));
  ASSERT_EQ(c.decided().size(), 1u);
  EXPECT_TRUE(c.decided()[0].has_browser_session_started());
  c.when(set_password("alice"));
  ASSERT_FALSE(c.decided().empty());
  EXPECT_TRUE(c.decided().front().has_password_set());
}

TEST(StartBrowserSession, WhatIsWrongIsRefused) {
  const Events password = {password_set("alice")};
  v1::Request r = start_browser_session("b1", "alice");
  r.mutable_start_browser_session()->set_secret_hash("short");
  EXPECT_EQ(sign_in_code(r, password), "invalid-definition");
  r = start_browser_session("b1", "alice", kTestStart - 1);
  EXPECT_EQ(sign_in_code(r, password), "invalid-value");
  r = start_browser_session("b1", "alice");
  r.set_actor("user:root");
  EXPECT_EQ(sign_in_code(r, password), "denied");
}

TEST(StartBrowserSession, ThoseThatExpiredEndAndOfFiftyTheLongestUnused) {
  v1::Event expired = browser_session_started("old", "alice");
  expired.mutable_browser_session_started()->set_expires_ns(kTestStart - 1);
  Case c = given(people_with_passwords() + Events{password_set("alice"), expired});
  for (int i = 0; i < 50; ++i) {
    const std::string name = "b" + std::to_string(i);
    c.and_given({browser_session_started(name, "alice")});
    if (i != 7) c.and_given({browser_session_used(name, kTestStart + kHour)});
  }
  c.when(start_browser_session("new", "alice"));
  ASSERT_EQ(c.decided().size(), 3u);
  EXPECT_EQ(c.decided()[0].browser_session_ended().reason(), "expired");
  EXPECT_EQ(c.decided()[1].browser_session_ended().id(), wire("b7"));
  EXPECT_EQ(c.decided()[1].browser_session_ended().reason(), "too-many");
  EXPECT_EQ(c.state().browser_sessions.size(), 50u);
}

TEST(EndBrowserSessions, OneOrAllButOne) {
  const Events three = {browser_session_started("b1", "alice"), browser_session_started("b2", "alice"),
                        browser_session_started("b3", "alice")};
  v1::Event ended = browser_session_ended("b1");
  ended.mutable_browser_session_ended()->set_reason(record_code("ended-by-user"));
  given(people_with_passwords() + three).when(end_browser_sessions("alice", "b1")).then({ended});
  Case c = given(people_with_passwords() + three);
  c.when(end_browser_sessions("alice", "", "b2"));
  EXPECT_EQ(c.decided().size(), 2u);
  c.when(end_browser_sessions("alice", "", "b2")).then_refused("unknown-browser-session");
  c.when(end_browser_sessions("bob", "b2")).then_refused("unknown-browser-session");
}

TEST(EndBrowserSessions, OfAnotherAreEndedByAnAdmin) {
  const Events one = {browser_session_started("b1", "alice")};
  for (const auto& [user, code] :
       {std::pair{"dave", ""}, {"root", ""}, {"monty", "denied"}, {"bob", "unknown-browser-session"}}) {
    v1::Request r = end_browser_sessions("alice", "b1");
    r.set_actor("user:" + std::string(user));
    EXPECT_EQ(sign_in_code(r, one), code) << user;
  }
}

TEST(RecordUse, IsOfTheUserOrTheControllerAndGoesForward) {
  Case c = given(people_with_passwords() +
                 Events{key_pair_defined("AK1", "alice"), browser_session_started("b1", "alice")});
  c.after(kHour);
  c.when(record_use("b1", kTestStart + kMinute)).then({browser_session_used("b1", kTestStart + kMinute)});
  c.when(record_use("b1", kTestStart + kMinute)).then_refused("not-newer");
  c.when(sent_by(record_use("b1", kTestStart + kHour), "bob")).then_refused("unknown-browser-session");
  c.when(record_use_of_key("AK1", kTestStart + kMinute)).then({key_pair_used("AK1", kTestStart + kMinute)});
  c.when(record_use_of_key("AK9", kTestStart + kMinute)).then_refused("unknown-key-pair");
  c.when(record_use_of_key("AK1", kTestStart + 1000 * kHour));
  EXPECT_EQ(c.decided().at(0).key_pair_used().used_ns(), c.decided_at()) << "not later than now";
}

}  // namespace
}  // namespace berth::testing::decisions
