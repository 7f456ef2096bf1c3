// GuardTest: a leader, one agent, and writers whose keys are right or wrong.
#pragma once

#include <cstdint>
#include <memory>

#include "tests/unit/cell/leader_fixture.h"

namespace berth::controller {

class GuardTest : public LeaderTest {
 protected:
  void SetUp() override {
    given_leader();
    given_agent();
  }

  Signer signer(const std::string& writer) const { return {config.cluster, writer, 1, key_of(writer)}; }
  std::string key_of(const std::string& writer) const { return derive_key(config.secret, writer, 1); }
  // Knows the writer's name, and not its key.
  Signer forger(const std::string& writer) const {
    return {config.cluster, writer, 1, derive_key("another secret", writer, 1)};
  }

  static v1::Request session(Amount cpu, std::uint32_t kernels = 1) {
    testing::Spec spec = testing::Spec().cpu(cpu).kernels(kernels);
    spec.proto().set_mode(v1::MULTI_NODE);
    return LeaderTest::session(spec);
  }
  // Reads a request that was sent at `sent`, maybe long ago.
  void read(v1::Request request, Timestamp sent, const Signer& by) {
    request.set_id(std::string(random.uuid().view()));
    request.set_actor(actor_of(request));
    *request.mutable_owner() = owner();
    request.set_sent_ms(sent / kMillisecond);
    when(InputRead{{kRequests, requests++, by.sign(Channel::kRequest, request.SerializeAsString())}});
  }
  void read(v1::Report report, const std::string& agent, const Signer& by) {
    report.set_agent(agent);
    report.set_incarnation(incarnation_of(agent));
    report.set_sent_ms(now.wall / kMillisecond);
    when(InputRead{{kReports, reports++, by.sign(Channel::kReport, report.SerializeAsString())}});
  }
  static std::string incarnation_of(const std::string& agent) {
    return std::string(Rng(agent == "a1" ? 3 : 5).uuid().view());
  }
  v1::Report end_of(const KernelId& kernel, v1::KernelEnd how) const {
    v1::Report report;
    auto* fact = report.add_facts();
    fact->set_kernel_id(std::string(kernel.view()));
    fact->set_attempt(state().kernels.find(kernel)->attempt);
    fact->set_state(v1::TERMINATED);
    fact->set_end(how);
    return report;
  }

  // Time passes for a leader that reads its own heartbeats, acks and records back.
  void live(Duration time) {
    for (Duration passed = 0; passed < time; passed += 100 * kMillisecond) {
      pass(100 * kMillisecond);
      const auto beats = appends_to(Stream::kControl), acks = appends_to(Stream::kHealth);
      for (const auto& append : beats) when(ControlRead{append.payload});
      for (const auto& append : acks) when(HealthRead{append.payload});
      read_all_back();
    }
  }
  void beat(std::uint64_t counter, const Signer& by) {
    v1::Beat beat;
    beat.set_agent("a1");
    beat.set_incarnation(incarnation_of("a1"));
    beat.set_counter(counter);
    beat.set_boottime_ns(now.boottime);
    beat.set_wall_ms(now.wall / kMillisecond);
    when(HealthRead{by.sign(Channel::kBeat, beat.SerializeAsString())});
  }

  // Loses its leadership with what was read back, and is elected again.
  void fail_over() {
    read_all_back();
    give_up();
    stand();
  }
  void give_up() {
    auto durable = std::make_unique<projections::Projection>(controller->projection());
    when(InputsLost{});
    when(Reloaded{std::move(durable)});
    ASSERT_EQ(controller->mode(), Controller::Mode::kStandby);
  }

  const projections::State& state() const { return controller->projection().state(); }
  bool holds_slots(const KernelId& kernel) const {
    const auto* row = state().kernels.find(kernel);
    return row != nullptr && row->holds_slots();
  }
  projections::AgentState agent_state() const { return state().agents.find("a1")->state; }
  const projections::SessionRow& only_session() const {
    const projections::SessionRow* found = nullptr;
    state().sessions.for_each_unordered([&](const projections::SessionRow& row) { found = &row; });
    BERTH_CHECK(found != nullptr && state().sessions.size() == 1, "there is one session");
    return *found;
  }
};

}  // namespace berth::controller
