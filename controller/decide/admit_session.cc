#include "controller/decide/admit_session.h"

#include <algorithm>
#include <map>

#include "controller/decide/unknown_agent.h"
#include "events/base/name.h"
#include "events/base/slots/slot_name.h"
#include "events/base/text.h"
#include "projections/limits.h"
#include "projections/subjects.h"
#include "projections/tables/session_bounds.h"

namespace berth::controller {
namespace {

using projections::kDependenciesMax;
using projections::kDesignatedMax;
using projections::kJobPriorityMax;
using projections::kKernelsPerSessionMax;
using projections::kSpecTimeMaxMs;
using projections::SessionRow;
using projections::SlotTypeRow;
using projections::State;

Refusal refuse(Code code, std::string message, std::string hint = {}) {
  return {std::move(code), std::move(message), std::move(hint)};
}

constexpr std::size_t kNamesListed = 10;  // a hint is copied into an event (P4)

std::string known_names(const std::vector<std::string>& names) {
  return names.empty() ? "none is defined" : "known: " + listed(names, kNamesListed);
}

std::optional<Refusal> check_amount(const State& state, const v1::SlotAmount& slot) {
  const SlotTypeRow* type = state.slot_types.find(slot.slot());
  if (type == nullptr)
    return refuse("unknown-slot", "no slot type is named '" + clipped(slot.slot()) + "'",
                  known_names(state.slot_types.sorted_keys()));
  const auto kind = static_cast<SlotKind>(type->def.kind());
  if (slot.amount() < 0 || slot.amount() > kAmountMax)
    return refuse("invalid-amount", slot.slot() + " is out of range", "ask for 0 or more");
  const Amount quantum = type->def.quantum();
  if (quantum > 1 && slot.amount() % quantum != 0) {
    const Amount below = slot.amount() / quantum * quantum;
    return refuse("invalid-amount",
                  slot.slot() + " " + format_amount(kind, slot.amount()) + " is no multiple of " +
                      format_amount(kind, quantum),
                  "nearest below " + format_amount(kind, below) + ", nearest above " +
                      format_amount(kind, below + quantum));
  }
  return std::nullopt;
}

// Of the group's exclusive slots a kernel may ask one of each set.
std::optional<Refusal> check_exclusive(const v1::ResourceGroupDefined& group, const v1::RoleSpec& role) {
  for (const auto& set : group.exclusive()) {
    std::string asked;
    int count = 0;
    for (const auto& slot : role.slots())
      if (slot.amount() > 0 &&
          std::find(set.slots().begin(), set.slots().end(), slot.slot()) != set.slots().end())
        asked += (count++ == 0 ? "" : " and ") + slot.slot();
    if (count > 1)
      return refuse("exclusive-slots", "role " + role.role() + " asks for " + asked,
                    "in group " + group.name() + " a kernel may have one of them");
  }
  return std::nullopt;
}

std::optional<Refusal> check_role(const State& state, const v1::SessionSpec& spec, const v1::RoleSpec& role) {
  if (!is_valid_name(role.role()))
    return refuse("invalid-name", "role '" + clipped(role.role()) + "' is no valid name");
  if (role.count() == 0)
    return refuse("invalid-spec", "role " + role.role() + " has no kernel", "count is at least 1");
  Amount mem = 0;
  for (int i = 0; i < role.slots_size(); ++i) {
    const auto& slot = role.slots(i);
    if (auto refusal = check_amount(state, slot)) return refusal;
    for (int j = 0; j < i; ++j)
      if (role.slots(j).slot() == slot.slot())
        return refuse("invalid-spec", "slot " + slot.slot() + " is named twice");
    if (slot.slot() == "mem") mem = slot.amount();
    if (slot.slot() == kDiskSlot && slot.amount() != 0 &&
        (slot.amount() < kDiskMin || slot.amount() > kDiskMax))
      return refuse("invalid-amount", "disk " + std::to_string(slot.amount()) + " is out of range",
                    "a kernel may write 16m to 64t, for example --disk 20g");
  }
  for (const char* required : {"cpu", "mem"}) {
    bool positive = false;
    for (const auto& slot : role.slots())
      positive = positive || (slot.slot() == required && slot.amount() > 0);
    if (!positive)
      return refuse("invalid-amount", std::string(required) + " must be asked for, and be more than 0",
                    "for example --cpu 1 --mem 256m");
  }
  if (spec.shm() >= mem)
    return refuse("invalid-amount",
                  "shm " + std::to_string(spec.shm()) + " must be smaller than mem " + std::to_string(mem),
                  "shm is counted in mem: ask for more memory or less shm");
  return check_exclusive(state.groups.find(spec.group())->def, role);
}

// How the session stands to others: which it may preempt, and which it stands beside.
std::optional<Refusal> check_standing(const v1::SessionSpec& spec) {
  if (spec.job_priority() < -kJobPriorityMax || spec.job_priority() > kJobPriorityMax)
    return refuse("invalid-spec", "job priority " + std::to_string(spec.job_priority()) + " is out of range",
                  "-" + std::to_string(kJobPriorityMax) + " to " + std::to_string(kJobPriorityMax));
  if (!spec.has_session_group()) return std::nullopt;
  const v1::SessionGroup& group = spec.session_group();
  if (!is_valid_name(group.name()))
    return refuse("invalid-name", "session group '" + clipped(group.name()) + "' has no valid name");
  if (group.rule() != v1::SPREAD && group.rule() != v1::PACK)
    return refuse("invalid-spec", "session group " + group.name() + " has no rule", "spread or pack");
  return std::nullopt;
}

// Of one slot, over all kernels: sums over thousands of sessions overflow nothing.
constexpr Amount kSessionAmountMax = Amount{1} << 50;

std::optional<Refusal> check_totals(const v1::SessionSpec& spec) {
  std::map<std::string_view, Amount> left;
  for (const auto& role : spec.roles())
    for (const auto& slot : role.slots()) {
      Amount& rest = left.try_emplace(slot.slot(), kSessionAmountMax).first->second;
      if (slot.amount() > rest / role.count())
        return refuse("invalid-amount", "the kernels ask for too much " + slot.slot() + " together");
      rest -= slot.amount() * role.count();
    }
  return std::nullopt;
}

// `image`: empty where none is asked for.
std::optional<Refusal> check_image(const State& state, const std::string& image) {
  if (image.empty() || state.images.find(image) != nullptr) return std::nullopt;
  return refuse("unknown-image", "no image is named '" + clipped(image) + "'",
                known_names(state.images.sorted_keys()));
}

projections::Actor actor_of(const State& state, const v1::Owner& owner) {
  const auto* user = state.users.find(owner.user());
  return user != nullptr ? projections::actor_of(user->def) : projections::Actor();
}

// An agent of a group that the owner does not see is as unknown as one that does not exist.
std::optional<Refusal> check_agents(const State& state, const v1::Owner& owner, const v1::SessionSpec& spec) {
  if (spec.agents_size() > kDesignatedMax)
    return refuse("invalid-spec", "more than " + std::to_string(kDesignatedMax) + " designated agents");
  if (spec.agents().empty()) return std::nullopt;
  const projections::Actor actor = actor_of(state, owner);
  for (const auto& name : spec.agents()) {
    const auto* agent = state.agents.find(name);
    if (agent == nullptr || !projections::sees_agent(state, actor, *agent)) return unknown_agent(name);
  }
  return std::nullopt;
}

// A group that is not open to the owner is as unknown as one that does not exist.
std::optional<Refusal> check_group(const State& state, const v1::Owner& owner, const std::string& name) {
  const projections::Actor actor = actor_of(state, owner);
  const auto is_open = [&](const std::string& group) {
    const auto* row = state.groups.find(group);
    return row != nullptr && projections::is_open_to(row->def, actor, owner.project());
  };
  if (is_open(name)) return std::nullopt;
  std::vector<std::string> open = state.groups.sorted_keys();
  std::erase_if(open, [&](const std::string& group) { return !is_open(group); });
  return refuse("unknown-group", "no resource group is named '" + clipped(name) + "'", known_names(open));
}

std::optional<Refusal> check_spec(const State& state, const v1::SessionSpec& spec) {
  if (auto refusal = check_image(state, spec.image())) return refusal;
  for (const auto& role : spec.roles())
    if (auto refusal = check_image(state, role.image())) return refusal;
  if (spec.type() < v1::INTERACTIVE || spec.type() > v1::SYSTEM)
    return refuse("invalid-spec", "the session has no type");
  if (!v1::ClusterMode_IsValid(spec.mode()) || !v1::AgentRule_IsValid(spec.agent_rule()))
    return refuse("invalid-spec", "a cluster mode or agent rule that does not exist");
  if (spec.shm() < 0) return refuse("invalid-amount", "shm is negative", "ask for 0 or more");
  for (const std::int64_t time : {spec.pending_timeout_ms(), spec.batch_timeout_ms(), spec.start_time_ms()})
    if (time < 0 || time > kSpecTimeMaxMs)
      return refuse("invalid-spec", time < 0 ? "a time is negative" : "a time is out of range",
                    "times are before 2116, and durations below 146 years");
  if (spec.type() == v1::BATCH && spec.command().empty())
    return refuse("invalid-spec", "a batch session needs a command", "write it after --");
  if (spec.roles().empty() || spec.roles(0).role() != "main")
    return refuse("invalid-spec", "the first role must be main");
  std::uint32_t left = kKernelsPerSessionMax;
  for (const auto& role : spec.roles()) {
    if (role.count() > left)
      return refuse("invalid-spec",
                    "more than " + std::to_string(kKernelsPerSessionMax) + " kernels in a session");
    left -= role.count();
  }
  for (const auto& role : spec.roles())
    if (auto refusal = check_role(state, spec, role)) return refusal;
  if (auto refusal = check_totals(spec)) return refusal;
  return check_standing(spec);
}

// A session may depend on sessions that exist when it is asked for and on no others, so the only possible
// cycle is a session that depends on itself.
std::optional<Refusal> check_dependencies(const State& state, const SessionId& id,
                                          const v1::SessionSpec& spec) {
  if (spec.depends_on().empty()) return std::nullopt;
  if (spec.type() != v1::BATCH)
    return refuse("not-for-this-type", "only a batch session can depend on others", "set the type to batch");
  if (spec.depends_on_size() > kDependenciesMax)
    return refuse("invalid-spec", "more than " + std::to_string(kDependenciesMax) + " dependencies");
  for (const auto& bytes : spec.depends_on()) {
    const auto on = Uuid::from_bytes(bytes);
    if (on && SessionId(*on) == id) return refuse("dependency-cycle", "the session would wait for itself");
    const SessionRow* row = on ? state.sessions.find(SessionId(*on)) : nullptr;
    if (row == nullptr)
      return refuse("unknown-dependency",
                    "there is no session " + (on ? to_string(*on) : std::string("of that id")),
                    "berth session ls --all lists them");
    const bool failed = is_end(row->status) && row->result != projections::SessionResult::kSuccess;
    if (auto refusal = check_dependency(row->name, row->spec->spec.type(), failed)) return refusal;
  }
  return std::nullopt;
}

std::optional<Refusal> admit_limits(const State& state, const v1::Owner& owner, const v1::SessionSpec& spec,
                                    std::uint32_t ahead) {
  if (state.limits.size() == 0) return std::nullopt;
  const projections::SharedOwner shared{owner, {}, projections::scopes_of(owner)};
  const auto all = projections::excess_when_asked(state, shared, spec, ahead);
  if (all.empty()) return std::nullopt;
  return Refusal{"limit-exceeded", projections::limits_text(state, all),
                 "ask for less, or end something that waits; berth limit ls"};
}

}  // namespace

std::optional<Refusal> check_dependency(const std::string& name, v1::SessionType type, bool failed) {
  if (type != v1::BATCH)
    return refuse("not-for-this-type", "session " + name + " is no batch session, so it never succeeds",
                  "depend on batch sessions only");
  if (failed)
    return refuse("dependency-failed", "session " + name + " has ended and did not succeed",
                  "run it again, and depend on that run");
  return std::nullopt;
}

std::optional<Refusal> admit_session(const State& state, const SessionId& id, const std::string& name,
                                     const v1::Owner& owner, const v1::SessionSpec& spec,
                                     std::uint32_t ahead) {
  if (!is_valid_name(name))
    return refuse(
        "invalid-name", "'" + clipped(name) + "' is no valid name",
        "letters, digits, - _ . ; begins with a letter or digit; at most " + std::to_string(kNameMax));
  if (owner.user().empty()) return refuse("invalid-spec", "the session has no owner");
  if (id.is_nil()) return refuse("invalid-spec", "the session has no id");
  if (state.sessions.find(id) != nullptr)
    return refuse("id-in-use", "session id " + to_string(id) + " is in use");
  if (state.find_live(owner.user(), name) != nullptr)
    return refuse("name-in-use", "you have a live session named '" + name + "'",
                  "end it or choose another name");
  if (auto refusal = check_agents(state, owner, spec)) return refusal;
  if (auto refusal = check_group(state, owner, spec.group())) return refusal;
  if (auto refusal = check_spec(state, spec)) return refusal;
  if (auto refusal = check_dependencies(state, id, spec)) return refusal;
  return admit_limits(state, owner, spec, ahead);
}

}  // namespace berth::controller
