#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

TEST(SetLimit, IsSetWhole) {
  const Limit limit = Limit("user", "alice").slot("cpu", 10 * kUnit).pending_slot("mem", kGiga).sessions(0);
  given(world()).when(set_limit(limit)).then({limit});
}

TEST(SetLimit, ReplacesTheLimitThatWasSetBefore) {
  Case c = given(world() + Events{Limit("user", "alice").sessions(5).pending(2)});
  c.when(set_limit(Limit("user", "alice").sessions(1))).then({Limit("user", "alice").sessions(1)});
  EXPECT_FALSE(c.state().limits.find("user/alice")->def.has_pending());
}

TEST(SetLimit, EveryScopeIsTaken) {
  for (const auto& [scope, id] : {std::pair{"domain", "default"}, std::pair{"project", "default/default"},
                                  std::pair{"user", "alice"}, std::pair{"keypair", "k1"}})
    given(world() + Events{key_pair_defined("k1", "alice")})
        .when(set_limit(Limit(scope, id).sessions(1)))
        .then({Limit(scope, id).sessions(1)});
}

TEST(SetLimit, RefusesAScopeOrAnOwnerThatIsNone) {
  for (const char* scope : {"planet", "", "cluster"})
    given(world()).when(set_limit(Limit(scope, "u1"))).then_refused("unknown-scope");
  given(world()).when(set_limit(Limit("project", "u1"))).then_refused("invalid-definition");
  given(world()).when(set_limit(Limit("user", ""))).then_refused("invalid-definition");
  given(world()).when(set_limit(Limit("user", std::string(201, 'x')))).then_refused("invalid-definition");
}

TEST(SetLimit, RefusesAnOwnerThatIsNotDefined) {
  for (const auto& [scope, id] : {std::pair{"domain", "defualt"}, std::pair{"project", "default/x"},
                                  std::pair{"user", "alise"}, std::pair{"keypair", "k9"}})
    given(world()).when(set_limit(Limit(scope, id).sessions(1))).then_refused("unknown-owner");
}

TEST(SetLimit, RefusesSlotsThatAreUnknownOrNamedTwice) {
  const auto alice = [] { return Limit("user", "alice"); };
  given(world())
      .when(set_limit(Limit("project", "default/default").slot("rocks", 0)))
      .then_refused("unknown-slot");
  given(world()).when(set_limit(alice().pending_slot("rocks", 1))).then_refused("unknown-slot");
  given(world()).when(set_limit(alice().slot("cpu", 1).slot("cpu", 2))).then_refused("invalid-definition");
}

TEST(SetLimit, RefusesAmountsAndCountsBelowZero) {
  const auto alice = [] { return Limit("user", "alice"); };
  given(world()).when(set_limit(alice().slot("cpu", -1))).then_refused("invalid-amount");
  for (const Limit& limit : {alice().sessions(-1), alice().system_sessions(-1), alice().pending(-1),
                             alice().kernels_per_session(-1), alice().priority(-1)})
    given(world()).when(set_limit(limit)).then_refused("invalid-amount");
}

// Domain default: alice, domain admins dave and dora, monitor monty, superadmin root, a key pair each.
Events roles() {
  Events out = world() + Events{user_with_role("root", "superadmin"), user_with_role("dave", "domain-admin"),
                                user_with_role("dora", "domain-admin"), user_with_role("monty", "monitor")};
  for (const char* user : {"alice", "dave", "dora", "monty", "root"})
    out.push_back(key_pair_defined(std::string("key-of-") + user, user));
  return out;
}

std::string code_of(const Events& given_limits, v1::Request r, const std::string& actor) {
  Case c = given(roles() + given_limits);
  c.when(sent_by(std::move(r), actor));
  return word_of(c.decided().at(0).request_refused().code());
}

TEST(SetLimit, NobodyBindsARoleAboveTheirOwn) {
  for (const auto& [user, code] :
       {std::pair{"alice", ""}, {"dora", ""}, {"monty", "denied"}, {"root", "denied"}}) {
    const std::string key = std::string("key-of-") + user;
    EXPECT_EQ(code_of({}, set_limit(Limit("user", user).pending(0)), "dave"), code) << user;
    EXPECT_EQ(code_of({}, set_limit(Limit("keypair", key).pending(0)), "dave"), code) << user;
    EXPECT_EQ(code_of({}, set_limit(Limit("keypair", key).pending(0)), "root"), "") << user;
    EXPECT_EQ(code_of({Limit("user", user).pending(0)}, remove_limit("user", user), "dave"), code) << user;
  }
  EXPECT_EQ(code_of({}, set_limit(Limit("project", "default/default").pending(0)), "dave"), "");
}

TEST(SetLimit, OnesOwnIsAnAdministratorsToChange) {
  for (const auto& [scope, id] : {std::pair{"user", "dave"}, std::pair{"keypair", "key-of-dave"}}) {
    const Events bound = {Limit(scope, id).sessions(1)};
    EXPECT_EQ(code_of(bound, set_limit(Limit(scope, id).sessions(9)), "dave"), "denied") << scope;
    EXPECT_EQ(code_of(bound, remove_limit(scope, id), "dave"), "denied") << scope;
    EXPECT_EQ(code_of(bound, remove_limit(scope, id), "dora"), "") << scope;
  }
  EXPECT_EQ(code_of({}, set_limit(Limit("user", "root").sessions(9)), "root"), "");
}

TEST(RemoveLimit, IsRemovedOnce) {
  given(world() + Events{Limit("user", "alice").sessions(5)})
      .when(remove_limit("user", "alice"))
      .then({limit_removed("user", "alice")})
      .when(remove_limit("user", "alice"))
      .then_refused("unknown-limit");
}

TEST(RemoveLimit, RefusesALimitThatIsNotThere) {
  given(world()).when(remove_limit("user", "u1")).then_refused("unknown-limit").then_hint("berth limit ls");
}

}  // namespace
}  // namespace berth::testing::decisions
