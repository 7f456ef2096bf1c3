// A small cluster in words: amounts as text ("0.5", "16g"), ids from names, decisions as lines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "controller/placement/audit/model_audit.h"
#include "controller/placement/cluster/cluster.h"
#include "controller/placement/pass/pass.h"

namespace berth::placement::testing {

using Amounts = std::map<std::string, std::string>;

struct DeviceText {
  std::string id;
  Amounts slots;
  Amounts used;
};

inline SessionId session_id(const std::string& name) {
  SessionId id;
  for (std::size_t i = 0; i < name.size() && i < id.bytes.size(); ++i)
    id.bytes[i] = static_cast<std::uint8_t>(name[i]);
  return id;
}

inline std::string session_name(const SessionId& id) {
  std::string name;
  for (const std::uint8_t byte : id.bytes) {
    if (byte != 0) name += static_cast<char>(byte);
  }
  return name;
}

class TestCluster : public PassVisitor {
 public:
  TestCluster() {
    cluster.define_slot("cpu", SlotKind::kCount);
    cluster.define_slot("mem", SlotKind::kBytes);
    cluster.define_slot("cuda.shares", SlotKind::kCount);
    cluster.define_group("default", policy);
  }

  SlotId slot(const std::string& name) {
    if (const auto found = cluster.find_slot(name)) return *found;
    return cluster.define_slot(name, SlotKind::kCount);
  }
  std::vector<SlotAmount> amounts(const Amounts& texts) {
    std::vector<SlotAmount> result;
    for (const auto& [name, text] : texts) {
      const SlotId id = slot(name);
      result.push_back({id, parse_amount(cluster.slot_kind(id), text).value()});
    }
    return result;
  }
  void set_policy(const GroupPolicy& changed) { cluster.define_group("default", policy = changed); }

  AgentSpec agent_spec(const std::string& id, const Amounts& slots, const Amounts& used = {},
                       const std::vector<DeviceText>& devices = {}) {
    AgentSpec spec;
    spec.id = id;
    spec.group = "default";
    spec.arch = "x86_64";
    spec.slots = amounts(slots);
    spec.used = amounts(used);
    for (const DeviceText& device : devices)
      spec.devices.push_back({device.id, 0, amounts(device.slots), amounts(device.used)});
    return spec;
  }
  void agent(const std::string& id, const Amounts& slots, const Amounts& used = {},
             const std::vector<DeviceText>& devices = {}) {
    cluster.upsert_agent(agent_specs[id] = agent_spec(id, slots, used, devices));
  }
  // REQUIRES: agent() told of it.
  void drain(const std::string& id, bool draining = true) {
    agent_specs.at(id).draining = draining;
    cluster.upsert_agent(agent_specs.at(id));
  }

  PendingSpec session_spec(const std::string& name, const Amounts& slots, std::int32_t priority = 10) {
    PendingSpec spec;
    spec.id = session_id(name);
    spec.group = "default";
    spec.created = spec.arrival = ++arrivals;
    spec.priority = priority;
    spec.kernels.push_back({amounts(slots), "", 1});
    return spec;
  }
  void wait(const PendingSpec& spec) { BERTH_CHECK(cluster.add_pending(spec).ok(), "add_pending"); }
  void session(const std::string& name, const Amounts& slots, std::int32_t priority = 10) {
    wait(session_spec(name, slots, priority));
  }
  void end(const std::string& name) { cluster.release(session_id(name)); }

  // The decisions of one pass: "s1 -> a1", "s1 -> a1 gpu0:cuda.shares=0.5", "s2: no-capacity cpu", "s2
  // retried 1".
  std::vector<std::string> pass(PassOptions options = {}) {
    lines.clear();
    audit();
    while (placement::pass(cluster, "default", options, *this).more) audit();
    audit();
    return lines;
  }

  // What was mirrored into the cluster, and what a pass did there, leave its tables whole.
  void audit() const {
    const std::string broken = broken_invariant(cluster.model());
    BERTH_CHECK(broken.empty(), broken);
  }

  void placed(const SessionId& session, std::span<const KernelPlacement> kernels) override {
    std::string line = session_name(session) + " ->";
    for (const KernelPlacement& kernel : kernels) {
      line += " " + std::string(cluster.agent_name(kernel.agent));
      for (const DeviceShare& share : kernel.devices) {
        line += " " + std::string(cluster.device_name(kernel.agent, share.device)) + ":" +
                std::string(cluster.slot_name(share.slot)) + "=" +
                format_amount(cluster.slot_kind(share.slot), share.amount);
      }
    }
    lines.push_back(line);
  }
  void refused(const SessionId& session, Reason reason) override {
    std::string line = session_name(session) + ": " + std::string(to_string(reason.code));
    if (reason.slot != kNoSlot) line += " " + std::string(cluster.slot_name(reason.slot));
    lines.push_back(line);
  }
  void retried(const SessionId& session, std::uint32_t retries) override {
    lines.push_back(session_name(session) + " retried " + std::to_string(retries));
  }

  Cluster cluster;
  GroupPolicy policy;
  std::map<std::string, AgentSpec> agent_specs;  // as agent() told of them
  std::int64_t arrivals = 0;
  std::vector<std::string> lines;
};

using Lines = std::vector<std::string>;

}  // namespace berth::placement::testing
