// P4: whatever is asked or told, no decision makes a record above the bound. What a placement could make is
// refused when asked.
#include <rapidcheck.h>

#include "controller/decide/place_session.h"
#include "projections/tables/session_bounds.h"
#include "tests/support/decide.h"
#include "tests/support/folders.h"
#include "tests/support/random_message.h"

namespace berth::testing::decisions {
namespace {

using controller::DecisionContext;
using controller::EventList;
using controller::kDecisionBytesMax;

const std::string kTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const std::string kLargest = std::string(64, 'a');  // an agent's name
constexpr int kDevices = 64;

std::string device_name(int i) { return "gpu-of-a-long-name-" + std::to_string(i); }

// An agent with long names and many devices, and many images.
Events large_world() {
  Events events = world() + Events{agent_enrolled(kLargest)};
  std::vector<v1::Device> devices;
  for (int i = 0; i < kDevices; ++i) devices.push_back(gpu(device_name(i)));
  events = events + Events{agent_joined(kLargest, 1000, 1000 * kGiga, devices)};
  for (int i = 0; i < 100; ++i)
    events = events + Events{image_registered("image-" + std::to_string(i) + std::string(100, 'i'))};
  return events + agent_of_volume("a2") + ready_folder("kept");
}

struct Decider {
  Given given{large_world()};
  controller::InHistory in_history;
  DecisionContext context() {
    const v1::Record next = given.journal().next_record({});
    return {given.state(),
            {next.header().epoch(), next.header().sequence(), 0},
            given.journal().time(),
            in_history};
  }
};

// Every kernel on the agent with the most devices, a share of each.
EventList largest_placement(const DecisionContext& c, const projections::SessionRow& session) {
  std::vector<std::string> names;
  for (int i = 0; i < kDevices; ++i) names.push_back(device_name(i));
  std::vector<placement::NamedPlacement> places(projections::kernel_count(session.spec->spec));
  for (auto& place : places) {
    place.agent = kLargest;
    for (const auto& name : names) place.devices.push_back({name, "cuda.shares", kAmountMax});
  }
  const std::vector<SessionId> gone(placement::kVictimsMax, session_id("victim"));
  return controller::reserve_session(c, session, places, gone, placement::PreemptMode::kReschedule);
}

TEST(RecordBound, P4_OneHundredSessionsWithALongTraceAreAskedForWithoutIt) {
  v1::Request r = request_session("s", Spec(), 100);
  r.set_trace(std::string(4096, 't'));
  Case c = given(world());
  c.when(r);
  ASSERT_EQ(c.decided().size(), 100u);
  EXPECT_EQ(c.decided()[0].trace(), "");
}

TEST(RecordBound, P4_DependenciesCountOnceASession) {
  Events batches;
  std::vector<std::string> on;
  for (int i = 0; i < projections::kDependenciesMax; ++i) {
    on.push_back("b" + std::to_string(i));
    batches.push_back(session_requested(on.back(), Spec().batch()));
  }
  Spec job = Spec().batch();
  job.proto().add_command(std::string(1'800, 'x'));
  Case c = given(world() + batches);
  c.when(depending(request_session("s", job, 100), on)).then_refused("request-too-large");
  c.when(request_session("t", job, 100));
  EXPECT_EQ(c.decided().size(), 100u);
}

TEST(RecordBound, P4_AnUnknownImageIsAnsweredWithAFewNames) {
  Case c = given(large_world());
  c.when(request_session("s1", Spec().image("nope"))).then_refused("unknown-image");
  EXPECT_LE(c.decided().at(0).request_refused().hint().size(), 1100u);
}

TEST(RecordBound, P4_AGangWhosePlacementFitsNoRecordIsRefusedWhenAsked) {
  const v1::SessionSpec gang = Spec().shares(kUnit).kernels(256);
  Case c = given(world());
  c.when(request_session("s1", gang));
  ASSERT_EQ(c.decided().size(), 1u);
  EXPECT_TRUE(c.decided()[0].has_session_requested());
  given(large_world()).when(request_session("s1", gang)).then_refused("request-too-large");
}

// Each kernel's start names the whole spec.
TEST(RecordBound, P4_AGangWhoseOrderFitsNoPayloadIsRefusedWhenAsked) {
  Spec gang = Spec().kernels(256);
  auto* env = gang.proto().add_env();
  env->set_key("X");
  env->set_value(std::string(8'000, 'x'));
  given(world()).when(request_session("s1", gang)).then_refused("request-too-large");
}

TEST(RecordBound, P4_TheLargestPlanForWhatIsAcceptedFitsARecord) {
  Decider decider;
  decider.given.and_given({session_requested("victim")});
  int accepted = 0;
  const bool holds = rc::check([&] {
    const auto kernels = *rc::gen::inRange(1u, 257u);
    v1::Request r = request_session("s1", Spec().shares(kUnit).kernels(kernels));
    r.set_id(wire("k"));
    r.set_sent_ms(decider.given.journal().time() / kMillisecond);
    const EventList decided = controller::decide_request(decider.context(), r);
    RC_ASSERT(decided.size() >= 1);  // the owner's automatic folder may come with it
    if (decided[0].has_request_refused()) return;
    ++accepted;
    projections::SessionRow row;
    row.id = session_id("s1");
    row.spec = std::make_shared<projections::SharedSpec>(
        projections::SharedSpec{decided[0].session_requested().spec(), {}});
    RC_ASSERT(largest_placement(decider.context(), row).bytes() <= kDecisionBytesMax);
  });
  EXPECT_TRUE(holds);
  EXPECT_GT(accepted, 0);
}

// Sound requests of every kind, to begin with.
std::vector<v1::Request> requests() {
  v1::Request any = define(large_world());
  return {request_session("s1", Spec(), 3),
          depending(request_session("s2", Spec().batch()), {"b1"}),
          terminate_session("s0", true, "because"),
          define({group_defined("other"), image_registered("other"), user_defined("bob")}),
          set_limit(Limit("user", "alice")),
          remove_limit("user", "alice"),
          fence_agent("a1"),
          drain_agent("a1"),
          enroll_agent("a2", 3),
          confirm_clock(),
          release_quarantine("session:x"),
          reseal_password("alice", 1),
          create_user("carol"),
          put_membership("alice", "default", "admin"),
          add_key_pair("AK1", "alice"),
          start_browser_session("b1", "alice"),
          terminate_sessions({"s0", "b1"}),
          remove("user", "alice", true),
          create_folder("data"),
          rename_folder("kept", "data"),
          share_folder("kept", "user", "bob"),
          any};
}

TEST(RecordBound, P4_NoRequestMakesARecordAboveTheBound) {
  Decider decider;
  rc::check([&decider] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    RandomMessage random(
        rng, {"alice", "default", "main", "a1", "cpu", "mem", "cuda.shares", "python:3.11", kTrace},
        {wire("s0")});
    const auto all = requests();
    v1::Request r = all[rng.below(all.size())];
    r.set_id(wire("k"));
    r.set_sent_ms(decider.given.journal().time() / kMillisecond);
    for (std::uint64_t n = rng.below(12); n > 0; --n) random.change(r);
    const EventList decided = controller::decide_request(decider.context(), r);
    RC_ASSERT(decided.bytes() <= kDecisionBytesMax - 1024);
  });
}

// A join cannot be cut: what is too large there is an internal error of its input (decider.h).
TEST(RecordBound, P4_NoFactMakesARecordAboveTheBound) {
  Decider decider;
  rc::check([&decider] {
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    RandomMessage random(rng, {"a1"}, {wire("s0"), incarnation_of("a1", 1)});
    v1::Report report;
    random.fill(report);
    report.set_agent("a1");
    for (const controller::ReportPart& part : controller::parts_of(report)) {
      if (std::holds_alternative<controller::JoinPart>(part)) continue;
      const EventList decided = controller::decide(decider.context(), report, part).events;
      RC_ASSERT(decided.bytes() <= controller::kSettleBytesMax);
    }
  });
}

}  // namespace
}  // namespace berth::testing::decisions
