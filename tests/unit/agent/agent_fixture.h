// Given an agent and a leader that writes its orders; when something happens; then look at what the agent put
// out.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/core/agent.h"
#include "tests/support/record_codes.h"

namespace berth::agents {

inline Uuid id(std::uint8_t n) {
  Uuid uuid;
  uuid.bytes.fill(n);
  return uuid;
}
inline std::string bytes(const Uuid& uuid) { return std::string(uuid.view()); }
inline KernelKey kernel(std::uint8_t n, std::uint32_t attempt = 1) { return {KernelId(id(n)), attempt}; }
inline v1::Position at(std::uint64_t sequence, std::uint64_t epoch = 1) {
  return to_wire({epoch, sequence, 0});
}

class AgentTest : public ::testing::Test {
 protected:
  static constexpr std::uint8_t kElection = 0xE1;

  explicit AgentTest(std::vector<RecoveredKernel> recovered = {}) { make(std::move(recovered)); }

  void make(std::vector<RecoveredKernel> recovered = {}, bool needs_image = false) {
    profile.needs_image = needs_image;
    profile.announced.set_agent("a1");
    profile.announced.clear_slots();
    profile.announced.clear_devices();
    add_slot("cpu", 4 * kUnit);
    add_slot("mem", 8ll << 30);
    auto& device = *profile.announced.add_devices();
    device.set_id("gpu0");
    device.add_slots()->set_slot("cuda.shares");
    device.mutable_slots(0)->set_amount(2 * kUnit);
    agent = std::make_unique<Agent>(profile, times, recovered);
  }

  void add_slot(const std::string& name, Amount amount) {
    auto& slot = *profile.announced.add_slots();
    slot.set_slot(name);
    slot.set_amount(amount);
  }

  // ---- when ----
  void when(const AgentInput& input) {
    out = {};
    agent->step(input, now, out);
    agent->flush(now, out);
  }
  void pass(Duration time) {
    now.wall += time;
    now.boottime += time;
    when(Tick{});
  }
  void join(std::uint8_t n = 1) {
    incarnation = id(n);
    nonce = id(static_cast<std::uint8_t>(n + 100));
    when(JoinIds{incarnation, nonce});
    for (const auto& beat : out.beats) counter = beat.counter();
  }

  v1::Order order(std::uint64_t sequence, std::uint64_t previous) const {
    v1::Order order;
    order.set_agent("a1");
    order.set_epoch(epoch);
    order.set_election_nonce(bytes(id(election)));
    order.set_incarnation(bytes(incarnation));
    *order.mutable_position() = at(sequence);
    *order.mutable_previous() = at(previous);
    return order;
  }
  static v1::StartKernel start_of(const KernelKey& key, Amount shares = 0) {
    v1::StartKernel start;
    start.set_kernel_id(bytes(key.kernel));
    start.set_attempt(key.attempt);
    start.set_session_id(bytes(id(77)));
    start.set_session_name("demo");
    start.set_role("main");
    start.set_index(1);
    start.add_hosts("main1");
    auto& cpu = *start.add_slots();
    cpu.set_slot("cpu");
    cpu.set_amount(kUnit / 2);
    if (shares > 0) {
      auto& slot = *start.add_slots();
      slot.set_slot("cuda.shares");
      slot.set_amount(shares);
      auto& device = *start.add_devices();
      device.set_device("gpu0");
      device.set_slot("cuda.shares");
      device.set_amount(shares);
    }
    start.set_image("python:3.11");
    start.set_image_source("oci:/images/python:3.11");
    return start;
  }
  void obey_start(std::uint64_t sequence, std::uint64_t previous, const v1::StartKernel& start) {
    v1::Order o = order(sequence, previous);
    *o.add_start() = start;
    when(OrderArrived{o});
  }
  void obey_stop(std::uint64_t sequence, std::uint64_t previous, const KernelKey& key) {
    v1::Order o = order(sequence, previous);
    o.add_stop()->set_kernel_id(bytes(key.kernel));
    o.mutable_stop(0)->set_attempt(key.attempt);
    o.mutable_stop(0)->set_grace_ms(10'000);
    when(OrderArrived{o});
  }
  void obey_forget(std::uint64_t sequence, std::uint64_t previous, const KernelKey& key) {
    v1::Order o = order(sequence, previous);
    o.add_forget()->set_kernel_id(bytes(key.kernel));
    o.mutable_forget(0)->set_attempt(key.attempt);
    when(OrderArrived{o});
  }
  static v1::DesiredKernel desired(const v1::StartKernel& start, bool started = false,
                                   bool stopping = false) {
    v1::DesiredKernel kernel;
    *kernel.mutable_start() = start;
    kernel.set_started(started);
    kernel.set_stopping(stopping);
    return kernel;
  }
  void snapshot(std::uint64_t sequence, const std::vector<v1::DesiredKernel>& kernels = {}) {
    v1::Order o = order(sequence, sequence);
    o.mutable_snapshot()->set_join_nonce(bytes(nonce));
    for (const auto& k : kernels) *o.mutable_snapshot()->add_kernels() = k;
    when(OrderArrived{o});
  }
  // Joined, with an empty snapshot at position 10.
  void given_joined() {
    join();
    snapshot(10);
  }
  void ack(std::uint64_t of_counter, std::uint64_t last_order = 10, bool unknown = false) {
    AckArrived arrived{epoch, id(election), {}};
    arrived.ack.set_agent("a1");
    arrived.ack.set_incarnation(bytes(incarnation));
    arrived.ack.set_counter(of_counter);
    arrived.ack.set_unknown(unknown);
    arrived.ack.set_lease_ms(granted / kMillisecond);
    *arrived.ack.mutable_last_order() = at(last_order);
    when(arrived);
  }
  void happens(const KernelKey& key, KernelEvent::What what, KernelEnd end = KernelEnd::kExited,
               int code = 0) {
    KernelEvent event;
    event.what = what;
    event.key = key;
    event.started_at = 1000;
    event.end = end;
    event.exit_code = code;
    when(event);
  }
  void runs(const KernelKey& key) { happens(key, KernelEvent::What::kRunning); }
  void ends(const KernelKey& key, KernelEnd end = KernelEnd::kExited) {
    happens(key, KernelEvent::What::kEnded, end);
  }

  // ---- then ----
  template <class Command> std::vector<Command> commands() const {
    std::vector<Command> found;
    for (const auto& command : out.commands)
      if (const auto* wanted = std::get_if<Command>(&command)) found.push_back(*wanted);
    return found;
  }
  std::vector<KernelKey> started() const {
    std::vector<KernelKey> keys;
    for (const auto& start : commands<StartCommand>()) keys.push_back(start.spec.key);
    return keys;
  }
  std::vector<KernelKey> stopped() const {
    std::vector<KernelKey> keys;
    for (const auto& stop : commands<StopCommand>()) keys.push_back(stop.key);
    return keys;
  }
  std::vector<v1::KernelFact> facts() const {
    std::vector<v1::KernelFact> all;
    for (const auto& report : out.reports)
      all.insert(all.end(), report.facts().begin(), report.facts().end());
    return all;
  }
  v1::KernelFact fact_of(const KernelKey& key) const {
    for (const auto& fact : facts())
      if (fact.kernel_id() == bytes(key.kernel) && fact.attempt() == key.attempt) return fact;
    return {};
  }
  bool snapshot_wanted() const {
    return std::any_of(out.reports.begin(), out.reports.end(),
                       [](const auto& r) { return r.snapshot_wanted(); });
  }
  bool warned_of(const std::string& text) const {
    return std::any_of(out.log.begin(), out.log.end(),
                       [&](const auto& l) { return l.text.find(text) != l.text.npos; });
  }

  AgentProfile profile;
  AgentTimes times;
  Duration granted = 0;  // by acks
  std::unique_ptr<Agent> agent;
  Instant now{1'700'000'000 * kSecond, 100 * kSecond};
  Uuid incarnation;
  Uuid nonce;
  std::uint64_t epoch = 1;
  std::uint8_t election = kElection;
  std::uint64_t counter = 0;
  AgentOutputs out;
};

using Keys = std::vector<KernelKey>;

}  // namespace berth::agents
