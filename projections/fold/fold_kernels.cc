#include <utility>

#include "events/codec/words/codes.h"
#include "events/codec/words/enum_words.h"
#include "projections/fold/event_context.h"
#include "projections/fold/net.h"
#include "projections/lost_run.h"

namespace berth::projections {
namespace {

const KernelRow* find_kernel(const State& state, const std::string& bytes, std::uint32_t attempt) {
  const auto id = Uuid::from_bytes(bytes);
  const KernelRow* row = id ? state.kernels.find(KernelId(*id)) : nullptr;
  return row != nullptr && row->attempt == attempt ? row : nullptr;
}

void refresh_session(EventContext& c, const SessionId& id) {
  const SessionRow* known = c.state.sessions.find(id);
  if (status_of(c.state, *known) != known->status) c.state.sessions.put(with_status(c.state, *known, c.time));
}

template <class M> Forbidden progress(EventContext& c, const M& e, KernelState to, KernelRow& row) {
  const KernelRow* known = find_kernel(c.state, e.kernel_id(), e.attempt());
  if (known == nullptr) return "no such kernel and attempt";
  if (!may_move(known->state, to))
    return std::string("a kernel does not go from ") + name_of(known->state) + " to " + name_of(to);
  row = *known;
  row.state = to;
  return {};
}

template <class M> Forbidden simple_progress(EventContext& c, const M& e, KernelState to) {
  KernelRow row;
  if (auto reason = progress(c, e, to, row); !reason.empty()) return reason;
  const SessionId session = row.session;
  c.state.kernels.put(std::move(row));
  refresh_session(c, session);
  return {};
}

// A start that failed, or an agent, its lease or its machine that is gone with a session that may move: the
// session goes back to the queue.
bool means_reschedule(const SessionRow& session, v1::KernelEnd end) {
  if (session.terminating) return false;
  if (session.reason_code == end_reason::kPreempted && session.rescheduling)
    return false;  // it does so already
  const bool may_move = session.spec->spec.requeueable();
  return end == v1::START_FAILED || (end == v1::AGENT_LOST && may_move) ||
         (end == v1::LEASE_OVER && may_move) || (end == v1::MACHINE_STOPPED && may_move);
}

Code reason_of(v1::KernelEnd end) {
  if (end == v1::START_FAILED) return end_reason::kStartFailed;
  if (end == v1::MACHINE_STOPPED) return end_reason::kMachineStopped;
  return end == v1::LEASE_OVER ? end_reason::kLeaseOver : end_reason::kAgentLost;
}

// Others are tried first for a while; a start that was cut short by a preemption says nothing about its
// agent.
void avoid_agent(SessionRow& session, const std::string& agent, Timestamp now) {
  std::erase_if(session.failed_on, [&](const FailedStart& f) { return f.agent == agent || f.until <= now; });
  session.failed_on.push_back({agent, now + kFailedOnFor});
  if (session.failed_on.size() > kFailedOnMax) session.failed_on.erase(session.failed_on.begin());
}

// One kernel's end ends its session's others (LC7), also when the session will be requeued.
void stop_others(EventContext& c, const SessionRow& session, const KernelId& ended) {
  for (const KernelId& id : session.kernel_ids) {
    const KernelRow* other = c.state.kernels.find(id);
    if (id != ended && other != nullptr && other->holds_slots()) c.order_to(other->agent);
  }
}

void note_end(KernelRow& row, const v1::KernelTerminated& e) {
  row.started_at = e.started_ns();
  row.ended_at = e.ended_ns();
  row.end = static_cast<std::uint32_t>(e.end());
  row.exit_code = e.exit_code();
  row.code = code_of(e.code());
  row.message = e.message();
}

// An end that no exit of its own explains is none in success.
std::int32_t exit_code_of(const KernelRow& main) {
  return main.exit_code != 0 || main.end == v1::EXITED ? main.exit_code : 1;
}

// The end that was taken for granted gives way to the one that the agent tells. What the kernel held was free
// and counted since it was recorded lost.
Forbidden apply_late_result(EventContext& c, KernelRow row, const v1::KernelTerminated& e) {
  note_end(row, e);
  SessionRow session = *c.state.sessions.find(row.session);
  session.kernel_ids = std::exchange(session.lost_kernels, {});
  session.kernels_ended = static_cast<std::uint32_t>(session.kernel_ids.size());
  session.scheduled_at = std::exchange(session.lost_scheduled_at, 0);
  session.running_at = std::exchange(session.lost_running_at, 0);
  session.exit_code = exit_code_of(row);
  session.places.clear();
  session.not_before = 0;
  session.reason_code = {};
  session.reason_slot.clear();
  session.message.clear();
  c.order_to(row.agent);  // forget: the end is known
  c.state.kernels.put(std::move(row));
  const SessionId id = session.id;
  c.state.sessions.put(with_status(c.state, std::move(session), c.time));
  settle_dependents(c, id);
  return {};
}

}  // namespace

Forbidden apply(EventContext& c, const v1::KernelPreparing& e) {
  return simple_progress(c, e, KernelState::kPreparing);
}
Forbidden apply(EventContext& c, const v1::KernelPrepared& e) {
  return simple_progress(c, e, KernelState::kPrepared);
}
Forbidden apply(EventContext& c, const v1::KernelCreating& e) {
  return simple_progress(c, e, KernelState::kCreating);
}

Forbidden apply(EventContext& c, const v1::KernelPulling& e) {
  KernelRow row;
  if (auto reason = progress(c, e, KernelState::kPulling, row); !reason.empty()) return reason;
  row.percent = e.percent();
  const SessionId session = row.session;
  c.state.kernels.put(std::move(row));
  refresh_session(c, session);
  return {};
}

Forbidden apply(EventContext& c, const v1::KernelRunning& e) {
  KernelRow row;
  if (auto reason = progress(c, e, KernelState::kRunning, row); !reason.empty()) return reason;
  row.started_at = e.started_ns();
  row.pid = e.pid();
  const SessionId session = row.session;
  c.state.kernels.put(std::move(row));
  refresh_session(c, session);
  return {};
}

Forbidden apply(EventContext& c, const v1::KernelTerminated& e) {
  if (const KernelRow* known = find_kernel(c.state, e.kernel_id(), e.attempt());
      known != nullptr && is_result_of_lost_run(c.state, *known, e.end()))
    return apply_late_result(c, *known, e);
  KernelRow row;
  if (auto reason = progress(c, e, KernelState::kTerminated, row); !reason.empty()) return reason;
  note_end(row, e);
  SessionRow session = *c.state.sessions.find(row.session);
  ++session.kernels_ended;
  if (row.is_main()) session.exit_code = exit_code_of(row);
  if (means_reschedule(session, e.end())) {
    session.rescheduling = true;
    session.reason_code = reason_of(e.end());
    session.message = e.message();
    if (e.end() == v1::START_FAILED) avoid_agent(session, row.agent, c.time);
  }
  const KernelId ended = row.id;
  c.order_to(row.agent);  // forget: the end is known
  count_usage(c, row, session);
  c.state.kernels.put(std::move(row));
  if (!session.terminating && session.kernels_ended == 1) stop_others(c, session, ended);
  const SessionId id = session.id;
  c.state.sessions.put(with_status(c.state, std::move(session), c.time));
  settle_dependents(c, id);
  return {};
}

// Changes no row but the request's: what is done in a kernel is no part of the state.
Forbidden apply(EventContext& c, const v1::KernelOpened& e) {
  const KernelRow* kernel = find_kernel(c.state, e.kernel_id(), e.attempt());
  if (kernel == nullptr || kernel->session.view() != e.session_id())
    return "no such kernel and attempt of that session";
  if (c.state.users.find(e.user()) == nullptr) return "no user is named '" + e.user() + "'";
  if (!has_word(e.kind())) return "a way into a kernel that does not exist";
  if (!c.event.request_id().empty()) note_answer(c, AnswerKind::kAccepted);
  return {};
}

}  // namespace berth::projections
