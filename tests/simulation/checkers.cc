#include "tests/simulation/checkers.h"

#include <algorithm>

#include "events/codec/envelope.h"
#include "events/schema/v1/record.pb.h"
#include "tests/support/record_codes.h"

namespace berth::simulation {

bool JournalAuditor::continues(const v1::RecordHeader& h, bool election) const {
  if (election) return h.sequence() == 0 && h.epoch() == epoch_ + 1;
  if (h.sequence() == 0 || h.epoch() != epoch_ || dead_ || h.sequence() != sequence_ + 1 ||
      h.link() != as_view(link_))
    return false;
  for (const auto& r : h.ranges()) {
    const auto it = next_.find({r.stream(), r.partition()});
    if (r.from() != (it == next_.end() ? 0 : it->second)) return false;
  }
  return true;
}

// P12: an election or chain head by somebody who has read another log than this one is void.
bool JournalAuditor::claims_rightly(const v1::Record& record, Offset offset) const {
  for (const auto& event : record.events()) {
    const v1::Claim* claim = event.has_controller_elected()    ? &event.controller_elected().claim()
                             : event.has_chain_head_recorded() ? &event.chain_head_recorded().claim()
                                                               : nullptr;
    if (claim == nullptr) continue;
    if (claim->offset() > offset || claim->rolling() != as_view(rolling_[claim->offset()])) return false;
  }
  return true;
}

// The simulator's own forbidden event: a kernel that never was (sim users' poison).
bool JournalAuditor::is_poison(const v1::Record& record) const {
  for (const auto& event : record.events())
    if (event.has_kernel_running() && event.kernel_running().kernel_id().empty()) return true;
  return false;
}

void JournalAuditor::audit(Expected expected) {
  expected_ = std::move(expected);
  const Extent extent = cluster_.server->extent({Stream::kJournal, 0});
  for (Offset offset = 0; offset < extent.end; ++offset) {
    const auto [partition, at, payload, gap] = cluster_.journal_at(offset);
    std::string chained(as_view(rolling_.back()));
    for (int i = 0; i < 8; ++i) chained += static_cast<char>(offset >> (8 * i));
    chained += as_view(gap ? Hash256{} : blake2b_256(payload));
    rolling_.push_back(blake2b_256(chained));
    if (gap) {
      ++voids_;
      continue;
    }
    const auto envelope = open_envelope(payload, cluster_.cluster);
    v1::Record record;
    if (!envelope || !record.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size()))) {
      ++voids_;
      continue;
    }
    const bool election = record.events_size() == 1 && record.events(0).has_controller_elected();
    if (is_forged(record) || !claims_rightly(record, offset) || !continues(record.header(), election)) {
      ++voids_;
      continue;
    }
    if (is_poison(record)) {
      dead_ = true;
      ++voids_;
      continue;
    }
    ++applied_;
    epoch_ = record.header().epoch();
    sequence_ = record.header().sequence();
    link_ = blake2b_256(payload);
    // An election has the time of the copy that its controller had read: the log's own may be later.
    if (!election && record.header().time_ns() < time_) fail("header time went back");
    offset_ = offset;
    time_ = std::max(time_, record.header().time_ns());
    if (election) dead_ = false;
    for (const auto& r : record.header().ranges()) next_[{r.stream(), r.partition()}] = r.to();
    for (const auto& one : record.events()) {
      if (one.has_input_rewound())
        next_[{static_cast<int>(one.input_rewound().stream()), one.input_rewound().partition()}] =
            one.input_rewound().to();
      event(one);
    }
    check_plans();
  }
}

void JournalAuditor::event(const v1::Event& e) {
  if (const auto* kind = v1::Event::descriptor()->FindFieldByNumber(e.body_case())) ++seen_[kind->name()];
  check_origin(e);
  if (e.has_session_requested()) {
    requested(e);
  } else if (e.has_agent_joined()) {
    joined(e.agent_joined());
  } else if (e.has_limit_set()) {
    const auto& limit = e.limit_set();
    if (limit.scope() == v1::SCOPE_KIND_USER && limit.has_sessions())
      most_sessions_[limit.id()] = {limit.sessions().most(), offset_};
  } else if (e.has_unreachable_changed()) {
    for (const auto& agent : e.unreachable_changed().lost()) unreachable_.insert(agent);
    for (const auto& agent : e.unreachable_changed().back()) unreachable_.erase(agent);
  } else if (e.has_agent_removed()) {
    unreachable_.erase(e.agent_removed().agent());
  } else if (e.has_session_scheduled()) {
    scheduled(e.session_scheduled());
  } else if (e.has_session_terminating()) {
    terminating(e.session_terminating());
  } else if (e.has_session_reserved()) {
    check_pass(e.session_reserved());
    reserved(e.session_reserved());
  } else if (e.has_session_unreserved()) {
    sessions_[e.session_unreserved().session_id()].held.clear();
  } else if (e.has_kernel_terminated()) {
    terminated(e.kernel_terminated());
  } else if (e.has_session_cancelled()) {
    check_timeout(sessions_[e.session_cancelled().session_id()], word_of(e.session_cancelled().reason()));
    end(e.session_cancelled().session_id(), "cancelled");
  } else if (e.has_session_failed()) {
    end(e.session_failed().session_id(), "failed");
  } else if (e.has_session_requeued()) {
    requeued(e.session_requeued());
  }
}

void JournalAuditor::requested(const v1::Event& e) {
  const auto& requested = e.session_requested();
  if (sessions_.contains(requested.session_id())) fail("a session was accepted twice");
  const auto deadline = expected_.deadlines.find(e.request_id());
  if (deadline != expected_.deadlines.end() && time_ > deadline->second * kMillisecond + kMillisecond)
    fail("session " + requested.name() + " was accepted after its request's not_after");
  auto& session = sessions_[requested.session_id()];
  session.spec = requested.spec();
  session.user = requested.owner().user();
  session.requested = time_;
}

void JournalAuditor::joined(const v1::AgentJoined& e) {
  if (!join_nonces_.insert(e.agent() + e.nonce()).second)
    fail("a join of " + e.agent() + " was believed twice");
  auto& capacity = capacity_[e.agent()];
  capacity.clear();
  for (const auto& s : e.slots()) capacity[s.slot()] = s.amount();
  for (const auto& d : e.devices())
    for (const auto& s : d.slots()) capacity[d.id() + "/" + s.slot()] = s.amount();
}

void JournalAuditor::terminating(const v1::SessionTerminating& e) {
  auto& session = sessions_[e.session_id()];
  if (!e.preemptor().empty()) preempted(e.session_id(), e.preemptor());
  check_timeout(session, word_of(e.reason()));
  session.terminating = true;
}

void JournalAuditor::requeued(const v1::SessionRequeued& e) {
  auto& session = sessions_[e.session_id()];
  if (!e.preemptor().empty()) {
    preempted(e.session_id(), e.preemptor());
    session.going_back = true;
    return;
  }
  if (!session.going_back && !session.restarts) fail("a session was requeued without a reason");
  session.restarts = session.moves = false;
  if (!session.kernels.empty()) fail("a session was requeued while a kernel held slots");
  session.going_back = false;
}

void JournalAuditor::take(const std::string& agent, const std::string& what, std::int64_t amount) {
  auto& taken = taken_[agent][what];
  taken += amount;
  if (amount > 0 && taken > capacity_[agent][what]) fail(what + " of " + agent + " is allocated twice");
  if (taken < 0) fail(what + " of " + agent + " was freed twice");
}

std::map<std::string, std::int64_t> JournalAuditor::takes_of(const v1::SessionSpec& spec,
                                                             const v1::Placement& placement) {
  std::map<std::string, std::int64_t> takes;
  for (const auto& role : spec.roles())
    if (role.role() == placement.role())
      for (const auto& s : role.slots()) takes[s.slot()] += s.amount();
  for (const auto& d : placement.devices()) {
    takes[d.slot()] -= d.amount();
    takes[d.device() + "/" + d.slot()] += d.amount();
  }
  return takes;
}

// P29: a pass can be run again, since what it placed names where it began and whom it passed over is known.
template <class M> void JournalAuditor::check_pass(const M& e) {
  if (e.pass().epoch() != epoch_ || e.pass().sequence() == 0 || e.pass().sequence() > sequence_)
    fail("a place of a pass that began nowhere in its epoch");
  for (const auto& p : e.placements())
    if (unreachable_.contains(p.agent()))
      fail("a place on agent " + p.agent() + ", which is held unreachable");
}

void JournalAuditor::scheduled(const v1::SessionScheduled& e) {
  check_pass(e);
  auto& session = sessions_[e.session_id()];
  if (session.ends > 0) fail("an ended session was placed");
  if (!session.kernels.empty()) fail("a session was placed while it holds slots");
  if (e.attempt() != session.attempt + 1) fail("an attempt was skipped");
  session.attempt = e.attempt();
  session.placed = time_;
  session.ended_kernels = 0;
  session.lost_main.clear();
  const bool had_place = !session.held.empty();
  const Offset decided_at = had_place ? session.held_at : offset_;
  if (had_place) check_held(session, e);
  session.held.clear();
  for (const auto& p : e.placements()) {
    const bool is_main = p.role() == session.spec.roles(0).role() && p.index() == 1;
    Kernel kernel{p.agent(), e.session_id(), takes_of(session.spec, p), is_main};
    for (const auto& [what, amount] : kernel.takes) {
      if (amount == 0) continue;
      take(p.agent(), what, amount);
      if (!had_place) check_holds_kept(p.agent(), what);
    }
    session.kernels.insert(p.kernel_id());
    placed_[{KernelId(*Uuid::from_bytes(p.kernel_id())), e.attempt()}] = session.spec.requeueable();
    kernels_[p.kernel_id()] = std::move(kernel);
  }
  std::uint32_t wanted = 0;
  for (const auto& role : session.spec.roles()) wanted += role.count();
  if (session.kernels.size() != wanted) fail("a session was placed with too few kernels");
  check_limit(session, decided_at);
}

void JournalAuditor::terminated(const v1::KernelTerminated& e) {
  const auto it = kernels_.find(e.kernel_id());
  if (it == kernels_.end()) return terminated_late(e);
  for (const auto& [what, amount] : it->second.takes)
    if (amount != 0) take(it->second.agent, what, -amount);
  auto& session = sessions_[it->second.session];
  session.kernels.erase(e.kernel_id());
  ++session.ended_kernels;
  if (e.end() == v1::AGENT_LOST && it->second.is_main && session.spec.requeueable()) {
    session.lost_main = e.kernel_id();
    lost_[{e.kernel_id(), e.attempt()}] = it->second.session;
  }
  // As good as a lost agent (P24).
  const bool gone = e.end() == v1::AGENT_LOST || e.end() == v1::LEASE_OVER || e.end() == v1::MACHINE_STOPPED;
  const bool moves = gone && session.spec.requeueable();
  // A start that failed is tried again, unless the session was to end anyway.
  if (!session.terminating && (e.end() == v1::START_FAILED || moves)) {
    session.restarts = true;
    session.moves = session.moves || moves;
  }
  const bool waits_again = (session.restarts || session.going_back) && !session.terminating;
  if (session.kernels.empty() && !waits_again) end(it->second.session, "its last kernel ended");
  kernels_.erase(it);
}

// An agent that was lost comes back with what a run came to, before its session is placed again (P24).
void JournalAuditor::terminated_late(const v1::KernelTerminated& e) {
  const auto lost = lost_.find({e.kernel_id(), e.attempt()});
  if (lost == lost_.end()) return fail("a kernel ended that held nothing");
  auto& session = sessions_[lost->second];
  const bool waits = session.kernels.empty() && !session.restarts && !session.going_back;
  if (session.lost_main != e.kernel_id() || !waits)
    fail("the result of a lost run counts although its session does not wait");
  if (e.end() != v1::EXITED && e.end() != v1::SIGNALLED && e.end() != v1::OUT_OF_MEMORY)
    fail("an end that is no result counts as one of a lost run");
  session.lost_main.clear();
  ++seen_["the result of a lost run"];
  end(lost->second, "its lost run had a result");
  lost_.erase(lost);
}

void JournalAuditor::end(const std::string& id, const char* how) {
  auto& session = sessions_[id];
  session.held.clear();
  if (++session.ends > 1) fail(std::string("a session ended twice; now: ") + how);
}

std::size_t JournalAuditor::live() const {
  std::size_t live = 0;
  for (const auto& [id, session] : sessions_) live += session.ends == 0 ? 1 : 0;
  return live;
}

}  // namespace berth::simulation
