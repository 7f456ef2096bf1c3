#include "tests/simulation/checkers.h"

#include "events/codec/envelope.h"
#include "events/schema/v1/record.pb.h"

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

void JournalAuditor::audit() {
  const Extent extent = cluster_.server->extent({Stream::kJournal, 0});
  for (Offset offset = extent.begin; offset < extent.end; ++offset) {
    const std::string& payload = cluster_.server->payload_at({Stream::kJournal, 0}, offset);
    std::string chained(as_view(rolling_.back()));
    for (int i = 0; i < 8; ++i) chained += static_cast<char>(offset >> (8 * i));
    chained += as_view(blake2b_256(payload));
    rolling_.push_back(blake2b_256(chained));
    const auto envelope = open_envelope(payload, cluster_.cluster);
    v1::Record record;
    if (!envelope || !record.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size()))) {
      ++voids_;
      continue;
    }
    const bool election = record.events_size() == 1 && record.events(0).has_controller_elected();
    if (!claims_rightly(record, offset) || !continues(record.header(), election)) {
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
  if (e.has_session_requested()) {
    const auto& id = e.session_requested().session_id();
    if (sessions_.contains(id)) fail("a session was accepted twice");
    sessions_[id].spec = e.session_requested().spec();
  } else if (e.has_agent_joined()) {
    auto& capacity = capacity_[e.agent_joined().agent()];
    capacity.clear();
    for (const auto& s : e.agent_joined().slots()) capacity[s.slot()] = s.amount();
    for (const auto& d : e.agent_joined().devices())
      for (const auto& s : d.slots()) capacity[d.id() + "/" + s.slot()] = s.amount();
  } else if (e.has_session_scheduled()) {
    scheduled(e.session_scheduled());
  } else if (e.has_session_terminating()) {
    const auto& terminating = e.session_terminating();
    if (!terminating.preemptor().empty()) preempted(terminating.session_id(), terminating.preemptor());
    sessions_[terminating.session_id()].terminating = true;
  } else if (e.has_session_reserved()) {
    reserved(e.session_reserved());
  } else if (e.has_session_unreserved()) {
    sessions_[e.session_unreserved().session_id()].held.clear();
  } else if (e.has_kernel_terminated()) {
    terminated(e.kernel_terminated());
  } else if (e.has_session_cancelled()) {
    end(e.session_cancelled().session_id(), "cancelled");
  } else if (e.has_session_failed()) {
    end(e.session_failed().session_id(), "failed");
  } else if (e.has_session_requeued()) {
    requeued(e.session_requeued());
  }
}

void JournalAuditor::requeued(const v1::SessionRequeued& e) {
  auto& session = sessions_[e.session_id()];
  if (!e.preemptor().empty()) {
    preempted(e.session_id(), e.preemptor());
    session.going_back = true;
    return;
  }
  if (!session.kernels.empty()) fail("a session was requeued while a kernel held slots");
  if (session.ends > 0) --session.ends;  // the last kernel's end was not the session's
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
  for (const auto& s : spec.roles(0).slots()) takes[s.slot()] += s.amount();
  for (const auto& d : placement.devices()) {
    takes[d.slot()] -= d.amount();
    takes[d.device() + "/" + d.slot()] += d.amount();
  }
  return takes;
}

void JournalAuditor::scheduled(const v1::SessionScheduled& e) {
  auto& session = sessions_[e.session_id()];
  if (session.ends > 0) fail("an ended session was placed");
  if (!session.kernels.empty()) fail("a session was placed while it holds slots");
  if (e.attempt() != session.attempt + 1) fail("an attempt was skipped");
  session.attempt = e.attempt();
  session.ended_kernels = 0;
  const bool had_place = !session.held.empty();
  if (had_place) check_held(session, e);
  session.held.clear();
  for (const auto& p : e.placements()) {
    Kernel kernel{p.agent(), e.session_id(), takes_of(session.spec, p)};
    for (const auto& [what, amount] : kernel.takes) {
      if (amount == 0) continue;
      take(p.agent(), what, amount);
      if (!had_place) check_holds_kept(p.agent(), what);
    }
    session.kernels.insert(p.kernel_id());
    kernels_[p.kernel_id()] = std::move(kernel);
  }
}

void JournalAuditor::terminated(const v1::KernelTerminated& e) {
  const auto it = kernels_.find(e.kernel_id());
  if (it == kernels_.end()) return fail("a kernel ended that held nothing");
  for (const auto& [what, amount] : it->second.takes)
    if (amount != 0) take(it->second.agent, what, -amount);
  auto& session = sessions_[it->second.session];
  session.kernels.erase(e.kernel_id());
  ++session.ended_kernels;
  // A start that failed is tried again, unless the session was to end anyway.
  const bool tried_again = (e.end() == v1::START_FAILED || session.going_back) && !session.terminating;
  if (session.kernels.empty() && !tried_again) end(it->second.session, "its last kernel ended");
  kernels_.erase(it);
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

void check_machines(const std::vector<std::unique_ptr<SimAgent>>& agents,
                    std::vector<std::string>& failures) {
  std::map<KernelId, std::string> where;
  for (const auto& agent : agents) {
    std::map<std::string, std::int64_t> taken;
    for (const auto& key : agent->machine().running()) {
      if (const auto [it, fresh] = where.emplace(key.kernel, agent->name()); !fresh)
        failures.push_back("kernel " + to_string(key.kernel) + " runs on " + it->second + " and " +
                           agent->name());
      if (agent->machine().runs(key) > 1)
        failures.push_back("kernel " + to_string(key.kernel) + " ran twice in one attempt");
      const auto* spec = agent->machine().spec(key);
      taken["cpu"] += spec->cpu;
      taken["mem"] += spec->mem;
      for (const auto& d : spec->devices) taken[d.device + "/" + d.slot] += d.amount;
    }
    for (const auto& s : agent->profile().slots())
      if (taken[s.slot()] > s.amount()) failures.push_back(agent->name() + " runs more than its " + s.slot());
    for (const auto& d : agent->profile().devices())
      for (const auto& s : d.slots())
        if (taken[d.id() + "/" + s.slot()] > s.amount())
          failures.push_back(agent->name() + " runs more than its " + d.id());
  }
}

}  // namespace berth::simulation
