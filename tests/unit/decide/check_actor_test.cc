// Whoever asks is checked again where it is decided: who they are, how they signed in, and the table of
// rights.
#include "tests/support/decide.h"
#include "tests/support/words.h"

namespace berth::testing::decisions {
namespace {

Events actors() {
  return world_of_all_roles() +
         Events{key_pair_defined("AK1", "alice"), browser_session_started("b1", "alice")};
}

v1::Request with_key(v1::Request request, const std::string& key) {
  request.mutable_owner()->set_keypair(key);
  return request;
}

v1::Request with_browser_session(v1::Request request, const std::string& name) {
  request.set_browser_session(wire(name));
  return request;
}

TEST(CheckActor, AUserWhoDoesNotExistAsksForNothing) {
  given(actors()).when(sent_by(request_session("s1"), "nobody")).then_refused("denied");
  v1::Request r = request_session("s1");
  r.set_actor("someone");
  given(actors()).when(r).then_refused("denied");
  r.set_actor("agent:a1");
  given(actors()).when(r).then_refused("denied");
}

TEST(CheckActor, AUserWhoIsDisabledAsksForNothing) {
  given(actors()).when(set_disabled("alice")).when(request_session("s1")).then_refused("user-disabled");
  v1::Request by_controller = request_session("s1");
  by_controller.set_actor("controller");
  given(actors()).when(set_disabled("alice")).when(by_controller).then_refused("user-disabled");
}

TEST(CheckActor, AKeyPairSignsWhileItIsTheUsersAndActiveAndUnexpired) {
  Case c = given(actors());
  c.when(with_key(request_session("s1"), "AK1"));
  EXPECT_TRUE(c.decided().at(0).has_session_requested());
  c.when(with_key(request_session("s2"), "AK9")).then_refused("key-inactive");
  c.when(with_key(sent_by(request_session("s2"), "bob"), "AK1")).then_refused("key-inactive");
  c.when(change_key_pair("AK1", false));
  c.when(with_key(request_session("s2"), "AK1")).then_refused("key-inactive");

  v1::Event expiring = key_pair_defined("AK2", "alice");
  expiring.mutable_key_pair_defined()->set_expires_ns(kTestStart + kHour);
  v1::Event reading = key_pair_defined("AK3", "alice");
  reading.mutable_key_pair_defined()->set_read_only(true);
  Case d = given(actors() + Events{expiring, reading});
  d.when(with_key(request_session("s1"), "AK3")).then_refused("key-read-only");
  d.when(with_key(sent_by(record_use_of_key("AK3", kTestStart), "alice"), "AK3"));
  EXPECT_TRUE(d.decided().at(0).has_key_pair_used());
  d.after(kHour).when(with_key(request_session("s1"), "AK2")).then_refused("key-expired");
}

TEST(CheckActor, ABrowserSessionAsksWhileItLives) {
  Case c = given(actors());
  c.when(with_browser_session(request_session("s1"), "b1"));
  EXPECT_TRUE(c.decided().at(0).has_session_requested());
  c.when(with_browser_session(sent_by(request_session("s2"), "bob"), "b1")).then_refused("signed-out");
  c.when(end_browser_sessions("alice", "b1"));
  c.when(with_browser_session(request_session("s2"), "b1")).then_refused("signed-out");
}

TEST(CheckActor, NobodyAsksForSessionsOfAnotherButASuperadmin) {
  v1::Request r = request_session("s1");
  r.set_actor("user:bob");
  given(actors()).when(r).then_refused("denied");
  r.set_actor("user:dave");
  given(actors()).when(r).then_refused("denied");
  r.set_actor("user:root");
  given(actors()).when(r).then({answering(session_requested("s1"), "user:root", "request 1")});
}

// One request of each kind that the table alone decides; who else may is listed.
TEST(CheckActor, WhatHasNoOwnerIsForSuperadmins) {
  const Events history = actors() + Events{preset_defined("small", "cpu", kUnit),
                                           internal_error_recorded("session s0"), agent_left("a1")};
  v1::Event image = image_registered("i");
  image.mutable_image_registered()->set_source("oci:/images/i");
  for (const v1::Request& r :
       {define({group_defined("g")}), define({image}), define({preset_defined("p", "cpu", 1)}),
        define({slot_type_registered("tpu", SlotKind::kCount)}), define({user_defined("new")}),
        define({project_defined("default", "p")}), define({key_pair_defined("AK9", "bob")}),
        fence_agent("a1"), drain_agent("a1"), enroll_agent("a2"), confirm_clock(),
        release_quarantine("session s0"), remove("preset", "small"), remove("agent", "a1"), put_domain("d3"),
        remove("domain", "d2"), set_limit(Limit("domain", "default").sessions(1))}) {
    SCOPED_TRACE(r.ShortDebugString());
    for (const char* user : {"alice", "pat", "dave", "monty"}) {
      Case c = given(history);
      c.when(sent_by(r, user));
      ASSERT_EQ(c.decided().size(), 1u);
      const std::string code = word_of(c.decided()[0].request_refused().code());
      EXPECT_TRUE(code == "denied" || code == "unknown-domain") << user << ": " << code;
    }
    Case c = given(history);
    c.when(sent_by(r, "root"));
    ASSERT_FALSE(c.decided().empty());
    const std::string code = word_of(c.decided()[0].request_refused().code());
    EXPECT_TRUE(code.empty() || code == "in-use") << code;
  }
}

TEST(CheckActor, ADomainAdminSetsTheLimitsInTheDomain) {
  for (const Limit& limit :
       {Limit("user", "alice").sessions(1), Limit("project", "default/default").sessions(1)}) {
    given(actors()).when(sent_by(set_limit(limit), "dave"));
    for (const char* user : {"alice", "pat", "monty", "dora"})
      given(actors()).when(sent_by(set_limit(limit), user)).then_refused("denied");
    Case c = given(actors());
    c.when(sent_by(set_limit(limit), "dave"));
    EXPECT_TRUE(c.decided().at(0).has_limit_set());
  }
  given(actors() + Events{Limit("user", "alice").sessions(1)})
      .when(sent_by(remove_limit("user", "alice"), "dora"))
      .then_refused("denied");
}

TEST(CheckActor, TheReasonStandsInTheEvents) {
  v1::Request r = create_user("carol");
  r.set_reason("joins on Monday");
  Case c = given(actors());
  c.when(r);
  EXPECT_EQ(c.decided().at(0).reason(), "joins on Monday");
  v1::Request late = create_user("carl");
  late.set_reason(std::string(10'000, 'x'));
  c.when(late);
  EXPECT_LE(c.decided().at(0).reason().size(), 803u);
}

// ---- groups that are open to some ----

v1::Event closed_group(const std::string& scope, const std::string& id) {
  v1::Event e = group_defined("closed");
  auto* to = e.mutable_resource_group_defined()->add_open_to();
  to->set_scope(value_of<v1::ScopeKind>(scope));
  to->set_id(id);
  return e;
}

TEST(CheckActor, AGroupThatIsNotOpenToTheOwnerIsUnknown) {
  for (const auto& [scope, id, open] : {std::tuple{"domain", "d2", false},
                                        {"domain", "default", true},
                                        {"project", "default/default", true},
                                        {"project", "d2/p", false},
                                        {"user", "bob", false},
                                        {"user", "alice", true}}) {
    SCOPED_TRACE(std::string(scope) + " " + id);
    Case c = given(actors() + Events{closed_group(scope, id)});
    c.when(request_session("s1", Spec().group("closed")));
    const std::string code = word_of(c.decided().at(0).request_refused().code());
    EXPECT_EQ(code, open ? "no-agents" : "unknown-group");
    EXPECT_EQ(c.decided().at(0).request_refused().hint().find("closed") != std::string::npos, false);
  }
  given(actors() + Events{closed_group("user", "bob")})
      .when(sent_by(request_session("s1", Spec().group("closed")), "root"))
      .then_refused("no-agents");
}

TEST(CheckActor, AGroupIsOpenToDomainsProjectsAndUsers) {
  given(actors()).when(define({closed_group("cell", "x")})).then_refused("unknown-scope");
  given(actors()).when(define({closed_group("user", "")})).then_refused("invalid-definition");
}

}  // namespace
}  // namespace berth::testing::decisions
