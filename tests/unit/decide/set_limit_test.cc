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
  given(world()).when(set_limit(Limit("planet", "u1"))).then_refused("unknown-scope");
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
