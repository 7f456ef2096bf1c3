#include "controller/scenario/rows.h"

#include <algorithm>
#include <memory>

#include "events/codec/words/enum_words.h"

namespace berth::placement {

using projections::KernelRow;
using projections::SessionRow;
using projections::SharedOwner;
using projections::State;

namespace {

constexpr Duration kAvoidAfterFailure = kHour;  // now stands still in a scenario
// An entry of "usage" counts as this much at most, so that sums stay within 64 bits.
constexpr Amount kUsageAmountMax = kAmountMax / 1024;

// The project of a file is one whatever the domain, so its scope is named without the domain.
projections::OwnerPtr owner_of(State& state, const ScenarioSession& session) {
  v1::Owner owner;
  owner.set_domain(session.domain);
  owner.set_project(session.project);
  owner.set_user(session.user);
  owner.set_keypair(session.keypair);
  auto shared = std::make_shared<SharedOwner>(*state.share(owner));
  shared->scopes[1] = session.project.empty() ? std::string() : "project/" + session.project;
  return shared;
}

v1::SessionType type_of(const std::string& name) {
  return name == "batch"       ? v1::BATCH
         : name == "inference" ? v1::INFERENCE
         : name == "system"    ? v1::SYSTEM
                               : v1::INTERACTIVE;
}

// A request that can never be placed has no slots: the scheduler would refuse them.
void add_roles(const ScenarioSession& session, v1::SessionSpec* spec) {
  const bool waits = session.state == "PENDING";
  for (const ScenarioKernels& kernels : session.kernels) {
    v1::RoleSpec* role = spec->add_roles();
    role->set_role(kernels.role);
    role->set_count(kernels.count);
    role->set_architecture(kernels.arch);
    if (session.fault.code != Code::kNone) continue;
    for (const auto& [name, amount] : kernels.slots) {
      v1::SlotAmount* slot = role->add_slots();
      slot->set_slot(name);
      slot->set_amount(waits ? amount : std::min(amount, kHeldAmountMax));
    }
  }
}

v1::SessionSpec spec_of(const Scenario& scenario, const ScenarioSession& session) {
  v1::SessionSpec spec;
  spec.set_type(type_of(session.type));
  spec.set_group(session.group);
  spec.set_priority(session.priority);
  add_roles(session, &spec);
  spec.set_mode(session.mode == Mode::kMultiNode ? v1::MULTI_NODE : v1::SINGLE_NODE);
  // Rounded up to the millisecond, so that the time is not reached yet. A RESERVED session has been tried, so
  // its start time is no matter.
  const Timestamp start = session.start_time.value_or(scenario.now);
  if (start > scenario.now && session.fault.code == Code::kNone && session.state != "RESERVED")
    spec.set_start_time_ms(start / kMillisecond + (start % kMillisecond > 0 ? 1 : 0));
  spec.set_batch_timeout_ms(std::int64_t{session.timeout_s} * 1000);
  for (const std::string& agent : session.designated.agents) spec.add_agents(agent);
  spec.set_agent_rule(session.designated.strict ? v1::AGENT_STRICT : v1::AGENT_PREFERRED);
  spec.set_wait_on_dependency_failure(!session.cancel_on_dependency_failure);
  spec.set_job_priority(session.job_priority);
  spec.set_not_preemptible(!session.preemptible);
  if (session.session_group.name.empty()) return spec;
  v1::SessionGroup* group = spec.mutable_session_group();
  group->set_name(session.session_group.name);
  group->set_rule(session.session_group.rule == GroupRule::kPack ? v1::PACK : v1::SPREAD);
  group->set_strict(session.session_group.strict);
  return spec;
}

bool is_too_much(const SlotTexts& slots) {
  return std::any_of(slots.begin(), slots.end(),
                     [](const auto& slot) { return slot.second > kHeldAmountMax; });
}

}  // namespace

projections::SlotTypeRow slot_type_row(const std::string& name, SlotKind kind) {
  projections::SlotTypeRow row;
  row.def.set_name(name);
  row.def.set_kind(static_cast<std::uint32_t>(kind));
  return row;
}

projections::AgentRow agent_row(const Scenario& scenario, const AgentSpec& agent) {
  const auto amounts = [&](const std::vector<SlotAmount>& slots) {
    std::vector<projections::SlotAmount> named;
    named.reserve(slots.size());
    for (const SlotAmount& one : slots)
      named.push_back({std::string(scenario.slot_types.slot_name(one.slot)), one.amount});
    return named;
  };
  projections::AgentRow row;
  row.name = agent.id;
  row.state = projections::AgentState::kAlive;
  row.draining = agent.draining;
  row.group = agent.group;
  row.architecture = agent.arch;
  row.slots = amounts(agent.slots);
  for (const DeviceSpec& device : agent.devices)
    row.devices.push_back({device.id, {}, amounts(device.slots), device.numa});
  row.max_containers = agent.max_containers;
  return row;
}

projections::LimitRow limit_row(const ScenarioLimit& limit) {
  projections::LimitRow row;
  row.def.set_scope(limit.scope);
  row.def.set_id(limit.id);
  for (const auto& [name, most] : limit.slots) {
    v1::SlotLimit* slot = row.def.add_slots();
    slot->set_slot(name);
    slot->set_unlimited(!most);
    slot->set_most(most.value_or(0));
  }
  row.def.set_unlisted_is_zero(limit.unlisted_is_zero);
  if (limit.sessions) row.def.mutable_sessions()->set_most(*limit.sessions);
  if (limit.system_sessions) row.def.mutable_system_sessions()->set_most(*limit.system_sessions);
  return row;
}

SessionRow session_row(State& state, const Scenario& scenario, const ScenarioSession& session,
                       std::size_t index) {
  SessionRow row;
  row.id = session.key;
  row.name = session.id;
  row.owner = owner_of(state, session);
  row.spec = state.share(spec_of(scenario, session));
  row.created.sequence = index;
  row.created_at = session.created;
  row.attempts = static_cast<std::uint32_t>(session.attempts);
  row.retries = session.retries;
  row.running_at = session.started.value_or(0);
  for (const std::string& agent : session.failed_on)
    row.failed_on.push_back({agent, scenario.now + kAvoidAfterFailure});
  return row;
}

KernelRow kernel_row(const SessionRow& session, std::uint32_t number) {
  KernelRow row;
  row.session = session.id;
  row.spec = session.spec;
  row.owner = session.owner;
  std::uint32_t before = 0;
  while (number >= before + row.role_spec().count())
    before += row.spec->spec.roles(static_cast<int>(row.role++)).count();
  row.index = number - before + 1;
  row.id = KernelId(session.id);
  row.id.bytes[0] = 2;  // no session begins with it
  for (std::size_t i = 0; i < 4; ++i) row.id.bytes[4 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return row;
}

std::uint32_t kernel_number(const ScenarioSession& session, const std::string& name) {
  const std::vector<std::string> names = kernel_names(session);
  return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

bool fits_rows(const ScenarioSession& session) {
  for (const ScenarioKernels& kernels : session.kernels)
    if (is_too_much(kernels.slots)) return false;
  for (const ScenarioPlacement& placed : session.placed)
    for (const auto& [device, amounts] : placed.devices)
      if (is_too_much(amounts)) return false;
  return true;
}

void count_usage(const ScenarioUsage& usage, projections::UsageBook* book) {
  SharedOwner owner;
  owner.scopes[0] = word(usage.scope) + "/" + usage.id;
  v1::SessionSpec spec;
  spec.set_type(v1::BATCH);
  v1::RoleSpec role;
  for (const auto& [name, amount] : usage.slots) {
    v1::SlotAmount* slot = role.add_slots();
    slot->set_slot(name);
    slot->set_amount(std::min(amount, kUsageAmountMax));
  }
  book->hold(owner, role, 1);
  book->count(owner, spec, projections::SessionUse::kActive, static_cast<int>(usage.sessions));
}

}  // namespace berth::placement
