#include "controller/answers/why.h"

#include <algorithm>
#include <set>

#include "controller/answers/cause_text.h"
#include "controller/answers/never_text.h"
#include "controller/placement/pass/explain.h"
#include "events/base/time/rfc3339.h"
#include "events/codec/words/enum_words.h"
#include "projections/gone_agent.h"
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
  return agent.takes_sessions() && agent.group == group;
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

// Counts each holder, and names the first ones that the asker may see: a large cell has tens of thousands.
void add_holder(const State& state, const SeesSession& sees, const KernelRow& kernel,
                const std::string& device, const std::string& slot, Amount amount, Explanation& e) {
  ++e.holders_total;
  if (e.holders.size() == Explanation::kHoldersMax) return;
  const SessionRow* session = state.sessions.find(kernel.session);
  if (!sees(*session)) return;
  e.holders.push_back(
      {session->id, session->name, session->owner->owner.user(), kernel.agent, device, slot, amount});
}

void add_holders(const State& state, const SeesSession& sees, const AgentRow& agent, const std::string& slot,
                 Explanation& e) {
  for (const KernelId& id : state.kernels_on(agent.name)) {
    const KernelRow& kernel = *state.kernels.find(id);
    for (const auto& share : kernel.devices)
      if (share.slot == slot) add_holder(state, sees, kernel, share.device, slot, share.amount, e);
    for (const auto& demand : projections::agent_level_demand(kernel))
      if (demand.slot == slot) add_holder(state, sees, kernel, {}, slot, demand.amount, e);
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

std::string count_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " session makes" : " sessions make");
}

// The place of the session is held; the sessions that stand in it leave.
void explain_reserved(const State& state, const SeesSession& sees, const SessionRow& session,
                      Explanation& e) {
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
        add_holder(state, sees, *kernel, {}, slot.slot(), slot.amount(), e);
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

// True if nothing else is to be said: the session still makes room.
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

// A session stays RUNNING while nobody knows what became of its kernels: the agent's name, since when, and
// what comes next.
void explain_gone(const State& state, const SessionRow& session, Explanation& e) {
  const auto agent = projections::gone_agent(state, session);
  if (!agent) return;
  const std::string since = agent->since == 0 ? "" : " since " + format_second(agent->since);
  if (agent->state == AgentState::kLeft) {
    e.text = "agent " + agent->name + " is stopped" + since + "; what runs there goes on";
    e.hint = "its end is told when the agent is back";
  } else {
    e.code = "agent-lost";
    e.text = "agent " + agent->name + " is lost" + since +
             ": nobody knows whether the session still runs there, and its slots stay taken";
    e.hint =
        "it goes on when the agent is back; if the machine is gone for good, an administrator ends it "
        "by `berth agent fence " +
        agent->name + "`";
  }
}

// The slots that no single place has free, and the sessions that hold some of them.
void add_lacking(const State& state, const SeesSession& sees, const SessionRow& session, Explanation& e) {
  std::vector<const AgentRow*> agents;
  for (const auto& name : state.agents.sorted_keys())
    if (const AgentRow* agent = state.agents.find(name); takes_new(*agent, session.spec->spec.group()))
      agents.push_back(agent);
  for (const auto& role : session.spec->spec.roles()) {
    for (const auto& slot : role.slots()) {
      Lacking lacking{slot.slot(), slot.amount(), 0, {}};
      for (const AgentRow* agent : agents) find_best(state, *agent, lacking);
      if (slot.amount() == 0 || (!lacking.where.empty() && lacking.best_free >= lacking.asked)) continue;
      e.lacking.push_back(lacking);
      if (placement::find_code(e.code) == placement::Code::kNever) continue;  // no end of a holder helps
      for (const AgentRow* agent : agents) add_holders(state, sees, *agent, slot.slot(), e);
    }
  }
}

// The recorded reason with the amounts as of now. `also`: what counts under limits beside the state.
Explanation cause_of(const AnswerContext& c, const SessionRow& session, const projections::UsageBook* also) {
  const State& state = c.state;
  Explanation e;
  e.code = session.reason_code.empty() ? berth::Code("not-tried-yet") : session.reason_code;
  e.slot = session.reason_slot;
  if (session.status == SessionStatus::kReserved) return explain_reserved(state, c.sees, session, e), e;
  add_lacking(state, c.sees, session, e);
  const auto over = projections::excess_when_placed(state, *session.owner, session.spec->spec, also);
  add_limits(over, e);
  add_unmet(state, session, e);
  CauseText cause = cause_text(state, session, e, c.now);
  e.text = std::move(cause.text);
  e.hint = std::move(cause.hint);
  return e;
}

Explanation cause_of(const AnswerContext& c, const SessionRow& session) {
  Explanation preempted;
  if (explain_preempted(c.state, session, c.sees, preempted)) return preempted;
  if (!projections::is_waiting(session.status)) {
    explain_gone(c.state, session, preempted);
    return preempted;
  }
  Explanation e = cause_of(c, session, nullptr);
  if (session.status == SessionStatus::kReserved || preempted.text.empty()) return e;
  e.text += "\n" + preempted.text;
  if (e.blocked_by.is_nil()) e.blocked_by = preempted.blocked_by;
  return e;
}

// Sets of sessions that the asker may all see. Tried sessions are in none: nobody can end them.
std::vector<std::vector<SessionId>> visible(const AnswerContext& c, const placement::SessionSets& found) {
  std::vector<std::vector<SessionId>> sets;
  for (const auto& set : found.sets) {
    const bool all = std::all_of(set.begin(), set.end(), [&](const SessionId& id) {
      const SessionRow* row = c.state.sessions.find(id);
      return row != nullptr && c.sees(*row);
    });
    if (all) sets.push_back(set);
  }
  return sets;
}

// The limits in the way, of a session that only they hold.
std::vector<placement::LimitGap> limit_gaps(const placement::Cluster& cluster, const Explanation& e) {
  std::vector<placement::LimitGap> gaps;
  if (placement::find_code(e.code) != placement::Code::kLimit) return gaps;
  for (const LimitInTheWay& limit : e.limits) {
    const auto slot = limit.is_count ? std::nullopt : cluster.find_slot(limit.what);
    gaps.push_back({limit.what + " limit of " + word(limit.scope) + " " + limit.id,
                    slot.value_or(placement::kNoSlot), limit.used, limit.asked, limit.limit});
  }
  return gaps;
}

void add_unblock(const AnswerContext& c, const SessionId& session, const placement::NameSession& name,
                 Explanation& e) {
  placement::UnblockOptions options;
  options.now = c.now;
  options.limits = limit_gaps(c.feed.cluster(), e);
  options.may_start = [&c](const SessionId& id) {
    const SessionRow* row = c.state.sessions.find(id);
    return row == nullptr || ClusterFeed::recorded_wait_cause(*row).code == placement::Code::kNone;
  };
  const placement::Unblock found = placement::unblock(c.feed.cluster(), session, options);
  if (e.code == "behind-head" && !found.head.is_nil()) e.blocked_by = found.head;
  e.unblock.lines = placement::unblock_lines(c.feed.cluster(), found, name);
  e.unblock.ends = visible(c, found.ends);
  e.unblock.leaves = visible(c, found.leaves);
  e.unblock.complete = found.ends.complete && found.leaves.complete && found.less_complete;
  e.unblock.proved = found.proved;
}

// What the scheduler's model knows. The held place of a RESERVED session is all that such a session waits
// for.
void add_queue(const AnswerContext& c, const SessionRow& session, const placement::NameSession& name,
               Explanation& e) {
  placement::Cluster& cluster = c.feed.cluster();
  if (!cluster.is_pending(session.id)) return;
  cluster.set_wait_cause(session.id, ClusterFeed::recorded_wait_cause(session));
  e.queue_position = static_cast<std::uint32_t>(placement::queue_position(cluster, session.id));
  if (cluster.is_reserved(session.id)) return;
  add_unblock(c, session.id, name, e);
  e.hint = cause_text(c.state, session, e, c.now).hint;  // it tells how many have to end
}

void name_blocker(const placement::NameSession& name, Explanation& e) {
  if (e.blocked_by.is_nil()) return;
  e.blocked_by_name = name(e.blocked_by);
  if (e.blocked_by_name.empty()) {
    e.blocked_by = {};  // nor the id of one that the asker may not see
    return;
  }
  if (placement::find_code(e.code) != placement::Code::kBehindHead) return;
  e.text = "session " + e.blocked_by_name + " stands before it and blocks the queue";
  e.hint = "session " + e.blocked_by_name + " starts or leaves the queue";
}

// A group that lets the impossible block says no-capacity of it, as of all that does not fit now; behind
// another one it says behind-head. That it never fits comes first: no end of a holder helps.
void say_never(const AnswerContext& c, const SessionRow& session, Explanation& e) {
  placement::Cluster& cluster = c.feed.cluster();
  const auto code = placement::find_code(e.code);
  const bool behind = code == placement::Code::kBehindHead;
  if ((code != placement::Code::kNoCapacity && !behind) || !cluster.is_pending(session.id)) return;
  const placement::Reason never = placement::why_never(cluster, session.id);
  if (never.code == placement::Code::kNone) return;
  CauseText text = never_text(c.state, session.spec->spec, std::string(cluster.slot_name(never.slot)));
  e.text = behind ? text.text + "\n" + e.text : std::move(text.text);
  e.hint = std::move(text.hint);
  e.holders.clear();
  e.holders_total = 0;
}

// False while something else than room holds the session: nobody can say when that is lifted.
bool waits_for_room(const SessionRow& row) {
  return row.status == SessionStatus::kPending &&
         ClusterFeed::recorded_wait_cause(row).code == placement::Code::kNone;
}

StartEstimate expect_and_note(const AnswerContext& c, const SessionRow& session) {
  const ExpectedStart start = c.estimates.expect(c.feed.cluster(), c.state, session, c.now);
  c.estimates.told(session.id, start, c.now);
  return c.estimates.with_record(start);
}

}  // namespace

Explanation why(const AnswerContext& c, const SessionId& session) {
  const SessionRow* row = c.state.sessions.find(session);
  if (row == nullptr) return {};
  Explanation e = cause_of(c, *row);
  const placement::NameSession name = visible_names(c);
  add_queue(c, *row, name, e);
  name_blocker(name, e);
  say_never(c, *row, e);
  if (waits_for_room(*row)) e.start = expect_and_note(c, *row);
  return e;
}

Explanation why_tried(const AnswerContext& c, const SessionRow& tried, const projections::UsageBook& added,
                      const placement::NameSession& name) {
  Explanation e = cause_of(c, tried, &added);
  add_queue(c, tried, name, e);
  name_blocker(name, e);
  say_never(c, tried, e);
  if (waits_for_room(tried))
    e.start = c.estimates.with_record(c.estimates.expect(c.feed.cluster(), c.state, tried, c.now));
  return e;
}

std::optional<StartEstimate> estimate_start(const AnswerContext& c, const SessionId& session) {
  const SessionRow* row = c.state.sessions.find(session);
  if (row == nullptr || !waits_for_room(*row)) return std::nullopt;
  return expect_and_note(c, *row);
}

placement::NameSession visible_names(const AnswerContext& c) {
  return [&state = c.state, &sees = c.sees](const SessionId& id) {
    const SessionRow* row = state.sessions.find(id);
    return row != nullptr && sees(*row) ? row->name : std::string();
  };
}

}  // namespace berth::controller
