#include "controller/cell/leader/input_rounds.h"

#include <algorithm>

#include "controller/cell/leader/producer_gate.h"
#include "controller/decide/decide.h"
#include "events/base/wire_time.h"
#include "events/codec/parse_body.h"
#include "events/log/orders_partition.h"

namespace berth::controller {

using projections::AgentRow;

namespace {

constexpr std::size_t kInputsPerFlush = 512;

v1::Event internal_error_of(const LogEntry& entry) {
  v1::Event e;
  auto* error = e.mutable_internal_error_recorded();
  error->set_stream(input_stream(entry.partition));
  error->set_partition(entry.partition.number);
  error->set_offset(entry.offset);
  return e;
}

// A KernelRunning without a kernel: the second net forbids it.
EventList poison() {
  EventList events;
  events.add().mutable_kernel_running()->set_attempt(1);
  return events;
}

}  // namespace

void InputRounds::run(InputQueue& inputs, const Instant& now, Outputs& out) {
  for (std::size_t taken = 0; !inputs.empty() && !decider_.is_full() && taken < kInputsPerFlush; ++taken) {
    const InputQueue::Item item = inputs.pop();
    const LogEntry& entry = item.entry;
    if (item.rewind) {
      rewind(entry.partition, entry.offset, now, out);
      continue;
    }
    const auto failures = decider_.anything_in_quarantine() ? decider_.failures(input_name(entry)) : 0;
    if (failures > 0)
      decide_quarantined(entry, failures, now, out);
    else
      decide(entry, now, out);
    decider_.close_if_large(now, out);
  }
  out.more = out.more || !inputs.empty();
}

void InputRounds::decide(const LogEntry& entry, const Instant& now, Outputs& out) {
  if (entry.partition.stream == Stream::kRequests)
    decide_request_entry(entry, now, out);
  else
    decide_report_entry(entry, now, out);
  decider_.take_input(entry, now);
}

// Decides about the input alone in its record.
void InputRounds::decide_quarantined(const LogEntry& entry, std::uint32_t failures, const Instant& now,
                                     Outputs& out) {
  decider_.close(now, out);
  if (decider_.is_broken()) return;
  if (failures < Decider::kGivenUp)
    decide(entry, now, out);
  else
    give_up(entry, now);
  decider_.close(now, out);
}

// The decision about the input was forbidden twice: the input is taken, and its asker is told (P7).
void InputRounds::give_up(const LogEntry& entry, const Instant& now) {
  decider_.take_input(entry, now);
  v1::Event e = internal_error_of(entry);
  v1::Request request;
  if (parse_body(verifier_.open(Channel::kRequest, entry.payload), request)) {
    e.set_actor(request.actor());
    e.set_request_id(request.id());
  }
  decider_.add_own(std::move(e), now);
}

void InputRounds::decide_request_entry(const LogEntry& entry, const Instant& now, Outputs& out) {
  ++counters_.requests;
  v1::Request request;
  if (const auto refused = read_request(state_, verifier_, entry.payload, request)) {
    ++counters_.dropped;
    counters_.producers_refused.count(*refused);
    return;
  }
  // A producer of its own stamps one time alone: its wall clock.
  const std::int64_t wall = request.wall_ms() != 0 ? request.wall_ms() : request.sent_ms();
  clock_.witness(now, from_wire_ms(wall));
  decider_.begin_input(entry, now, out);
  if (decider_.is_broken()) return;
  bool confirms_clock = false;
  std::optional<ProducerRefusal> refused;
  (void)decider_.apply(now, out, [&](const DecisionContext& c) {  // decide_request bounds what it answers
    EventList events = config_.poison && config_.poison(request) ? poison() : decide_request(c, request);
    confirms_clock =
        std::any_of(events.begin(), events.end(), [](const auto& e) { return e.has_clock_confirmed(); });
    refused = refusal_in(events);
    return events;
  });
  if (confirms_clock) clock_.confirm(now);
  if (refused && producer_of(request.actor())) counters_.producers_refused.count(*refused);
}

void InputRounds::decide_report_entry(const LogEntry& entry, const Instant& now, Outputs& out) {
  ++counters_.reports;
  const auto envelope = verifier_.open(Channel::kReport, entry.payload);
  v1::Report report;
  const AgentRow* agent = parse_body(envelope, report) ? state_.agents.find(report.agent()) : nullptr;
  if (agent == nullptr || envelope->writer != "agent:" + report.agent() ||
      envelope->generation != agent->generation) {
    ++counters_.dropped;
    return;
  }
  decider_.begin_input(entry, now, out);
  bool snapshot = false, left = false;
  for (const ReportPart& part : parts_of(report)) {
    if (decider_.is_broken()) return;
    const bool fits = decider_.apply(now, out, [&](const DecisionContext& c) {
      PartDecision decision = controller::decide(c, report, part);
      snapshot = snapshot || decision.snapshot;
      left = std::holds_alternative<LeavingPart>(part) && !decision.events.empty();
      return std::move(decision.events);
    });
    if (!fits) decider_.add_own(internal_error_of(entry), now);  // a join that names more than a record holds
  }
  if (decider_.is_broken()) return;
  if (snapshot && !left && is_of_its_incarnation(state_, report)) snapshot_for_.insert(report.agent());
}

// The record before takes all inputs that were queued before the rewind; the rewind's own has no ranges.
void InputRounds::rewind(const Partition& partition, Offset to, const Instant& now, Outputs& out) {
  decider_.close(now, out);
  if (decider_.is_broken()) return;
  v1::Event e;
  auto* rewound = e.mutable_input_rewound();
  rewound->set_stream(input_stream(partition));
  rewound->set_partition(partition.number);
  rewound->set_to(to);
  decider_.add_own(std::move(e), now);
  decider_.close(now, out);
  if (partition.stream == Stream::kReports) want_facts_again(partition.number);
}

// What agents reported may be lost with the stream's end, and they told it once: a snapshot makes them tell
// what the journal lacks.
void InputRounds::want_facts_again(std::uint32_t partition) {
  for (const auto& name : state_.agents.sorted_keys())
    if (reports_partition(config_.layout, name).number == partition) snapshot_for_.insert(name);
}

}  // namespace berth::controller
