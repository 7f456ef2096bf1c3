// What would become of a request: refused as the real one, started where the real pass starts it, waiting for
// the same reason.
#include "controller/answers/dry_run.h"

#include <gtest/gtest.h>

#include "controller/feed/pass_decisions.h"
#include "projections/tables/session_bounds.h"
#include "tests/support/given.h"
#include "tests/support/limits.h"
#include "tests/support/random_cluster.h"
#include "tests/support/rounds.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

const InHistory kNothingInHistory;

v1::SessionSpec batch(const std::string& argument = "x") {
  v1::SessionSpec spec = Spec().batch().cpu(1);
  spec.add_command(argument);
  return spec;
}

v1::Request dry_request(const v1::SessionSpec& spec, const std::string& name = "new",
                        std::uint32_t count = 1) {
  v1::Request request;
  request.set_id(std::string(16, 'r'));
  request.set_actor("user:alice");
  *request.mutable_owner() = owner("alice");
  request.mutable_request_session()->set_name(name);
  request.mutable_request_session()->set_count(count);
  *request.mutable_request_session()->mutable_spec() = spec;
  return request;
}

Events two_agents() {
  return definitions() + Events{agent_enrolled("a1"),
                                agent_joined("a1", 4, 16 * kGiga, {gpu("gpu0"), gpu("gpu1")}),
                                agent_enrolled("a2"), agent_joined("a2", 8, 16 * kGiga)};
}

struct Dry {
  explicit Dry(const Given& given) { feed.rebuild(given.state(), now = kTestStart + kHour); }
  // "new main1@a1", "new limit", "refused name-in-use"
  std::string ask(const Given& given, const v1::Request& request,
                  const InHistory& in_history = kNothingInHistory) {
    DryRun run(feed, given.state(), now);
    if (const auto refusal = run.ask(request, in_history)) return "refused " + refusal->code;
    std::string out;
    for (const WouldBe& session : run.sessions()) {
      out += (out.empty() ? "" : "; ") + session.row.name;
      if (!session.starts) out += " " + session.row.reason_code;
      for (const auto& place : session.kernels) out += " " + place.kernel + "@" + place.agent;
      for (const auto& place : session.kernels)
        for (const auto& share : place.devices) out += "/" + share.device;
    }
    return out;
  }
  ClusterFeed feed;
  Timestamp now = 0;
};

TEST(DryRun, SaysWhereItWouldStartOnAgentsAndDevices) {
  const Given given(two_agents());
  Dry dry(given);
  EXPECT_EQ(dry.ask(given, dry_request(Spec().cpu(2).shares(kUnit))), "new main1@a1/gpu1");
  EXPECT_EQ(dry.ask(given, dry_request(Spec().cpu(3), "n", 3)), "n-1 main1@a2; n-2 main1@a2; n-3 main1@a1");
}

TEST(DryRun, SaysWhyItWouldWaitAndTheModelIsAsBefore) {
  const Given given(two_agents() + Events{session_requested("s1", Spec().cpu(8)),
                                          session_scheduled("s1", "a2"),
                                          session_requested("s2", Spec().cpu(6)),
                                          session_reason_changed("s2", "no-capacity", "cpu")});
  Dry dry(given);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(dry.ask(given, dry_request(Spec().cpu(5))), "new behind-head");
    EXPECT_EQ(dry.ask(given, dry_request(Spec().cpu(5).priority(20))), "new no-capacity");
    EXPECT_EQ(dry.ask(given, dry_request(Spec().cpu(1).priority(20))), "new main1@a1");
    EXPECT_EQ(dry.ask(given, dry_request(Spec().batch().cpu(1).start_at(kTestStart + kDay))),
              "new start-time");
    EXPECT_EQ(dry.feed.cluster().pending_count(), 1u);
  }
}

TEST(DryRun, RefusesWhatTheRequestItselfWouldBeRefusedFor) {
  const Given given(two_agents() + Events{session_requested("s1", Spec().cpu(1))});
  Dry dry(given);
  EXPECT_EQ(dry.ask(given, dry_request(Spec(), "s1")), "refused name-in-use");
  EXPECT_EQ(dry.ask(given, dry_request(Spec().group("nowhere"))), "refused unknown-group");
  EXPECT_EQ(dry.ask(given, dry_request(Spec().slot("tpu", kUnit))), "refused unknown-slot");
  EXPECT_EQ(dry.ask(given, dry_request(Spec(), "many", 101)), "refused invalid-spec");
}

TEST(DryRun, RefusesWhatItsDependenciesMakeTooLargeForARecord) {
  v1::Request request = dry_request(batch(std::string(1'700, 'x')), "n", 100);
  Given given(two_agents());
  Dry alone(given);
  EXPECT_NE(alone.ask(given, request), "refused request-too-large");
  for (int i = 0; i < projections::kDependenciesMax; ++i) {
    const std::string name = "b" + std::to_string(i);
    given.and_given({session_requested(name, batch())});
    request.mutable_request_session()->add_depends_on(name);
  }
  Dry dry(given);
  EXPECT_EQ(dry.ask(given, request), "refused request-too-large");
}

TEST(DryRun, WaitsForNoneThatSucceededBeforeItLeftTheState) {
  const Given given(two_agents());
  Dry dry(given);
  v1::Request request = dry_request(batch());
  request.mutable_request_session()->add_depends_on(to_string(session_id("past")));
  const auto past = [](const SessionId& id) {
    return id == session_id("past")
               ? std::optional(PastSession{"alice", "past", v1::BATCH, projections::SessionResult::kSuccess})
               : std::nullopt;
  };
  EXPECT_EQ(dry.ask(given, request, past), "new main1@a2");
}

TEST(DryRun, CountsThoseOfTheRequestThatStartUnderTheirLimits) {
  const Given given(two_agents() + Events{Limit("user", "alice").slot("cpu", 4 * kUnit)});
  Dry dry(given);
  EXPECT_EQ(dry.ask(given, dry_request(Spec().cpu(2), "n", 3)), "n-1 main1@a2; n-2 main1@a2; n-3 limit");
}

// The real thing: the request's events are folded, then a pass.
std::string real(Given& given, const v1::Request& request, Timestamp now) {
  TestJournal journal = given.journal();
  projections::Projection copy(given.projection());
  const DecisionContext context{given.state(),
                                {given.state().epoch().epoch, 1u << 30, 0},
                                now,
                                kNothingInHistory,
                                {"user:alice", request.id(), {}}};
  const Decision decision = decide(context, request, request.request_session(), {});
  if (const auto* refusal = controller::refusal_of(decision)) return "refused " + refusal->code;
  const auto& decided = std::get<EventList>(decision);
  const Events events(decided.begin(), decided.end());
  if (!copy.apply(copy.chain().next(), journal.append(events)).applied()) return "void";
  ClusterFeed feed;
  feed.rebuild(copy.state(), now);
  feed.limits().begin_pass(copy.state());
  struct Visitor final : placement::PassVisitor {
    explicit Visitor(ClusterFeed& m) : feed(m) {}
    placement::Reason admit(const SessionId& id) override { return feed.limits().admit(id); }
    void placed(const SessionId& id, std::span<const placement::KernelPlacement> kernels) override {
      feed.limits().placed(id);
      said[id].clear();
      for (std::size_t i = 0; i < kernels.size(); ++i)
        said[id] +=
            " main" + std::to_string(i + 1) + "@" + std::string(feed.cluster().agent_name(kernels[i].agent));
      for (const auto& kernel : kernels)
        for (const auto& share : kernel.devices)
          said[id] += "/" + std::string(feed.cluster().device_name(kernel.agent, share.device));
    }
    void refused(const SessionId& id, placement::Reason reason) override {
      said[id] = " " + std::string(placement::to_string(reason.code));
    }
    void unreserved(const SessionId& id) override { feed.limits().unreserved(id); }
    void reserved(const SessionId& id, std::span<const placement::KernelPlacement>) override {
      feed.limits().reserved(id);
    }
    void retried(const SessionId&, std::uint32_t) override {}
    ClusterFeed& feed;
    std::map<SessionId, std::string> said;
  } visitor(feed);
  placement::pass(feed.cluster(), request.request_session().spec().group(), {~0u, false, true, now}, visitor);
  std::string out;
  for (const auto& e : events) {
    const auto id = SessionId(*Uuid::from_bytes(e.session_requested().session_id()));
    out += (out.empty() ? "" : "; ") + e.session_requested().name() + visitor.said[id];
  }
  return out;
}

// Random clusters of the fold's own tests, and every order: the two agree on what starts, where, and on what
// waits.
TEST(DryRun, SaysWhatTheRealPassDoesOnRandomClusters) {
  int started = 0, waited = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= rounds(120); ++seed) {
    Given given({});
    RandomCluster(seed).run(given.journal(), given.projection(), 120);
    given.when_elected();
    Rng rng(seed);
    const char* const orders[] = {"fifo", "lifo", "drf", "backfill", "fifo"};
    v1::Event group = group_defined("default");
    group.mutable_resource_group_defined()->set_order(orders[seed % 5]);
    if (seed % 5 == 4) group.mutable_resource_group_defined()->set_select("round-robin");
    if (seed % 2 == 0) group.mutable_resource_group_defined()->set_impossible("skip");
    given.when({group}).then_applied();
    if (seed % 3 == 0)
      given.and_given(
          {Limit("domain", "default").slot("cpu", static_cast<Amount>(4 + rng.below(12)) * kUnit)});
    const Timestamp now = given.journal().time();
    Dry dry(given);
    dry.now = now;
    dry.feed.rebuild(given.state(), now);
    for (int i = 0; i < 4; ++i) {
      Spec spec;
      spec.cpu(static_cast<Amount>(1 + rng.below(8))).mem(static_cast<Amount>(1 + rng.below(8)) * kGiga);
      if (rng.below(2) == 0) spec.shares(static_cast<Amount>(1 + rng.below(10)) * kUnit / 10);
      if (rng.below(3) == 0) spec.priority(static_cast<std::int32_t>(5 + rng.below(10)));
      const auto request =
          dry_request(spec, "dry-" + std::to_string(i), static_cast<std::uint32_t>(1 + rng.below(3)));
      const std::string said = dry.ask(given, request);
      const std::string is = real(given, request, now);
      started += said.find('@') != std::string::npos ? 1 : 0;
      refused += said.starts_with("refused") ? 1 : 0;
      waited += said.find("no-") != std::string::npos || said.find("behind") != std::string::npos ? 1 : 0;
      EXPECT_EQ(said, is) << "seed " << seed << " request " << i << " order " << orders[seed % 5];
    }
  }
  EXPECT_GT(started, static_cast<int>(rounds(25)));
  EXPECT_GT(waited, static_cast<int>(rounds(50)));
  EXPECT_LT(refused, 400);
}

}  // namespace
}  // namespace berth::controller
