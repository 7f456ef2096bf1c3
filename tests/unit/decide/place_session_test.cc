// What a scheduling pass decided about a session. Each event is caused by the request for the session.
#include "controller/decide/place_session.h"

#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

using controller::DecisionContext;
using Places = std::vector<placement::NamedPlacement>;

Places places_of(const std::vector<Placed>& placed) {
  Places places;
  for (const auto& p : placed) {
    auto& place = places.emplace_back();
    place.agent = p.agent;
    for (const auto& [device, amount] : p.shares) place.devices.push_back({device, "cuda.shares", amount});
  }
  return places;
}

const projections::SessionRow& row_of(const DecisionContext& c, const std::string& session) {
  return *c.state.sessions.find(session_id(session));
}

Cause place_session(const std::string& session, const std::vector<Placed>& placed, std::uint64_t turn = 0) {
  return [=](const DecisionContext& c) {
    return controller::place_session(c, row_of(c, session), places_of(placed), turn);
  };
}
Cause reserve_session(const std::string& session, const std::vector<Placed>& placed,
                      const std::vector<std::string>& victims, placement::PreemptMode mode) {
  return [=](const DecisionContext& c) {
    std::vector<SessionId> ids;
    for (const auto& victim : victims) ids.push_back(session_id(victim));
    return controller::reserve_session(c, row_of(c, session), places_of(placed), ids, mode);
  };
}
Cause unreserve_session(const std::string& session) {
  return [=](const DecisionContext& c) { return controller::unreserve_session(c, row_of(c, session)); };
}
Cause change_reason(const std::string& session, const std::string& code, const std::string& slot) {
  return [=](const DecisionContext& c) {
    return controller::change_reason(c, row_of(c, session), Code::told(code), slot);
  };
}
Cause count_retries(const std::string& session, std::uint32_t retries) {
  return [=](const DecisionContext& c) { return controller::count_retries(c, row_of(c, session), retries); };
}

// The event with the kernel ids that a decision gives; those of the builder are names.
template <class M> void derive_kernels(const Uuid& election, M* body) {
  const SessionId id(*Uuid::from_bytes(body->session_id()));
  for (auto& p : *body->mutable_placements())
    p.set_kernel_id(wire(projections::derive_kernel_id(id, election, p.role(), p.index())));
}
v1::Event derived(v1::Event event, std::uint64_t epoch = 1) {
  const Uuid election = nonce_of_election(epoch);
  if (event.has_session_scheduled()) derive_kernels(election, event.mutable_session_scheduled());
  if (event.has_session_reserved()) derive_kernels(election, event.mutable_session_reserved());
  return event;
}

// The event as caused by the record of the newest event so far.
v1::Event caused_by_newest(Case& c, v1::Event event) {
  const v1::Record next = c.journal().next_record({});
  event.mutable_cause()->set_epoch(next.header().epoch());
  event.mutable_cause()->set_sequence(next.header().sequence() - 1);
  return event;
}

TEST(PlaceSession, EveryKernelHasItsPlaceByRoleAndIndex) {
  const std::vector<Placed> placed = {
      {.agent = "a1"}, {.agent = "a2", .index = 2}, {.agent = "a1", .role = "sub"}};
  Case c =
      given(world() + agent("a2") + Events{session_requested("s1", Spec().kernels(2).count_of("sub", 1))});
  c.when(place_session("s1", placed)).then({derived(session_scheduled("s1", placed))});
  EXPECT_EQ(c.taken("a1", "cpu"), 2 * kUnit);
}

TEST(PlaceSession, DevicesHaveTheirAmounts) {
  const std::vector<Placed> placed = {{"a1", {{"gpu0", kUnit}, {"gpu1", kUnit / 2}}}};
  given(world() + Events{session_requested("s1", Spec().shares(kUnit * 3 / 2))})
      .when(place_session("s1", placed))
      .then({derived(session_scheduled("s1", placed))});
}

TEST(PlaceSession, TheAttemptGoesUpByOneEachTime) {
  given(world() + Events{session_requested("s1"), session_scheduled("s1", "a1"),
                         kernel_terminated(kernel_name("s1"), v1::START_FAILED, 1), session_requeued("s1")})
      .when(place_session("s1", {{"a1"}}))
      .then({derived(session_scheduled("s1", "a1", 2))});
}

// The journal may have lost what leaders before placed, and agents may still run that.
TEST(PlaceSession, P35_ItsKernelsHaveOtherIdsInEachElection) {
  Case c = given(world() + Events{session_requested("s1"), session_scheduled("s1", "a1"),
                                  kernel_terminated(kernel_name("s1"), v1::START_FAILED, 1),
                                  session_requeued("s1")});
  c.when_elected();
  c.when(place_session("s1", {{"a1"}})).then({derived(session_scheduled("s1", "a1", 2), 2)});
}

TEST(PlaceSession, TheTurnOfItsGroupIsKept) {
  v1::Event scheduled = derived(session_scheduled("s1", "a1"));
  scheduled.mutable_session_scheduled()->set_turn(5);
  given(world() + Events{session_requested("s1")}).when(place_session("s1", {{"a1"}}, 5)).then({scheduled});
}

TEST(PlaceSession, ItIsCausedByTheRequestForTheSession) {
  Case c = given(world() + Events{session_requested("s1")});
  const v1::Event expected = caused_by_newest(c, derived(session_scheduled("s1", "a1")));
  c.and_given({domain_defined("later")}).when(place_session("s1", {{"a1"}})).then({expected});
}

// "low" runs on all 8 cpus of a1; "high" waits.
Events full() {
  return world() + running("low", "a1", Spec().cpu(8)) +
         Events{session_requested("high", Spec().cpu(8).job_priority(5))};
}

TEST(ReserveSession, TheVictimEndsAndItsPlaceIsHeldForTheOther) {
  Case c = given(full());
  const v1::Event preempted = caused_by_newest(c, session_preempted("low", "high"));
  const v1::Event reserved = caused_by_newest(c, derived(session_reserved("high", "a1")));
  c.when(reserve_session("high", {{"a1"}}, {"low"}, placement::PreemptMode::kTerminate))
      .then({preempted, reserved});
}

TEST(ReserveSession, AVictimThatIsPutBackKeepsItsAttempts) {
  const Events failed_once = {session_requested("low", Spec().cpu(8)),
                              session_scheduled("low", "a1"),
                              kernel_terminated(kernel_name("low"), v1::START_FAILED, 1),
                              session_requeued("low", 1),
                              session_scheduled("low", "a1", 2),
                              session_requested("high", Spec().cpu(8).job_priority(5))};
  given(world() + failed_once)
      .when(reserve_session("high", {{"a1"}}, {"low"}, placement::PreemptMode::kReschedule))
      .then({session_put_back("low", "high", 1), derived(session_reserved("high", "a1"))});
}

TEST(UnreserveSession, ItWaitsAgain) {
  Case c = given(full());
  const v1::Event expected = caused_by_newest(c, session_unreserved("high"));
  c.when(reserve_session("high", {{"a1"}}, {"low"}, placement::PreemptMode::kTerminate));
  c.when(unreserve_session("high")).then({expected});
  EXPECT_EQ(c.status("high"), projections::SessionStatus::kPending);
}

TEST(ChangeReason, P19_TheReasonOfTheWaitIsACodeAndMaybeASlot) {
  Case c = given(world() + Events{session_requested("s1")});
  const v1::Event of_slot = caused_by_newest(c, session_reason_changed("s1", "no-capacity", "cpu"));
  c.when(change_reason("s1", "no-capacity", "cpu")).then({of_slot});
  c.when(change_reason("s1", "behind-head", "")).then({session_reason_changed("s1", "behind-head")});
}

TEST(CountRetries, P19_TheNumberOfRefusalsIsAbsolute) {
  Case c = given(world() + Events{session_requested("s1")});
  const v1::Event expected = caused_by_newest(c, session_retried("s1", 7));
  c.when(count_retries("s1", 7)).then({expected});
  EXPECT_EQ(c.session("s1").retries, 7u);
}

}  // namespace
}  // namespace berth::testing::decisions
