#include "controller/cell/leader/decider.h"

namespace berth::controller {

void Decider::open(const Instant& now) {
  if (pipeline_.writer().is_open()) return;
  const Timestamp time = clock_.header_time(now);
  feed_.set_now(time);
  pipeline_.writer().open(time);
}

DecisionContext Decider::context(const Instant& now) {
  open(now);
  RecordWriter& writer = pipeline_.writer();
  return {state_,
          writer.position(),
          writer.time(),
          in_history_,
          [&writer](v1::Event e) { writer.add(std::move(e)); },
          {},
          {},
          {}};
}

void Decider::take_input(const LogEntry& entry, const Instant& now) {
  open(now);
  pipeline_.writer().take_input(entry.partition, entry.offset, crc32c(entry.payload));
}

void Decider::add(v1::Event event, const Instant& now) {
  open(now);
  pipeline_.writer().add(std::move(event));
}

std::uint32_t Decider::failures(const std::string& what) const {
  if (!anything_in_quarantine()) return 0;
  const auto* row = state_.quarantine.find(what);
  return row != nullptr ? row->failures : 0;
}

}  // namespace berth::controller
