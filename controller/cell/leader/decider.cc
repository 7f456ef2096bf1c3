#include "controller/cell/leader/decider.h"

#include "controller/decide/decide.h"

namespace berth::controller {

std::string input_name(const LogEntry& entry) {
  return to_string(entry.partition) + "@" + std::to_string(entry.offset);
}

void Decider::open(const Instant& now) {
  if (pipeline_.writer().is_open()) return;
  const Timestamp time = clock_.header_time(now);
  feed_.set_now(time);
  pipeline_.writer().open(time);
}

// Beside the events there is room for settling each session of which they end a kernel: an end and what
// follows from it are never cut apart, since nothing would settle the session if the second record were lost.
bool Decider::fits(const EventList& events) const {
  std::size_t ends = 0;
  for (const auto& event : events) ends += event.has_kernel_terminated() ? 1 : 0;
  return pipeline_.writer().fits(events.bytes() + ends * kSettleBytesMax);
}

DecisionContext Decider::context(const Instant& now) {
  open(now);
  return {state_, pipeline_.writer().position(), pipeline_.writer().time(), in_history_};
}

void Decider::close_if_past(const Instant& now, Outputs& out) {
  const auto& writer = pipeline_.writer();
  if (writer.is_open() && writer.time() < clock_.header_time(now)) pipeline_.close(now, out);
}

// An input may be what shows that the clock is right (P16). It is decided at that time.
void Decider::begin_input(const LogEntry& entry, const Instant& now, Outputs& out) {
  close_if_past(now, out);
  if (is_broken()) return;
  open(now);
  input_ = &entry;
}

void Decider::take_input(const LogEntry& entry, const Instant& now) {
  input_ = nullptr;
  if (is_broken()) return;
  open(now);
  pipeline_.writer().take_input(entry.partition, entry.offset, crc32c(entry.payload));
}

// Closes the record, and goes on with the same subject or input in a new one. The closed record does not take
// the input, so it names the input as a subject: were the record forbidden, nothing else would say what to
// put into quarantine.
void Decider::cut(const Instant& now, Outputs& out) {
  if (input_ != nullptr) pipeline_.writer().add_subject(input_name(*input_));
  pipeline_.close(now, out);
  if (is_broken()) return;
  open(now);
  if (!subject_.empty()) pipeline_.writer().add_subject(subject_);
}

void Decider::add(EventList events, const Instant& now, Outputs& out) {
  struct Ended {
    SessionId session;
    Stamp stamp;
  };
  std::vector<Ended> ended;
  for (const auto& event : events) {
    if (!event.has_kernel_terminated()) continue;
    const auto id = Uuid::from_bytes(event.kernel_terminated().kernel_id());
    const auto* kernel = id ? state_.kernels.find(KernelId(*id)) : nullptr;
    if (kernel != nullptr)
      ended.push_back({kernel->session, {event.actor(), event.request_id(), event.trace()}});
  }
  pipeline_.writer().add(std::move(events));
  for (const Ended& one : ended)
    (void)apply(now, out, [&](DecisionContext c) {  // always small
      c.stamp = one.stamp;
      return settle(c, one.session);
    });
}

void Decider::give_up(const Instant& now) {
  v1::Event e;
  e.mutable_internal_error_recorded()->set_subject(subject_);
  add_own(std::move(e), now);
}

void Decider::add_own(v1::Event event, const Instant& now) {
  open(now);
  pipeline_.writer().add(std::move(event));
}

std::uint32_t Decider::failures(const std::string& what) const {
  if (!anything_in_quarantine()) return 0;
  const auto* row = state_.quarantine.find(what);
  if (row == nullptr) return 0;
  return row->answered ? kGivenUp : row->failures;
}

}  // namespace berth::controller
