#include "controller/api/live/event_counts.h"

#include <algorithm>

namespace berth::controller {
namespace {

std::size_t fields_of_event() {
  int most = 0;
  const auto* event = v1::Event::descriptor();
  for (int i = 0; i < event->field_count(); ++i) most = std::max(most, event->field(i)->number());
  return static_cast<std::size_t>(most) + 1;
}

}  // namespace

EventCounts::EventCounts() : by_field_(fields_of_event()) {}

void EventCounts::count(const v1::Record& applied) {
  for (const v1::Event& event : applied.events())
    by_field_[static_cast<std::size_t>(event.body_case())].fetch_add(1, std::memory_order_relaxed);
  total_.fetch_add(static_cast<std::uint64_t>(applied.events_size()), std::memory_order_relaxed);
}

std::string EventCounts::text() const {
  std::string text =
      "# HELP berth_events_applied_total Events that took effect, read since this process started.\n"
      "# TYPE berth_events_applied_total counter\n";
  for (std::size_t number = 1; number < by_field_.size(); ++number) {
    const std::uint64_t count = by_field_[number].load(std::memory_order_relaxed);
    const auto* field = v1::Event::descriptor()->FindFieldByNumber(static_cast<int>(number));
    if (count == 0 || field == nullptr || field->message_type() == nullptr) continue;
    text += "berth_events_applied_total{type=\"" + field->message_type()->name() + "\"} " +
            std::to_string(count) + "\n";
  }
  return text;
}

}  // namespace berth::controller
