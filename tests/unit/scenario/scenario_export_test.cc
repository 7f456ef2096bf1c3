// A state as a scenario file: what `berth schedule` decides of the file is what the leader's next pass
// decides of the state.
#include "controller/scenario/export.h"

#include <gtest/gtest.h>

#include "controller/answers/fair_share_view.h"
#include "controller/feed/cluster_feed.h"
#include "controller/feed/pass_decisions.h"
#include "controller/scenario/scenario.h"
#include "tests/support/given.h"
#include "tests/support/limits.h"
#include "tests/support/random_cluster.h"
#include "tests/support/rounds.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)
namespace json = boost::json;
using placement::ScenarioExport;

using PlacementLines =
    std::map<std::string, std::string>;  // by session of the file: "main1@a1 gpu0 cuda.shares 0.5; ..."

ScenarioExport exported(const projections::State& state, Timestamp now, const std::string& group = "") {
  placement::ExportOptions options;
  options.group = group;
  options.now = now;
  options.past_use = past_use(state, group, now);
  auto made = placement::export_scenario(state, options);
  EXPECT_TRUE(made.ok()) << to_string(made.error());
  return std::move(*made);
}

PlacementLines of_the_file(const ScenarioExport& file) {
  const auto ran = placement::run_scenario(json::serialize(file.scenario), 1);
  PlacementLines lines;
  if (!ran.ok()) {
    ADD_FAILURE() << to_string(ran.error()) << "\n" << json::serialize(file.scenario);
    return lines;
  }
  const json::value result = json::parse(*ran);
  for (const auto& placed : result.at("passes").at(0).at("placed").as_array()) {
    std::string& line = lines[std::string(placed.at("session").as_string())];
    for (const auto& kernel : placed.at("kernels").as_array()) {
      line +=
          std::string(kernel.at("kernel").as_string()) + "@" + std::string(kernel.at("agent").as_string());
      for (const auto& device : kernel.at("devices").as_object())
        for (const auto& slot : device.value().as_object())
          line += " " + std::string(device.key()) + " " + std::string(slot.key()) + " " +
                  std::string(slot.value().as_string());
      line += "; ";
    }
  }
  return lines;
}

// One pass over each group, limits counted over all of them.
struct LeadersPass final : placement::PassVisitor {
  LeadersPass(const projections::State& s, const ScenarioExport& f, Timestamp now) : state(s), file(f) {
    feed.rebuild(state, now);
    feed.refresh(state, now);
    feed.limits().begin_pass(state);
    for (const auto& name : state.groups.sorted_keys())
      placement::pass(feed.cluster(), name, {~0u, true, true, now}, *this);
  }
  placement::Reason admit(const SessionId& id) override { return feed.limits().admit(id); }
  void refused(const SessionId&, placement::Reason) override { ++refusals; }
  void unreserved(const SessionId& id) override { feed.limits().unreserved(id); }
  void retried(const SessionId&, std::uint32_t) override {}
  void placed(const SessionId& id, std::span<const placement::KernelPlacement> kernels) override {
    feed.limits().placed(id);
    if (!file.names.contains(id)) return;
    std::string& line = lines[file.names.at(id)];
    const auto& spec = state.sessions.find(id)->spec->spec;
    std::size_t k = 0;
    for (const auto& role : spec.roles())
      for (std::uint32_t index = 1; index <= role.count(); ++index, ++k) {
        line += role.role() + std::to_string(index) + "@" +
                std::string(feed.cluster().agent_name(kernels[k].agent));
        for (const auto& share : kernels[k].devices) {
          const std::string slot(feed.cluster().slot_name(share.slot));
          line += " " + std::string(feed.cluster().device_name(kernels[k].agent, share.device)) + " " + slot +
                  " " + format_amount(slot == "mem" ? SlotKind::kBytes : SlotKind::kCount, share.amount);
        }
        line += "; ";
      }
  }
  const projections::State& state;
  const ScenarioExport& file;
  ClusterFeed feed;
  PlacementLines lines;
  int refusals = 0;
};

v1::Event group_of(const std::string& name, Rng& rng) {
  v1::Event event = group_defined(name);
  auto* def = event.mutable_resource_group_defined();
  const char* const orders[] = {"fifo", "lifo", "drf", "backfill", "fair-share"};
  const char* const selects[] = {"concentrated", "dispersed", "round-robin"};
  const char* const heads[] = {"strict", "skip-after-n", "greedy"};
  def->set_order(orders[rng.below(5)]);
  def->set_select(selects[rng.below(3)]);
  def->set_head_of_line(heads[rng.below(3)]);
  def->set_skip_after(static_cast<std::uint32_t>(rng.below(3)));
  if (rng.chance(1, 3)) {
    auto* device = def->add_devices();
    device->set_slot("cuda.shares");
    device->set_spread(rng.chance(1, 2) ? "fill" : "even");
    device->set_quantum(kUnit / 10);
    device->set_allow_fragments(rng.chance(1, 2));
  }
  return event;
}

// Sessions of many kinds more, in two groups and of two users, on agents that are there, away and draining.
void furnish(Given& given, std::uint64_t seed) {
  Rng rng(seed);
  given.and_given({group_of("default", rng), group_of("gpu", rng)});
  v1::Event other = agent_joined("b1", 8, 32 * kGiga, {gpu("gpu0"), gpu("gpu1")});
  other.mutable_agent_joined()->set_group("gpu");
  given.and_given({agent_enrolled("b1"), other});
  if (rng.chance(1, 2))
    given.and_given({Limit("user", "alice").slot("cpu", static_cast<Amount>(2 + rng.below(10)) * kUnit)});
  if (rng.chance(1, 3))
    given.and_given({Limit("domain", "default").sessions(static_cast<std::int64_t>(2 + rng.below(8)))});
  if (rng.chance(1, 3)) given.and_given({agent_drain_changed("a0", true)});
  for (int i = 0; i < 14; ++i) {
    const std::string name = "x" + std::to_string(i);
    Spec spec;
    spec.cpu(static_cast<Amount>(1 + rng.below(4))).mem(static_cast<Amount>(1 + rng.below(4)) * kGiga);
    if (rng.chance(1, 3))
      spec.batch().batch_timeout(static_cast<Duration>(1 + rng.below(5)) * kHour);
    else if (rng.chance(1, 4))
      spec.batch().start_at(given.journal().time() + kHour);
    if (rng.chance(1, 2)) spec.shares(static_cast<Amount>(1 + rng.below(20)) * kUnit / 10);
    if (rng.chance(1, 3)) spec.group("gpu");
    if (rng.chance(1, 3)) spec.priority(static_cast<std::int32_t>(5 + rng.below(10)));
    if (rng.chance(1, 4)) spec.kernels(2).proto().set_mode(v1::MULTI_NODE);
    if (rng.chance(1, 5)) spec.proto().add_agents("a" + std::to_string(rng.below(4)));
    if (rng.chance(1, 6)) spec.proto().set_agent_rule(v1::AGENT_PREFERRED);
    if (spec.proto().type() == v1::BATCH && i > 0 && rng.chance(1, 3))
      if (const auto* on = given.state().sessions.find(session_id("x0"));
          on != nullptr && on->spec->spec.type() == v1::BATCH)
        spec.proto().add_depends_on(std::string(session_id("x0").view()));
    given.and_given({session_requested(name, spec, rng.chance(1, 2) ? "alice" : "bob")});
    if (rng.chance(1, 5))
      given.and_given({session_retried(name, 1 + static_cast<std::uint32_t>(rng.below(3)))});
    if (rng.chance(1, 3)) given.journal().advance(static_cast<Duration>(1 + rng.below(100)) * kSecond / 7);
  }
}

TEST(ScenarioExport, DecidesWhatTheNextPassWouldOnRandomStates) {
  std::size_t placed = 0, refused = 0, noted = 0;
  for (std::uint64_t seed = 1; seed <= rounds(150); ++seed) {
    Given given({});
    RandomCluster(seed).run(given.journal(), given.projection(), 100);
    given.when_elected();
    furnish(given, seed);
    const Timestamp now = given.journal().time();
    const ScenarioExport file = exported(given.state(), now);
    const LeadersPass pass(given.state(), file, now);
    EXPECT_EQ(of_the_file(file), pass.lines) << "seed " << seed << "\n" << json::serialize(file.scenario);
    placed += pass.lines.size();
    refused += static_cast<std::size_t>(pass.refusals);
    noted += file.notes.size();
  }
  EXPECT_GT(placed, rounds(150));
  EXPECT_GT(refused, rounds(150));
  EXPECT_GT(noted, 0u);
}

// What other groups hold counts under the limits, and on agents that changed their group.
TEST(ScenarioExport, OfOneGroupDecidesAsAllTogetherDo) {
  std::size_t placed = 0;
  for (std::uint64_t seed = 1; seed <= rounds(60); ++seed) {
    Given given({});
    RandomCluster(seed).run(given.journal(), given.projection(), 60);
    given.when_elected();
    furnish(given, seed);
    const Timestamp now = given.journal().time();
    const ScenarioExport file =
        exported(given.state(), now, "default");  // the first by name: no other pass comes before its own
    const LeadersPass pass(given.state(), file, now);
    EXPECT_EQ(of_the_file(file), pass.lines) << "seed " << seed << "\n" << json::serialize(file.scenario);
    placed += pass.lines.size();
  }
  EXPECT_GT(placed, rounds(50));
}

TEST(ScenarioExport, TellsWhatTheFormCannotSay) {
  Given given(definitions() + agent("a1") + agent("a2") +
              Events{agent_lost("a2"), session_requested("s1", Spec()),
                     session_requested("s2", Spec().pending_timeout(kMinute))});
  given.after(kHour);
  const ScenarioExport file = exported(given.state(), given.journal().time());
  std::string all;
  for (const auto& note : file.notes) all += note + "\n";
  EXPECT_NE(all.find("agent a2 is LOST: in the file it is draining"), std::string::npos) << all;
  EXPECT_NE(all.find("pending_timeout is left out"), std::string::npos) << all;
}

TEST(ScenarioExport, RefusesAnUnknownGroupAndTooMuch) {
  const Given given(definitions() + agent("a1"));
  EXPECT_EQ(placement::export_scenario(given.state(), {"nowhere", 0, 10, {}}).error().code, "unknown-group");
  EXPECT_EQ(placement::export_scenario(given.state(), {"", 0, 0, {}}).error().code, "scenario-too-large");
}

}  // namespace
}  // namespace berth::controller
