// Facts that agents report (P22): idempotent, forward only within an attempt, never about another attempt's
// slots.
#include "controller/decide/decide.h"

namespace berth::controller {
namespace {

using projections::AgentRow;
using projections::AgentState;
using projections::KernelRow;
using projections::KernelState;
using projections::SessionRow;
using projections::SessionStatus;

template <class M> M* name_kernel(M* message, const KernelRow& kernel) {
  message->set_kernel_id(std::string(kernel.id.view()));
  message->set_attempt(kernel.attempt);
  return message;
}

void emit_end(DecisionContext& c, const KernelRow& kernel, const v1::KernelFact& fact) {
  v1::Event e = c.event();
  auto* t = name_kernel(e.mutable_kernel_terminated(), kernel);
  t->set_end(fact.end() == v1::KERNEL_END_UNSPECIFIED ? v1::RESULT_UNKNOWN : fact.end());
  t->set_exit_code(fact.exit_code());
  t->set_started_ns(fact.started_ns());
  t->set_ended_ns(fact.ended_ns());
  t->set_code(fact.code());
  t->set_message(fact.message());
  c.emit(std::move(e));
}

void emit_progress(DecisionContext& c, const KernelRow& kernel, const v1::KernelFact& fact) {
  v1::Event e = c.event();
  switch (fact.state()) {
    case v1::PREPARING: name_kernel(e.mutable_kernel_preparing(), kernel); break;
    case v1::PULLING: name_kernel(e.mutable_kernel_pulling(), kernel)->set_percent(fact.percent()); break;
    case v1::PREPARED: name_kernel(e.mutable_kernel_prepared(), kernel); break;
    case v1::CREATING: name_kernel(e.mutable_kernel_creating(), kernel); break;
    case v1::RUNNING: {
      auto* running = name_kernel(e.mutable_kernel_running(), kernel);
      running->set_started_ns(fact.started_ns());
      running->set_pid(fact.pid());
      break;
    }
    default: return;
  }
  c.emit(std::move(e));
}

bool advances(const KernelRow& kernel, const v1::KernelFact& fact) {
  const auto to = static_cast<KernelState>(fact.state());
  if (to == KernelState::kPulling && kernel.state == KernelState::kPulling)
    return fact.percent() > kernel.percent;
  return projections::may_move(kernel.state, to);
}

// Returns true if the agent has something that the journal does not know of: an end to be forgotten although
// no event will say so, or a kernel that runs although nothing ordered it (the journal lost its tail). A
// snapshot settles both.
bool decide_fact(DecisionContext& c, const std::string& agent, const v1::KernelFact& fact, bool ends_only) {
  const auto id = Uuid::from_bytes(fact.kernel_id());
  const KernelRow* kernel = id ? c.state.kernels.find(KernelId(*id)) : nullptr;
  const bool is_end = fact.state() == v1::TERMINATED;
  if (kernel == nullptr || kernel->attempt != fact.attempt() || kernel->agent != agent) return true;
  if (is_end) {
    if (!kernel->holds_slots()) return true;
    const SessionId session = kernel->session;
    emit_end(c, *kernel, fact);
    settle_rescheduling(c, session);
    return false;
  }
  if (!ends_only && advances(*kernel, fact)) emit_progress(c, *kernel, fact);
  return false;
}

void emit_join(DecisionContext& c, const v1::Report& report) {
  v1::Event e = c.event();
  auto* joined = e.mutable_agent_joined();
  *joined = report.join().agent();
  joined->set_agent(report.agent());
  joined->set_incarnation(report.incarnation());
  joined->set_nonce(report.join().nonce());
  c.emit(std::move(e));
}

// A join may be read twice, or after the next one: only a new incarnation that this agent has not left behind
// counts.
bool is_new_join(const AgentRow& agent, const v1::Report& report) {
  const auto nonce = Uuid::from_bytes(report.join().nonce());
  const auto incarnation = Uuid::from_bytes(report.incarnation());
  if (!nonce || nonce->is_nil() || !incarnation || incarnation->is_nil()) return false;
  return agent.nonce != *nonce;
}

}  // namespace

bool decide_report(DecisionContext& c, const v1::Report& report) {
  const AgentRow* agent = c.state.agents.find(report.agent());
  if (agent == nullptr) return false;
  c.actor = "agent:" + report.agent();
  bool snapshot = report.snapshot_wanted();
  if (report.has_join() && is_new_join(*agent, report)) {
    emit_join(c, report);
    agent = c.state.agents.find(report.agent());
  }
  const bool ends_only =
      agent->incarnation.view() != report.incarnation() || agent->state != AgentState::kAlive;
  // The snapshot that answers the join settles what the journal does not know of.
  for (const auto& fact : report.join().kernels()) decide_fact(c, report.agent(), fact, ends_only);
  for (const auto& fact : report.facts())
    snapshot = decide_fact(c, report.agent(), fact, ends_only) || snapshot;
  agent = c.state.agents.find(report.agent());
  if (report.leaving() && agent->incarnation.view() == report.incarnation() &&
      agent->state == AgentState::kAlive) {
    v1::Event e = c.event();
    e.mutable_agent_left()->set_agent(report.agent());
    e.mutable_agent_left()->set_incarnation(report.incarnation());
    c.emit(std::move(e));
    return false;
  }
  return snapshot && agent->incarnation.view() == report.incarnation();
}

void end_kernel(DecisionContext& c, const KernelRow& kernel, v1::KernelEnd end, std::string message) {
  const SessionId session = kernel.session;
  v1::KernelFact fact;
  fact.set_end(end);
  fact.set_started_ns(kernel.started_at);
  fact.set_ended_ns(c.now);
  fact.set_message(std::move(message));
  emit_end(c, kernel, fact);
  settle_rescheduling(c, session);
}

void settle_rescheduling(DecisionContext& c, const SessionId& id) {
  const SessionRow* session = c.state.sessions.find(id);
  if (session == nullptr || session->status != SessionStatus::kRescheduling) return;
  if (session->kernels_ended != session->kernel_ids.size()) return;
  const bool failed_start = session->reason_code == projections::end_reason::kStartFailed;
  const std::uint32_t attempts = session->attempts + (failed_start ? 1 : 0);
  v1::Event e = c.event();
  if (failed_start && attempts >= session->spec->spec.max_attempts()) {
    e.mutable_session_failed()->set_session_id(std::string(id.view()));
    e.mutable_session_failed()->set_code(projections::end_reason::kGaveUp);
    e.mutable_session_failed()->set_message(session->message);
  } else {
    auto* requeued = e.mutable_session_requeued();
    requeued->set_session_id(std::string(id.view()));
    requeued->set_attempts(attempts);
    requeued->set_reason(session->reason_code);
    requeued->set_message(session->message);
  }
  c.emit(std::move(e));
}

}  // namespace berth::controller
