// A producer is registered with a scope, and asks within it alone, by the rights of its owner (P1).
#include "tests/support/decide.h"
#include "tests/support/producers.h"

namespace berth::testing::decisions {
namespace {

const std::string kToken(16, 't');

Events with_web() { return world() + Events{web_producer()}; }

v1::Request of_web(const v1::Request& request) { return sent_by_producer(request, "web"); }

v1::Request for_user(v1::Request request, const std::string& user) {
  *request.mutable_owner() = owner(user);
  return request;
}

v1::Request scoped(const std::vector<std::string>& requests, const OwnerScopes& owners) {
  return put_producer(producer_defined("web", requests, owners));
}

v1::Event by_web(v1::Event event) {
  event.set_actor("producer:web");
  return event;
}

v1::Event defined(Case& c) {
  v1::Event e;
  if (c.decided().size() == 1) *e.mutable_producer_defined() = c.decided()[0].producer_defined();
  return e;
}

TEST(PutProducer, ANewOneHasTheFirstGenerationAndAToken) {
  Case c = given(world());
  const v1::Event wanted = with_token(web_producer(), kToken, c.journal().time() + kHour);
  c.when(put_producer(wanted));
  ASSERT_TRUE(c.decided().at(0).has_producer_defined());
  EXPECT_EQ(defined(c).producer_defined().generation(), 1u);
  EXPECT_EQ(defined(c).producer_defined().token_hash(), kToken);
  EXPECT_EQ(defined(c).producer_defined().created_ns(), c.decided_at());
}

TEST(PutProducer, ItsNameIsNeverGivenAgain) {
  given(with_web()).when(put_producer(web_producer())).then_refused("name-in-use");
  given(with_web() + Events{definition_removed("producer", "web")})
      .when(put_producer(web_producer()))
      .then_refused("name-retired");
  given(world()).when(put_producer(producer_defined("No Name", {}, {}))).then_refused("invalid-name");
  given(world()).when(change_producer("web")).then_refused("unknown-producer");
}

TEST(PutProducer, AScopeNamesWhatThereIs) {
  given(world()).when(scoped({"fence_agent"}, {})).then_refused("unknown-request-kind");
  given(world()).when(scoped({"put_producer"}, {})).then_refused("unknown-request-kind");
  given(world()).when(scoped({"set_password"}, {})).then_refused("unknown-request-kind");
  given(world()).when(scoped({"add_key_pair"}, {})).then_refused("unknown-request-kind");
  for (const char* scope : {"group", "keypair", ""})
    given(world()).when(scoped({}, {{scope, "default"}})).then_refused("unknown-scope");
  given(world()).when(scoped({}, {{"user", "nobody"}})).then_refused("unknown-user");
  given(world()).when(scoped({}, {{"project", "default/none"}})).then_refused("unknown-project");
  given(world()).when(scoped({}, {{"domain", "none"}})).then_refused("unknown-domain");
  given(world()).when(scoped({}, {{"cluster", "x"}})).then_refused("invalid-definition");
  given(world()).when(scoped({}, OwnerScopes(257, {"user", "alice"}))).then_refused("invalid-definition");
}

TEST(PutProducer, ATokenLivesAnHourAndComesWithANewKeyAlone) {
  Case late = given(world());
  late.when(put_producer(with_token(web_producer(), kToken, late.journal().time() + 2 * kHour)))
      .then_refused("invalid-spec");
  Case past = given(world());
  past.when(put_producer(with_token(web_producer(), kToken, past.journal().time())))
      .then_refused("invalid-spec");
  v1::Request change = change_producer("web");
  change.mutable_put_producer()->set_token_hash(kToken);
  given(with_web()).when(change).then_refused("invalid-definition");
}

TEST(PutProducer, WhatIsNotNamedStaysAndARotationIsANewGeneration) {
  Case c = given(with_web());
  v1::Request off = change_producer("web");
  off.mutable_put_producer()->set_disabled(true);
  c.when(off).then({switched_off(web_producer())});
  v1::Request rotate = change_producer("web");
  rotate.mutable_put_producer()->set_rotate(true);
  c.when(rotate);
  EXPECT_EQ(defined(c).producer_defined().generation(), 2u);
  EXPECT_TRUE(defined(c).producer_defined().disabled());
  EXPECT_EQ(defined(c).producer_defined().requests_size(), 2);
}

TEST(PutProducer, IsASuperadmins) {
  const Events history =
      world() + Events{user_with_role("root", "superadmin"), user_with_role("eve", "domain-admin")};
  Case c = given(history);
  c.when(sent_by(put_producer(web_producer()), "root"));
  EXPECT_EQ(defined(c).producer_defined().made_by(), "root");
  for (const char* user : {"alice", "eve"})
    given(history).when(sent_by(put_producer(web_producer()), user)).then_refused("denied");
  given(history + Events{web_producer()})
      .when(sent_by(remove("producer", "web"), "eve"))
      .then_refused("denied");
}

TEST(CollectProducerKey, TheTokenIsSpentAtItsFirstUse) {
  const auto open = [] {
    Case c = given(world());
    c.when(put_producer(with_token(web_producer(), kToken, c.journal().time() + kHour)));
    return c;
  };
  Case c = open();
  c.when(collect_producer_key("web", kToken)).then({producer_key_collected("web")});
  c.when(collect_producer_key("web", kToken)).then_refused("token-not-valid");
  open().when(collect_producer_key("web", std::string(16, 'x'))).then_refused("token-not-valid");
  open().when(collect_producer_key("web", "")).then_refused("token-not-valid");
  open().after(kHour + kSecond).when(collect_producer_key("web", kToken)).then_refused("token-not-valid");
  open().when(collect_producer_key("other", kToken)).then_refused("unknown-producer");
  v1::Request of_another = collect_producer_key("web", kToken);
  of_another.set_actor("producer:other");
  open().when(of_another).then_refused("unknown-producer");
}

TEST(Producer, P1_AsksWithinItsScope) {
  Case c = given(with_web());
  c.when(of_web(request_session("s1"))).then({by_web(session_requested("s1"))});
  c.when(of_web(terminate_session("s1")));
  EXPECT_TRUE(c.decided().at(0).has_session_cancelled());
  EXPECT_EQ(c.decided().at(0).actor(), "producer:web");
}

TEST(Producer, P1_AnotherKindOrAnothersOwnerIsOutOfScope) {
  given(with_web()).when(of_web(for_user(request_session("s1"), "bob"))).then_refused("out-of-scope");
  given(with_web()).when(of_web(for_user(request_session("s1"), "nobody"))).then_refused("out-of-scope");
  given(with_web()).when(of_web(for_user(request_session("s1"), ""))).then_refused("out-of-scope");
  for (const auto& request :
       {fence_agent("a1"), confirm_clock(), terminate_sessions({"s1"}), create_user("carol"),
        define({domain_defined("d")}), put_producer(web_producer()), share_session("s1", "user", "bob"),
        set_password("alice"), add_key_pair("AK9", "alice")})
    given(with_web()).when(of_web(for_user(request, "alice"))).then_refused("out-of-scope");
  given(world()).when(of_web(request_session("s1"))).then_refused("unknown-producer");
  given(world() + Events{switched_off(web_producer())})
      .when(of_web(request_session("s1")))
      .then_refused("producer-disabled");
}

TEST(Producer, P1_ItsOwnerExistsAndIsEnabled) {
  v1::Event off = user_defined("alice");
  off.mutable_user_defined()->set_disabled(true);
  given(with_web()).and_given({off}).when(of_web(request_session("s1"))).then_refused("owner-disabled");
  const Events all = world() + Events{producer_defined("web", {"request_session"}, {{"cluster", ""}})};
  given(all).when(of_web(for_user(request_session("s1"), "nobody"))).then_refused("unknown-owner");
  given(all).when(of_web(for_user(request_session("s1"), "bob")));
}

TEST(Producer, P1_AProjectOrDomainCoversItsMembersThere) {
  const Events labs = world() + Events{project_defined("default", "labs")};
  const auto web = [](const char* scope, const char* id) {
    return producer_defined("web", {"request_session"}, {{scope, id}});
  };
  v1::Request in_labs = request_session("s1");
  in_labs.mutable_owner()->set_project("labs");
  given(labs + Events{web("project", "default/default")})
      .when(of_web(request_session("s1")))
      .then({by_web(session_requested("s1"))});
  given(labs + Events{web("project", "default/labs")})
      .when(of_web(request_session("s1")))
      .then_refused("out-of-scope");
  given(labs + Events{web("project", "default/labs")}).when(of_web(in_labs)).then_refused("out-of-scope");
  given(labs + Events{web("domain", "default")})
      .when(of_web(request_session("s1")))
      .then({by_web(session_requested("s1"))});
  given(labs + Events{domain_defined("d"), web("domain", "d")})
      .when(of_web(request_session("s1")))
      .then_refused("out-of-scope");
}

// Though the owner is a superadmin, who may end anybody's.
TEST(Producer, P1_EndsWhatIsItsOwnersAlone) {
  const Events history = world() + Events{user_with_role("root", "superadmin"),
                                          producer_defined("web", {"terminate_session"}, {{"user", "root"}}),
                                          session_requested("s1")};
  given(history).when(of_web(for_user(terminate_session("s1"), "root"))).then_refused("unknown-session");
  given(history).when(sent_by(terminate_session("s1"), "root"));
}

TEST(Producer, P1_AsksForPeopleOnlyIfThatIsNamedAndByItsOwnersRights) {
  const auto web = [](const char* user) { return producer_defined("web", {"put_user"}, {{"user", user}}); };
  const Events history = world() + Events{user_with_role("eve", "domain-admin")};
  Case c = given(history + Events{web("eve")});
  c.when(of_web(for_user(create_user("carol"), "eve")));
  EXPECT_TRUE(c.decided().at(0).has_user_defined());
  given(history + Events{web("alice")})
      .when(of_web(for_user(create_user("carol"), "alice")))
      .then_refused("denied");
}

// The row's hash would help to guess it.
TEST(Producer, P29_AnUnkeyedHashOfItsSecretIsNowhere) {
  const auto asked = [](const char* secret) {
    v1::Request r = of_web(request_session("s1"));
    auto* variable = r.mutable_request_session()->mutable_spec()->add_env();
    variable->set_key("TOKEN");
    variable->set_value(secret);
    Case c = given(with_web());
    c.when(r).then_refused("plaintext-environment");
    return c.decided().at(0).body_hash();
  };
  EXPECT_EQ(asked("one"), asked("two"));
}

}  // namespace
}  // namespace berth::testing::decisions
