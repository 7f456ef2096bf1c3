// What a leader decides: inputs, time, lost agents, placements; and how decisions become records.
#include "controller/cell/controller.h"

#include "controller/cell/leader/pass_decisions.h"
#include "controller/placement/select/least_rise.h"
#include "events/log/orders_partition.h"

namespace berth::controller {

using projections::AgentRow;
using projections::AgentState;
using projections::Position;

namespace {

constexpr std::size_t kInputsPerFlush = 512;
constexpr std::size_t kTimersPerFlush = 256;
constexpr std::uint32_t kPassBudget = 512;

}  // namespace

bool Controller::full() const {
  return in_flight_.size() >= config_.records_in_flight || bytes_in_flight_ >= config_.bytes_in_flight;
}

void Controller::flush(const Instant& now, Outputs& out) {
  if (deciding()) {
    decide_clock(now, out);
    decide_inputs(now, out);
    decide_timers(now, out);
    decide_lost_agents(now, out);
    follow_up_lost_agents(now, out);
    follow_up_dependencies(now, out);
    decide_learning(now, out);
    decide_passes(now, out);
    record_chain_head(now, out);
    close_record(now, out);
  }
  if (mode_ != Mode::kLeader || !compared_) return;
  for (const auto& agent : snapshot_for_) {
    auto orders = router_.snapshot(projection_->state(), agent, nonce_);
    for (auto& order : orders) {
      const Position position = projection_->state().order_cursors.find(agent)->last;
      // Not before what it tells of is durable.
      if (!in_flight_.empty())
        in_flight_.back().orders.emplace_back(position, std::move(order));
      else
        send_order(position, std::move(order), out);
    }
  }
  snapshot_for_.clear();
  send_acks(out);
  out.full = full();
  out.more = out.more || (deciding() && !full() && !queue_.empty());
}

DecisionContext Controller::context(const Instant& now) {
  need_record(now);
  return {projection_->state(),
          writer_->position(),
          writer_->time(),
          in_history_,
          [this](v1::Event e) { writer_->add(std::move(e)); },
          {},
          {},
          {}};
}

void Controller::need_record(const Instant& now) {
  if (writer_->is_open()) return;
  const Timestamp time = clock_.header_time(now);
  feed_.set_now(time);
  writer_->open(time);
}

void Controller::close_record(const Instant& now, Outputs& out) {
  if (mode_ != Mode::kLeader || !writer_->is_open()) return;
  if (writer_->is_empty()) return writer_->cancel();
  const std::string forbidden = writer_->forbidden();
  ClosedRecord closed = writer_->close();
  InFlight record;
  record.ticket = ++tickets_;
  record.link = closed.link;
  record.bytes = closed.payload.size();
  record.appended = now.boottime;
  if (forbidden.empty()) {
    const auto& notes = writer_->notes();
    auto orders = router_.orders(projection_->state(), writer_->record(), notes, nonce_);
    const Position last{writer_->record().header().epoch(), closed.sequence,
                        static_cast<std::uint32_t>(closed.events)};
    for (auto& order : orders) record.orders.emplace_back(last, std::move(order));
  }
  ++counters_.records;
  counters_.events += static_cast<std::uint64_t>(closed.events);
  bytes_in_flight_ += record.bytes;
  out.appends.push_back({{Stream::kJournal, 0}, config_.name, std::move(closed.payload), record.ticket});
  in_flight_.push_back(std::move(record));
  // The record goes to the log as it is: every reader refuses it alike and puts its inputs into quarantine
  // (P7).
  if (!forbidden.empty()) step_down("a decision of ours is forbidden, which is a bug: " + forbidden, out);
}

void Controller::close_if_large(const Instant& now, Outputs& out) {
  if (mode_ == Mode::kLeader && writer_->is_open() &&
      (writer_->bytes() >= config_.record_bytes || !writer_->forbidden().empty()))
    close_record(now, out);
}

std::uint32_t Controller::quarantine_failures(const std::string& what) const {
  if (projection_->state().quarantine.size() == 0) return 0;
  const auto* row = projection_->state().quarantine.find(what);
  return row != nullptr ? row->failures : 0;
}

void Controller::decide_inputs(const Instant& now, Outputs& out) {
  std::size_t taken = 0;
  while (mode_ == Mode::kLeader && !queue_.empty() && !full() && taken < kInputsPerFlush) {
    const Queued queued = std::move(queue_.front());
    const LogEntry& entry = queued.entry;
    queue_.pop_front();
    ++taken;
    if (queued.rewind) {
      decide_rewind(entry.partition, entry.offset, now, out);
      continue;
    }
    const auto failures =
        projection_->state().quarantine.size() == 0
            ? 0
            : quarantine_failures(to_string(entry.partition) + "@" + std::to_string(entry.offset));
    if (failures > 0)
      decide_quarantined(entry, failures, now, out);
    else
      decide_input(entry, now, out);
    close_if_large(now, out);
  }
  out.more = out.more || !queue_.empty();
}

void Controller::decide_input(const LogEntry& entry, const Instant& now, Outputs&) {
  need_record(now);
  writer_->take_input(entry.partition, entry.offset, crc32c(entry.payload));
  if (entry.partition.stream == Stream::kRequests)
    decide_request_entry(entry, now);
  else
    decide_report_entry(entry, now);
}

void Controller::decide_quarantined(const LogEntry& entry, std::uint32_t failures, const Instant& now,
                                    Outputs& out) {
  close_record(now, out);  // alone in its record
  if (mode_ != Mode::kLeader) return;
  if (failures < 2) {
    decide_input(entry, now, out);
  } else {
    need_record(now);
    writer_->take_input(entry.partition, entry.offset, crc32c(entry.payload));
    v1::Event e;
    auto* error = e.mutable_internal_error_recorded();
    error->set_stream(entry.partition.stream == Stream::kRequests ? v1::REQUESTS : v1::REPORTS);
    error->set_partition(entry.partition.number);
    error->set_offset(entry.offset);
    v1::Request request;
    if (const auto envelope = verifier_.open(Channel::kRequest, entry.payload);
        envelope && request.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size()))) {
      e.set_actor(request.actor());
      e.set_request_id(request.id());
    }
    writer_->add(std::move(e));
  }
  close_record(now, out);
}

// Who may ask what (P1): API servers stamp whom they authenticated, a registered producer asks as itself
// alone.
void Controller::decide_request_entry(const LogEntry& entry, const Instant& now) {
  ++counters_.requests;
  const auto envelope = verifier_.open(Channel::kRequest, entry.payload);
  v1::Request request;
  if (!envelope || !request.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())) ||
      !(envelope->writer.starts_with("api:") ||
        (envelope->writer.starts_with("producer:") && envelope->writer == request.actor()))) {
    ++counters_.dropped;
    return;
  }
  clock_.witness(now, request.sent_ms() * kMillisecond);
  if (request.has_confirm_clock()) clock_.confirm(now);
  DecisionContext c = context(now);
  if (config_.poison && config_.poison(request)) {
    c.event();
    v1::Event e;
    e.mutable_kernel_running()->set_attempt(1);  // of no kernel: the second net refuses it
    c.emit(std::move(e));
    return;
  }
  decide_request(c, request);
}

void Controller::decide_report_entry(const LogEntry& entry, const Instant& now) {
  ++counters_.reports;
  const auto envelope = verifier_.open(Channel::kReport, entry.payload);
  v1::Report report;
  const bool parses =
      envelope && report.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size()));
  const AgentRow* agent = parses ? projection_->state().agents.find(report.agent()) : nullptr;
  if (agent == nullptr || envelope->writer != "agent:" + report.agent() ||
      envelope->generation != agent->generation) {
    ++counters_.dropped;
    return;
  }
  clock_.witness(now, report.sent_ms() * kMillisecond);
  const Uuid before = agent->incarnation;
  DecisionContext c = context(now);
  if (decide_report(c, report)) snapshot_for_.insert(report.agent());
  if (!writer_->forbidden().empty()) return;
  agent = projection_->state().agents.find(report.agent());
  if (agent->state != AgentState::kAlive)
    leases_.forget(report.agent());
  else if (agent->incarnation != before || report.has_join())
    leases_.start(report.agent(), agent->incarnation, now.boottime);
}

template <class F>
void Controller::decide_about(const std::string& subject, const Instant& now, Outputs& out, F decide) {
  const auto failures = quarantine_failures(subject);
  if (failures >= 2) return;  // nothing but an asked-for end or an operator's release touches it (P7)
  if (failures == 1) close_record(now, out);
  if (mode_ != Mode::kLeader) return;
  DecisionContext c = context(now);
  writer_->add_subject(subject);
  decide(c);
  if (failures == 1)
    close_record(now, out);
  else
    close_if_large(now, out);
}

// In a record of its own, without ranges: what was queued before it is taken by the record before.
void Controller::decide_rewind(const Partition& partition, Offset to, const Instant& now, Outputs& out) {
  close_record(now, out);
  if (mode_ != Mode::kLeader) return;
  need_record(now);
  v1::Event e;
  auto* rewound = e.mutable_input_rewound();
  rewound->set_stream(partition.stream == Stream::kRequests ? v1::REQUESTS : v1::REPORTS);
  rewound->set_partition(partition.number);
  rewound->set_to(to);
  writer_->add(std::move(e));
  close_record(now, out);
  if (partition.stream == Stream::kReports) want_facts_again(partition.number);
}

// What agents reported may be lost with the stream's end, and they told it once: a snapshot makes them tell
// what the journal lacks.
void Controller::want_facts_again(std::uint32_t partition) {
  for (const auto& name : projection_->state().agents.sorted_keys())
    if (reports_partition(config_.layout, name).number == partition) snapshot_for_.insert(name);
}

void Controller::decide_clock(const Instant& now, Outputs&) {
  const auto verdict = std::exchange(clock_verdict_, ClockGuard::Verdict::kFine);
  if (verdict == ClockGuard::Verdict::kFine) return;
  need_record(now);
  v1::Event e;
  if (verdict == ClockGuard::Verdict::kJumped)
    e.mutable_clock_jumped()->set_wall_ns(now.wall);
  else
    e.mutable_clock_confirmed()->set_wall_ns(now.wall);
  writer_->add(std::move(e));
}

void Controller::decide_timers(const Instant& now, Outputs& out) {
  if (mode_ != Mode::kLeader || full() || !clock_.may_fire_deadlines()) return;
  const Timestamp time = clock_.header_time(now);
  std::vector<projections::Timer> due;
  for (const auto& timer : projection_->state().timers()) {
    if (timer.due > time || due.size() >= kTimersPerFlush) break;
    if (timer.kind == projections::TimerKind::kStartTime)
      feed_.start_time_reached(*projection_->state().sessions.find(timer.session));
    else
      due.push_back(timer);
  }
  for (const auto& timer : due) {
    if (mode_ != Mode::kLeader) return;
    const auto* session = projection_->state().sessions.find(timer.session);
    if (session == nullptr || session->terminating) continue;
    decide_about("session:" + to_string(timer.session), now, out,
                 [&](DecisionContext& c) { fire_timer(c, timer); });
  }
}

void Controller::decide_lost_agents(const Instant& now, Outputs& out) {
  if (mode_ != Mode::kLeader || full() || !clock_.may_fire_deadlines()) return;
  for (const auto& name : leases_.lost(now.boottime)) {
    leases_.forget(name);
    const AgentRow* agent = projection_->state().agents.find(name);
    if (agent == nullptr || agent->state != AgentState::kAlive) continue;
    decide_about("agent:" + name, now, out, [&](DecisionContext& c) {
      v1::Event e = c.event();
      e.mutable_agent_lost()->set_agent(name);
      e.mutable_agent_lost()->set_incarnation(std::string(agent->incarnation.view()));
      c.emit(std::move(e));
    });
    if (mode_ != Mode::kLeader) return;
  }
}

// One fact, then follow-up records: kernels of a lost agent whose sessions may move, and all of a fenced one
// (P4, P24).
void Controller::follow_up_lost_agents(const Instant& now, Outputs& out) {
  if (mode_ != Mode::kLeader || full() || !feed_.take_lost()) return;
  const auto& state = projection_->state();
  std::vector<std::pair<KernelId, v1::KernelEnd>> ends;
  state.agents.for_each_unordered([&](const AgentRow& agent) {
    if (agent.state != AgentState::kLost) return;
    for (const KernelId& id : state.kernels_on(agent.name)) {
      const auto* kernel = state.kernels.find(id);
      if (agent.fenced)
        ends.emplace_back(id, v1::FENCED);
      else if (kernel->spec->spec.requeueable())
        ends.emplace_back(id, v1::AGENT_LOST);
    }
  });
  std::sort(ends.begin(), ends.end());
  for (const auto& lost : ends) {
    const v1::KernelEnd end = lost.second;
    if (mode_ != Mode::kLeader) return;
    if (full()) return feed_.look_at_lost_again();
    const auto* kernel = projection_->state().kernels.find(lost.first);
    if (kernel == nullptr || !kernel->holds_slots()) continue;
    decide_about("session:" + to_string(kernel->session), now, out, [&](DecisionContext& c) {
      end_kernel(c, *kernel, end, end == v1::FENCED ? "an operator fenced its agent" : "its agent is lost");
    });
  }
}

// One session's end, then a record for each that waited for its success and does not want to wait on.
void Controller::follow_up_dependencies(const Instant& now, Outputs& out) {
  if (mode_ != Mode::kLeader || full()) return;
  const auto& state = projection_->state();
  for (const SessionId& failed : feed_.take_failed_dependencies()) {
    const auto* session = state.sessions.find(failed);
    if (session != nullptr && !projections::is_end(session->status)) continue;  // it may still succeed
    const std::set<SessionId> dependents = state.dependents(failed);
    for (const SessionId& id : dependents) {
      if (full()) {
        feed_.look_at_dependency_again(failed);
        break;
      }
      if (state.sessions.find(id)->spec->spec.wait_on_dependency_failure()) continue;
      decide_about("session:" + to_string(id), now, out,
                   [&](DecisionContext& c) { cancel_dependent(c, *c.state.sessions.find(id)); });
      if (mode_ != Mode::kLeader) return;
    }
  }
}

// Records what was learned, and asks for what is due.
void Controller::decide_learning(const Instant& now, Outputs& out) {
  if (mode_ != Mode::kLeader || full()) return;
  for (const SelectionFound& found : std::exchange(found_, {})) {
    learning_.erase(found.learned.group());
    if (!feed_.learners().contains(found.learned.group())) continue;  // it selects otherwise by now
    decide_about("group:" + found.learned.group(), now, out, [&](DecisionContext& c) {
      v1::Event e = c.event();
      *e.mutable_selection_learned() = found.learned;
      c.emit(std::move(e));
    });
    if (mode_ != Mode::kLeader) return;
  }
  const auto& state = projection_->state();
  for (const auto& [name, policy] : feed_.learners()) {
    const auto* group = state.groups.find(name);
    const auto* mix = state.mixes.find(name);
    if (group == nullptr || mix == nullptr || learning_.contains(name)) continue;
    if (!learning_is_due(group->def, *mix, state.learned.find(name), clock_.header_time(now),
                         config_.learn_after))
      continue;
    auto nodes = placement::empty_nodes(feed_.cluster().model(), name);
    if (nodes.empty() || quarantine_failures("group:" + name) >= 2) continue;
    learning_.insert(name);
    out.learn.push_back(
        {name, policy.select == placement::Select::kBalanced, std::move(nodes), counted_mix(state, name)});
  }
}

void Controller::decide_passes(const Instant& now, Outputs& out) {
  if (mode_ != Mode::kLeader || full()) return;
  feed_.set_now(clock_.header_time(now));
  if (interval_pass_) feed_.cluster().interval_passed();
  feed_.refresh(projection_->state(), clock_.header_time(now));
  const bool count = feed_.take_freed() || std::exchange(interval_pass_, false);
  feed_.limits().release(projection_->state(), feed_.cluster());
  for (const auto& group : feed_.cluster().groups_needing_pass()) {
    feed_.limits().begin_pass(projection_->state());
    PassDecisions decisions(feed_.limits());
    const auto end = placement::pass(feed_.cluster(), group,
                                     {kPassBudget, count, false, clock_.header_time(now)}, decisions);
    out.more = out.more || end.more;
    emit_decisions(decisions, now, out);
    if (mode_ != Mode::kLeader || full()) return;
  }
}

void Controller::emit_decisions(PassDecisions& decisions, const Instant& now, Outputs& out) {
  for (auto& decision : decisions.all) {
    if (mode_ != Mode::kLeader) return;
    if (!decision.victims.empty()) close_record(now, out);  // a plan is one record, however many go (P4)
    if (mode_ != Mode::kLeader) return;
    decide_about("session:" + to_string(decision.session), now, out, [&](DecisionContext& c) {
      const auto* session = c.state.sessions.find(decision.session);
      BERTH_CHECK(session != nullptr, "the scheduler decides about sessions that are PENDING");
      if (decision.what == PassDecision::What::kPlaced) ++counters_.placements;
      emit_decision(c, feed_.cluster(), *session, decision);
    });
  }
}

void Controller::record_chain_head(const Instant& now, Outputs& out) {
  if (mode_ != Mode::kLeader || full() || !chain_point_ || !chain_point_->state_hash) return;
  need_record(now);
  v1::Event e;
  auto* head = e.mutable_chain_head_recorded();
  head->mutable_claim()->set_offset(chain_point_->next);
  head->mutable_claim()->set_rolling(std::string(as_view(chain_point_->rolling)));
  head->set_state_hash(std::string(as_view(*chain_point_->state_hash)));
  projections::to_proto(routed_, head->mutable_routed());
  writer_->add(std::move(e));
  chain_point_.reset();
  close_if_large(now, out);
}

}  // namespace berth::controller
