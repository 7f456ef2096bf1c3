#include "controller/runtime/why.h"

#include <set>

#include "projections/limits.h"

namespace berth::controller {
namespace {

using projections::AgentRow;
using projections::AgentState;
using projections::KernelRow;
using projections::SessionRow;
using projections::SessionStatus;
using projections::State;

bool takes_new(const AgentRow& agent, const std::string& group) {
  return agent.state == AgentState::kAlive && !agent.draining && agent.group == group;
}

// The most of a slot that one device, or one agent where no device has it, has free.
void find_best(const State& state, const AgentRow& agent, Lacking& lacking) {
  const auto* use = state.occupancy().find(agent.name);
  const auto offer = [&](Amount free, const std::string& where) {
    if (!lacking.where.empty() && free <= lacking.best_free) return;
    lacking.best_free = free;
    lacking.where = where;
  };
  bool on_device = false;
  for (const auto& device : agent.devices) {
    const Amount capacity = projections::capacity_of(device.slots, lacking.slot);
    if (capacity == 0) continue;
    on_device = true;
    const auto* taken = use != nullptr ? use->device(device.id) : nullptr;
    offer(capacity - (taken != nullptr ? taken->get(lacking.slot) : 0), agent.name + "/" + device.id);
  }
  const Amount capacity = projections::capacity_of(agent.slots, lacking.slot);
  if (!on_device && capacity != 0)
    offer(capacity - (use != nullptr ? use->slots.get(lacking.slot) : 0), agent.name);
}

void add_holders(const State& state, const AgentRow& agent, const std::string& slot,
                 std::vector<Holder>& holders) {
  for (const KernelId& id : state.kernels_on(agent.name)) {
    const KernelRow* kernel = state.kernels.find(id);
    const SessionRow* session = state.sessions.find(kernel->session);
    const auto add = [&](const std::string& device, Amount amount) {
      holders.push_back(
          {session->id, session->name, session->owner->owner.user(), agent.name, device, slot, amount});
    };
    for (const auto& share : kernel->devices)
      if (share.slot == slot) add(share.device, share.amount);
    for (const auto& demand : projections::agent_level_demand(*kernel))
      if (demand.slot == slot) add({}, demand.amount);
  }
}

void add_limits(const std::vector<projections::LimitExcess>& over, Explanation& e) {
  for (const auto& excess : over)
    e.limits.push_back(
        {excess.scope, excess.id, excess.what, excess.used, excess.asked, excess.most, excess.is_count});
}

void add_unmet(const State& state, const SessionRow& session, Explanation& e) {
  for (const SessionId& id : session.unmet) {
    const SessionRow* row = state.sessions.find(id);
    if (row == nullptr)
      e.unmet.push_back({id, {}, "GONE", {}});
    else
      e.unmet.push_back(
          {id, row->name, projections::name_of(row->status), projections::name_of(row->result)});
  }
}

std::string unmet_text(const Explanation& e) {
  std::string text = std::to_string(e.unmet.size()) + (e.unmet.size() == 1 ? " session" : " sessions") +
                     " must succeed first:";
  for (const Unmet& on : e.unmet)
    text += "\n- " + (on.name.empty() ? to_string(on.session) : on.name) + " " + on.status +
            (on.result.empty() ? "" : " " + on.result);
  return text;
}

// A line, or a heading and a line a reason; the amounts stand in `lacking` and `limits`.
std::string text_of(const State& state, const std::vector<projections::LimitExcess>& over,
                    const Explanation& e) {
  if (e.code == "limit" && !over.empty()) return projections::limits_text(state, over);
  if (e.code == "dependency" && !e.unmet.empty()) return unmet_text(e);
  if (e.code == "behind-head") return "an earlier session of its resource group blocks the queue";
  if (e.lacking.empty()) return e.code;
  std::string slots;
  for (const auto& l : e.lacking) slots += (slots.empty() ? "" : ", ") + l.slot;
  return "no one place has enough " + slots + " free";
}

std::string count_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " session makes" : " sessions make");
}

// Its place is there; who stands in it goes.
void explain_reserved(const State& state, const SessionRow& session, Explanation& e) {
  std::string agents;
  std::set<std::string> held;
  for (const auto& place : session.places) held.insert(place.agent);
  for (const std::string& agent : held) agents += (agents.empty() ? "" : ", ") + agent;
  std::set<SessionId> leaving;
  for (const std::string& agent : held)
    for (const KernelId& id : state.kernels_on(agent)) {
      const KernelRow* kernel = state.kernels.find(id);
      const SessionRow* row = state.sessions.find(kernel->session);
      if (row->preemptor != session.id || !row->is_leaving()) continue;
      leaving.insert(row->id);
      for (const auto& slot : kernel->role_spec().slots())
        e.holders.push_back(
            {row->id, row->name, row->owner->owner.user(), agent, {}, slot.slot(), slot.amount()});
    }
  e.text = "its place on " + agents + " is held for it; " + count_text(leaving.size()) + " room";
  e.hint = "it starts by itself when they have ended";
}

std::string preemptor_text(const State& state, const SessionRow& session, const SeesSession& sees) {
  const SessionRow* row = state.sessions.find(session.preemptor);
  if (row == nullptr || !sees(*row)) return "a session of a higher job priority";
  return "session " + row->name + " of " + row->owner->owner.user() + " (job priority " +
         std::to_string(row->spec->spec.job_priority()) + ", its own is " +
         std::to_string(session.spec->spec.job_priority()) + ")";
}

// True if that is all there is to say: it still makes room.
bool explain_preempted(const State& state, const SessionRow& session, const SeesSession& sees,
                       Explanation& e) {
  if (session.preemptor.is_nil() || projections::is_end(session.status)) return false;
  const SessionRow* row = state.sessions.find(session.preemptor);
  if (row != nullptr && sees(*row)) e.blocked_by = row->id;
  e.text = "it was preempted for " + preemptor_text(state, session, sees);
  if (session.status == SessionStatus::kPending) return false;
  e.code = projections::end_reason::kPreempted;
  if (session.status == SessionStatus::kRescheduling) e.hint = "it goes back to the queue when it has ended";
  return true;
}

}  // namespace

Explanation explain_waiting(const State& state, const SessionId& id, const SeesSession& sees) {
  Explanation preempted;
  const SessionRow* session = state.sessions.find(id);
  if (session == nullptr || explain_preempted(state, *session, sees, preempted)) return preempted;
  if (!projections::is_waiting(session->status)) return preempted;
  Explanation e = explain_waiting(state, *session);
  if (session->status == SessionStatus::kReserved || preempted.text.empty()) return e;
  e.text += "\n" + preempted.text;
  if (e.blocked_by.is_nil()) e.blocked_by = preempted.blocked_by;
  return e;
}

Explanation explain_waiting(const State& state, const SessionRow& session,
                            const projections::UsageBook* also) {
  Explanation e;
  e.code = session.reason_code.empty() ? "not-tried-yet" : session.reason_code;
  e.slot = session.reason_slot;
  const std::string& group = session.spec->spec.group();
  if (session.status == SessionStatus::kReserved) return explain_reserved(state, session, e), e;

  for (const auto& role : session.spec->spec.roles()) {
    for (const auto& slot : role.slots()) {
      Lacking lacking{slot.slot(), slot.amount(), 0, {}};
      for (const auto& name : state.agents.sorted_keys())
        if (const AgentRow* agent = state.agents.find(name); takes_new(*agent, group))
          find_best(state, *agent, lacking);
      if (slot.amount() == 0 || (!lacking.where.empty() && lacking.best_free >= lacking.asked)) continue;
      e.lacking.push_back(lacking);
      for (const auto& name : state.agents.sorted_keys())
        if (const AgentRow* agent = state.agents.find(name); takes_new(*agent, group))
          add_holders(state, *agent, slot.slot(), e.holders);
    }
  }
  const auto over = projections::excess_when_placed(state, *session.owner, session.spec->spec, also);
  add_limits(over, e);
  add_unmet(state, session, e);
  e.text = text_of(state, over, e);
  if (e.code == "limit")
    e.hint = "it is tried again when something of that scope ends or its limit is raised";
  else
    e.hint = e.holders.empty() ? "" : "it starts by itself when one of the holders ends";
  return e;
}

}  // namespace berth::controller
