#include <algorithm>

#include "events/base/trace_context.h"
#include "events/codec/words/codes.h"
#include "projections/fold/event_context.h"
#include "projections/fold/net.h"

namespace berth::projections {
namespace {

const SessionRow* find_session(const State& state, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  return id ? state.sessions.find(SessionId(*id)) : nullptr;
}

int role_index(const v1::SessionSpec& spec, const std::string& role) {
  for (int i = 0; i < spec.roles_size(); ++i)
    if (spec.roles(i).role() == role) return i;
  return -1;
}

Forbidden place_kernel(EventContext& c, KernelRow row) {
  if (c.state.kernels.find(row.id) != nullptr) return "kernel " + to_string(row.id) + " exists";
  const AgentRow* agent = c.state.agents.find(row.agent);
  if (agent == nullptr) return "no agent is named " + row.agent;
  if (agent->state != AgentState::kAlive) return "agent " + row.agent + " is not alive";
  c.state.kernels.put(row);
  if (auto over = over_capacity(c.state.occupancy(), *agent, row); !over.empty())
    return "beyond capacity: " + over;
  c.order_to(row.agent);
  return {};
}

SessionResult result_of(const SessionRow& row, SessionStatus status) {
  if (row.spec->spec.type() != v1::BATCH) return SessionResult::kNone;
  if (status == SessionStatus::kError) return SessionResult::kFailed;
  if (status != SessionStatus::kTerminated) return SessionResult::kNone;
  return row.terminating || row.exit_code != 0 ? SessionResult::kFailed : SessionResult::kSuccess;
}

// To every agent that still runs something of it.
void order_stops(EventContext& c, const SessionRow& row) {
  for (const KernelId& id : row.kernel_ids) {
    const KernelRow* kernel = c.state.kernels.find(id);
    if (kernel != nullptr && kernel->holds_slots()) c.order_to(kernel->agent);
  }
}

SessionStatus status_of_kernels(const State& state, const SessionRow& row) {
  SessionStatus lowest = SessionStatus::kRunning;
  for (const KernelId& id : row.kernel_ids) {
    const KernelRow* kernel = state.kernels.find(id);
    if (kernel == nullptr || kernel->state == KernelState::kTerminated) continue;
    const auto status = static_cast<SessionStatus>(static_cast<int>(kernel->state) +
                                                   2);  // SCHEDULED..RUNNING stand in order in both
    lowest = std::min(lowest, status);
  }
  return lowest;
}

bool is_held(const SessionRow& row, const KernelRow& kernel) {
  if (row.status != SessionStatus::kReserved) return true;
  const HeldPlace place{kernel.role, kernel.index, kernel.agent, kernel.devices};
  return std::find(row.places.begin(), row.places.end(), place) != row.places.end();
}

// All kernels of the session, each where its place is held if one is. Kernels are put one by one, so that
// each is held to what those before it have left.
Forbidden place_kernels(EventContext& c, SessionRow& row, const v1::SessionScheduled& e) {
  if (static_cast<std::uint32_t>(e.placements_size()) != kernel_count(row.spec->spec))
    return "not all kernels are placed";
  std::vector<std::pair<std::uint32_t, std::uint32_t>> placed;  // role and index
  for (const auto& placement : e.placements()) {
    KernelRow kernel;
    if (auto reason = make_kernel(row, placement, e.attempt(), kernel); !reason.empty()) return reason;
    if (!is_held(row, kernel)) return "it has a place held, and this is another";
    placed.emplace_back(kernel.role, kernel.index);
    row.kernel_ids.push_back(kernel.id);
    if (auto reason = place_kernel(c, std::move(kernel)); !reason.empty()) return reason;
  }
  std::sort(placed.begin(), placed.end());
  const bool twice = std::adjacent_find(placed.begin(), placed.end()) != placed.end();
  return twice ? "a kernel has two places" : "";
}

void note_election(SessionRow& row, const Uuid& nonce) {
  if (!row.placed_in.empty() && row.placed_in.back() == nonce) return;
  row.placed_in.push_back(nonce);
  if (row.placed_in.size() > kPlacedInMax) row.placed_in.erase(row.placed_in.begin());
}

void forget_lost_run(State& state, SessionRow& row) {
  for (const KernelId& id : row.lost_kernels) state.kernels.erase(id);
  row.lost_kernels.clear();
  row.lost_scheduled_at = row.lost_running_at = 0;
}

// The agent may come back with the result before the session is placed again.
bool may_bring_result(const State& state, const SessionRow& row) {
  const KernelRow* main = row.kernel_ids.empty() ? nullptr : state.kernels.find(row.kernel_ids.front());
  return main != nullptr && main->is_main() && main->end == v1::AGENT_LOST;
}

void drop_kernels(State& state, SessionRow& row) {
  if (may_bring_result(state, row)) {
    row.lost_kernels = row.kernel_ids;
    row.lost_scheduled_at = row.scheduled_at;
    row.lost_running_at = row.running_at;
  } else {
    for (const KernelId& id : row.kernel_ids) state.kernels.erase(id);
  }
  row.kernel_ids.clear();
  row.kernels_ended = 0;
  row.rescheduling = false;
}

// The first session of a request brings the environment of all.
SealedPtr environment_of(const EventContext& c, const v1::SessionRequested& e) {
  if (e.has_environment()) return std::make_shared<const std::string>(canonical_bytes(e.environment()));
  const auto request = Uuid::from_bytes(c.event.request_id());
  if (e.number() <= 1 || !request) return nullptr;
  const RequestRow* row = c.state.requests.find(RequestRow::make_key(c.event.actor(), *request));
  if (row == nullptr || row->sessions.empty()) return nullptr;
  const SessionRow* first = c.state.sessions.find(row->sessions.front());
  return first != nullptr ? first->environment : nullptr;
}

// What a user says who ends a session is for people: the reason is a code.
void end_for(const EventContext& c, SessionRow& row, v1::Code reason) {
  row.reason_code = code_of(reason);
  row.reason_slot.clear();
  if (!c.event.reason().empty()) row.message = c.event.reason();
}

// Whatever runs has to end first: with all ended, SessionRequeued comes again.
Forbidden begin_requeue(EventContext& c, SessionRow row, const v1::SessionRequeued& e) {
  if (auto reason = preempt(c, row, e.preemptor()); !reason.empty()) return reason;
  row.rescheduling = true;
  row.attempts = e.attempts();
  row.reason_code = code_of(e.reason());
  row.reason_slot.clear();
  row.message = e.message();
  order_stops(c, row);
  c.state.sessions.put(with_status(c.state, std::move(row), c.time));
  return {};
}

}  // namespace

Forbidden make_kernel(const SessionRow& session, const v1::Placement& p, std::uint32_t attempt,
                      KernelRow& row) {
  const auto id = Uuid::from_bytes(p.kernel_id());
  const int role = role_index(session.spec->spec, p.role());
  if (!id || id->is_nil()) return "a placement without a kernel id";
  if (role < 0 || p.index() == 0 || p.index() > session.spec->spec.roles(role).count())
    return "a kernel that was not asked for";
  row.id = KernelId(*id);
  row.session = session.id;
  row.role = static_cast<std::uint32_t>(role);
  row.index = p.index();
  row.attempt = attempt;
  row.agent = p.agent();
  for (const auto& share : p.devices()) row.devices.push_back({share.device(), share.slot(), share.amount()});
  row.spec = session.spec;
  row.owner = session.owner;
  return net::check_shares(row);
}

static_assert(static_cast<int>(KernelState::kScheduled) + 2 == static_cast<int>(SessionStatus::kScheduled));
static_assert(static_cast<int>(KernelState::kRunning) + 2 == static_cast<int>(SessionStatus::kRunning));

SessionStatus status_of(const State& state, const SessionRow& row) {
  if (row.kernel_ids.empty()) return row.status;  // PENDING or an end that an event states
  const bool all_ended = row.kernels_ended == row.kernel_ids.size();
  if (row.rescheduling && !row.terminating) return SessionStatus::kRescheduling;
  if (all_ended) return SessionStatus::kTerminated;
  if (row.terminating || row.kernels_ended > 0) return SessionStatus::kTerminating;
  return status_of_kernels(state, row);
}

SessionRow with_status(const State& state, SessionRow row, Timestamp now) {
  const SessionStatus status = status_of(state, row);
  if (status == row.status) return row;
  row.status = status;
  if (status == SessionStatus::kRunning) row.running_at = now;
  if (is_end(status)) {
    row.ended_at = now;
    row.result = result_of(row, status);
    if (row.reason_code.empty()) row.reason_code = end_reason::kKernelEnded;
  }
  return row;
}

void settle_dependents(EventContext& c, const SessionId& id) {
  if (c.state.sessions.find(id)->result != SessionResult::kSuccess) return;
  const std::set<SessionId> dependents = c.state.dependents(id);  // a copy: it shrinks as they change
  for (const SessionId& dependent : dependents) {
    SessionRow row = *c.state.sessions.find(dependent);
    std::erase(row.unmet, id);
    c.state.sessions.put(std::move(row));
  }
}

Forbidden apply(EventContext& c, const v1::SessionRequested& e) {
  const auto id = Uuid::from_bytes(e.session_id());
  if (!id) return "a malformed session id";
  if (auto reason = net::check_request(c.state, SessionId(*id), e); !reason.empty()) return reason;
  SessionRow row;
  row.id = SessionId(*id);
  row.name = e.name();
  row.owner = c.state.share(e.owner());
  row.spec = c.state.share(e.spec());
  row.actor = c.event.actor();
  row.request = Uuid::from_bytes(c.event.request_id()).value_or(Uuid{});
  row.created = c.position;
  row.created_at = c.time;
  for (const auto& bytes : e.spec().depends_on())  // one that is in history had ended in SUCCESS
    if (const SessionRow* on = find_session(c.state, bytes);
        on != nullptr && on->result != SessionResult::kSuccess)
      row.unmet.push_back(on->id);
  row.environment = environment_of(c, e);
  if (is_traceparent(c.event.trace())) row.trace = c.event.trace();
  c.state.sessions.put(row);
  count_request(c, e.spec());
  note_answer(c, AnswerKind::kAccepted, &row.id);
  return {};
}

Forbidden apply(EventContext& c, const v1::SessionReasonChanged& e) {
  const SessionRow* known = find_session(c.state, e.session_id());
  if (known == nullptr || known->status != SessionStatus::kPending) return "the session is not PENDING";
  SessionRow row = *known;
  row.reason_code = code_of(e.code());
  row.reason_slot = e.slot();
  c.state.sessions.put(std::move(row));
  return {};
}

Forbidden apply(EventContext& c, const v1::SessionRetried& e) {
  const SessionRow* known = find_session(c.state, e.session_id());
  if (known == nullptr || known->status != SessionStatus::kPending) return "the session is not PENDING";
  SessionRow row = *known;
  row.retries = e.retries();
  c.state.sessions.put(std::move(row));
  return {};
}

Forbidden apply(EventContext& c, const v1::SessionScheduled& e) {
  const SessionRow* known = find_session(c.state, e.session_id());
  if (known == nullptr || !is_waiting(known->status)) return "the session is not PENDING";
  if (e.attempt() != c.state.next_attempt(*known))
    return "attempt " + std::to_string(e.attempt()) + " is not the next";
  SessionRow row = *known;
  row.attempt = e.attempt();
  forget_lost_run(c.state, row);  // its kernels may have the ids of the new ones
  if (auto reason = place_kernels(c, row, e); !reason.empty()) return reason;
  row.places.clear();
  row.preemptor = {};
  row.preemptor_owner = nullptr;
  if (e.turn() != 0) c.state.turns.put({row.spec->spec.group(), e.turn()});
  row.scheduled_at = c.time;
  note_election(row, c.state.epoch().nonce);
  row.not_before = 0;
  row.reason_code = {};
  row.reason_slot.clear();
  row.message.clear();
  c.state.sessions.put(with_status(c.state, std::move(row), c.time));
  return {};
}

Forbidden apply(EventContext& c, const v1::SessionTerminating& e) {
  const SessionRow* known = find_session(c.state, e.session_id());
  if (known == nullptr || is_end(known->status) || known->kernel_ids.empty())
    return "the session has nothing to end";
  SessionRow row = *known;
  if (!e.preemptor().empty())
    if (auto reason = preempt(c, row, e.preemptor()); !reason.empty()) return reason;
  row.terminating = true;
  row.forced = row.forced || e.forced();
  end_for(c, row, e.reason());
  order_stops(c, row);
  c.state.sessions.put(with_status(c.state, std::move(row), c.time));
  if (!c.event.request_id().empty()) note_answer(c, AnswerKind::kAccepted, &known->id);
  return {};
}

Forbidden apply(EventContext& c, const v1::SessionCancelled& e) {
  const SessionRow* known = find_session(c.state, e.session_id());
  if (known == nullptr || !is_waiting(known->status)) return "the session is not PENDING";
  SessionRow row = *known;
  row.status = SessionStatus::kCancelled;
  forget_lost_run(c.state, row);
  row.places.clear();
  row.ended_at = c.time;
  end_for(c, row, e.reason());
  const SessionId id = row.id;
  c.state.sessions.put(std::move(row));
  if (!c.event.request_id().empty()) note_answer(c, AnswerKind::kAccepted, &id);
  return {};
}

Forbidden apply(EventContext& c, const v1::SessionRequeued& e) {
  const SessionRow* known = find_session(c.state, e.session_id());
  if (known != nullptr && !e.preemptor().empty()) return begin_requeue(c, *known, e);
  if (known == nullptr || known->status != SessionStatus::kRescheduling)
    return "the session is not RESCHEDULING";
  if (known->kernels_ended != known->kernel_ids.size()) return "a kernel of the session still holds slots";
  SessionRow row = *known;
  drop_kernels(c.state, row);
  row.status = SessionStatus::kPending;
  row.attempts = e.attempts();
  row.reason_code = code_of(e.reason());
  row.reason_slot.clear();
  row.message = e.message();
  row.scheduled_at = row.running_at = 0;
  row.requeued_at = c.time;
  row.not_before = e.not_before_ns();
  c.state.sessions.put(std::move(row));
  return {};
}

Forbidden apply(EventContext& c, const v1::SessionFailed& e) {
  const SessionRow* known = find_session(c.state, e.session_id());
  if (known == nullptr || is_end(known->status)) return "the session has ended";
  if (known->kernels_ended != known->kernel_ids.size()) return "a kernel of the session still holds slots";
  SessionRow row = *known;
  row.status = SessionStatus::kError;
  forget_lost_run(c.state, row);
  row.places.clear();
  row.ended_at = c.time;
  row.reason_code = code_of(e.code());
  row.message = e.message();
  row.result = result_of(row, SessionStatus::kError);
  c.state.sessions.put(std::move(row));
  return {};
}

}  // namespace berth::projections
