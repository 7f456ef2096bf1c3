#include "projections/fold/net_v3.h"

#include <algorithm>

#include "events/base/name.h"
#include "projections/limits.h"

namespace berth::projections::net_v3 {
namespace {

// Bounds as they were: those of decide may move, these may not.
constexpr std::uint32_t kKernelsMax = 256;
constexpr int kDependenciesMax = 64;
constexpr int kDesignatedMax = 64;
constexpr std::int32_t kJobPriorityMax = 1000;
constexpr std::size_t kLimitIdMax = 200;

Forbidden check_amount(const State& state, const v1::SlotAmount& slot) {
  const SlotTypeRow* type = state.slot_types.find(slot.slot());
  if (type == nullptr) return "unknown-slot: no slot type is named '" + slot.slot().substr(0, 80) + "'";
  if (slot.amount() < 0 || slot.amount() > kAmountMax)
    return "invalid-amount: " + slot.slot() + " is out of range";
  const Amount quantum = type->def.quantum();
  if (quantum > 1 && slot.amount() % quantum != 0)
    return "invalid-amount: " + slot.slot() + " is no multiple of its quantum";
  return {};
}

Forbidden check_exclusive(const v1::ResourceGroupDefined& group, const v1::RoleSpec& role) {
  for (const auto& set : group.exclusive()) {
    int asked = 0;
    for (const auto& slot : role.slots())
      if (slot.amount() > 0 &&
          std::find(set.slots().begin(), set.slots().end(), slot.slot()) != set.slots().end())
        ++asked;
    if (asked > 1) return "exclusive-slots: role " + role.role() + " asks for several";
  }
  return {};
}

Forbidden check_role(const State& state, const v1::SessionSpec& spec, const v1::RoleSpec& role) {
  if (!is_valid_name(role.role())) return "invalid-name: a role has no valid name";
  if (role.count() == 0) return "invalid-spec: role " + role.role() + " has no kernel";
  Amount cpu = 0;
  Amount mem = 0;
  for (int i = 0; i < role.slots_size(); ++i) {
    const auto& slot = role.slots(i);
    if (Forbidden reason = check_amount(state, slot); !reason.empty()) return reason;
    for (int j = 0; j < i; ++j)
      if (role.slots(j).slot() == slot.slot()) return "invalid-spec: slot " + slot.slot() + " is named twice";
    if (slot.slot() == "cpu") cpu = slot.amount();
    if (slot.slot() == "mem") mem = slot.amount();
  }
  if (cpu <= 0 || mem <= 0) return "invalid-amount: cpu and mem must be asked for";
  if (spec.shm() >= mem) return "invalid-amount: shm must be smaller than mem";
  return check_exclusive(state.groups.find(spec.group())->def, role);
}

Forbidden check_standing(const v1::SessionSpec& spec) {
  if (spec.job_priority() < -kJobPriorityMax || spec.job_priority() > kJobPriorityMax)
    return "invalid-spec: the job priority is out of range";
  if (!spec.has_session_group()) return {};
  const v1::SessionGroup& group = spec.session_group();
  if (!is_valid_name(group.name())) return "invalid-name: the session group has no valid name";
  if (group.rule() != v1::SPREAD && group.rule() != v1::PACK)
    return "invalid-spec: the session group has no rule";
  return {};
}

Forbidden check_spec(const State& state, const v1::SessionSpec& spec) {
  if (state.groups.find(spec.group()) == nullptr)
    return "unknown-group: no resource group is named '" + spec.group().substr(0, 80) + "'";
  if (!spec.image().empty() && state.images.find(spec.image()) == nullptr)
    return "unknown-image: no image is named '" + spec.image().substr(0, 80) + "'";
  if (spec.type() < v1::INTERACTIVE || spec.type() > v1::SYSTEM)
    return "invalid-spec: the session has no type";
  if (spec.shm() < 0) return "invalid-amount: shm is negative";
  if (spec.pending_timeout_ms() < 0 || spec.batch_timeout_ms() < 0 || spec.start_time_ms() < 0)
    return "invalid-spec: a time is negative";
  if (spec.type() == v1::BATCH && spec.command().empty())
    return "invalid-spec: a batch session needs a command";
  if (spec.roles().empty() || spec.roles(0).role() != "main")
    return "invalid-spec: the first role must be main";
  if (kernel_count(spec) > kKernelsMax) return "invalid-spec: too many kernels";
  for (const auto& role : spec.roles())
    if (Forbidden reason = check_role(state, spec, role); !reason.empty()) return reason;
  return check_standing(spec);
}

Forbidden check_dependencies(const State& state, const SessionId& id, const v1::SessionSpec& spec) {
  if (spec.depends_on().empty()) return {};
  if (spec.type() != v1::BATCH) return "not-for-this-type: only a batch session can depend on others";
  if (spec.depends_on_size() > kDependenciesMax) return "invalid-spec: too many dependencies";
  for (const auto& bytes : spec.depends_on()) {
    const auto on = Uuid::from_bytes(bytes);
    if (on && SessionId(*on) == id) return "dependency-cycle: the session would wait for itself";
    const SessionRow* row = on ? state.sessions.find(SessionId(*on)) : nullptr;
    if (row == nullptr) return "unknown-dependency: there is no such session";
    if (row->spec->spec.type() != v1::BATCH)
      return "not-for-this-type: session " + row->name + " is no batch session";
  }
  return {};
}

// The limit's own; `use`: what its scope holds and waits for.
bool is_over(const v1::LimitSet& limit, const ScopeUse& use, const v1::SessionSpec& spec) {
  if (limit.has_kernels_per_session() &&
      static_cast<std::int64_t>(kernel_count(spec)) > limit.kernels_per_session().most())
    return true;
  if (limit.has_priority() && spec.priority() > limit.priority().most()) return true;
  if (limit.has_pending() && use.pending + 1 > limit.pending().most()) return true;
  for (const SlotAmount& asked : total_demand(spec))
    for (const v1::SlotLimit& listed : limit.pending_slots()) {
      if (listed.slot() != asked.slot) continue;
      if (!listed.unlimited() && use.pending_slots.get(asked.slot) + asked.amount > listed.most())
        return true;
      break;  // the first one that names the slot stands
    }
  return false;
}

Forbidden check_limits(const State& state, const v1::Owner& owner, const v1::SessionSpec& spec) {
  if (state.limits.size() == 0) return {};
  for (const std::string& scope : scopes_of(owner)) {
    const LimitRow* row = scope.empty() ? nullptr : state.limits.find(scope);
    if (row != nullptr && is_over(row->def, state.usage().find(scope), spec))
      return "limit-exceeded: a limit of " + scope + " is in the way";
  }
  return {};
}

Forbidden check_slot_limits(const State& state,
                            const google::protobuf::RepeatedPtrField<v1::SlotLimit>& slots) {
  for (int i = 0; i < slots.size(); ++i) {
    const auto& slot = slots.Get(i);
    if (state.slot_types.find(slot.slot()) == nullptr)
      return "unknown-slot: no slot type is named '" + slot.slot().substr(0, 80) + "'";
    if (slot.most() < 0) return "invalid-amount: " + slot.slot() + " is negative";
    for (int j = 0; j < i; ++j)
      if (slots.Get(j).slot() == slot.slot())
        return "invalid-definition: slot " + slot.slot() + " is named twice";
  }
  return {};
}

}  // namespace

Forbidden check_request(const State& state, const SessionId& id, const v1::SessionRequested& e) {
  if (!is_valid_name(e.name())) return "invalid-name: the session has no valid name";
  if (e.owner().user().empty()) return "invalid-spec: the session has no owner";
  if (id.is_nil()) return "invalid-spec: the session has no id";
  if (state.sessions.find(id) != nullptr) return "id-in-use: session id " + to_string(id) + " is in use";
  if (state.find_live(e.owner().user(), e.name()) != nullptr)
    return "name-in-use: the owner has a live session named '" + e.name() + "'";
  if (e.spec().agents_size() > kDesignatedMax) return "invalid-spec: too many designated agents";
  if (Forbidden reason = check_spec(state, e.spec()); !reason.empty()) return reason;
  if (Forbidden reason = check_dependencies(state, id, e.spec()); !reason.empty()) return reason;
  return check_limits(state, e.owner(), e.spec());
}

Forbidden check_limit(const State& state, const v1::LimitSet& limit) {
  const std::string& scope = limit.scope();
  if (scope != "domain" && scope != "project" && scope != "user" && scope != "keypair")
    return "unknown-scope: '" + scope.substr(0, 80) + "' has no limits";
  if (limit.id().empty() || limit.id().size() > kLimitIdMax) return "invalid-definition: a limit of nobody";
  if (scope == "project" && limit.id().find('/') == std::string::npos)
    return "invalid-definition: a project is named with its domain";
  for (const v1::Count* count : {&limit.sessions(), &limit.system_sessions(), &limit.pending(),
                                 &limit.kernels_per_session(), &limit.priority()})
    if (count->most() < 0) return "invalid-amount: a count is negative";
  if (Forbidden reason = check_slot_limits(state, limit.slots()); !reason.empty()) return reason;
  return check_slot_limits(state, limit.pending_slots());
}

Forbidden check_preemption(const SessionRow& victim, const SessionRow& preemptor) {
  const v1::SessionSpec& low = victim.spec->spec;
  if (low.not_preemptible() || low.type() == v1::SYSTEM ||
      low.job_priority() >= preemptor.spec->spec.job_priority())
    return "the session need not make room for that one";
  return {};
}

}  // namespace berth::projections::net_v3
