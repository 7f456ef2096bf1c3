#include "controller/decide/keeping/history.h"

#include "controller/decide/decide.h"

namespace berth::controller {
namespace {

constexpr std::int64_t kKeepMostMs = 100LL * 366 * 24 * kHour / kMillisecond;

std::string days(Duration duration) { return std::to_string(duration / (24 * kHour)) + " days"; }

}  // namespace

std::optional<Timestamp> prune_due(const projections::State& state, Timestamp now) {
  const auto& kept = state.kept();
  if (kept.history_keep_ms == 0) return std::nullopt;
  const Timestamp before = (now - kept.history_keep_ms * kMillisecond) / kPruneStep * kPruneStep;
  if (before <= kept.pruned_before || before <= 0) return std::nullopt;
  return before;
}

EventList prune_by_rule(const DecisionContext& c) {
  EventList events;
  if (const auto before = prune_due(c.state, c.now))
    events.add(c.stamp).mutable_history_pruned()->set_before_ns(*before);
  return events;
}

Decision decide(const DecisionContext& c, const v1::SetHistoryRule& body) {
  const bool is_short = body.keep_ms() != 0 && body.keep_ms() < kHistoryKeptMin / kMillisecond;
  if (is_short || body.keep_ms() < 0 || body.keep_ms() > kKeepMostMs)
    return Refusal{"history-keep-out-of-range", "history is kept for " + days(kHistoryKeptMin) + " at least",
                   "or for ever: berth cluster history --keep forever"};
  EventList events;
  events.add(c.stamp).mutable_history_rule_set()->set_keep_ms(body.keep_ms());
  return events;
}

Decision decide(const DecisionContext& c, const v1::PruneHistory& body) {
  const Timestamp before = from_wire_ms(body.before_ms());
  if (before <= c.state.kept().pruned_before)
    return Refusal{"history-pruned-already", "history is pruned up to there already",
                   "berth cluster history shows up to when"};
  if (before > c.now - kHistoryKeptMin)
    return Refusal{"history-too-recent", "the last " + days(kHistoryKeptMin) + " of history stay",
                   "name a time before that"};
  EventList events;
  events.add(c.stamp).mutable_history_pruned()->set_before_ns(before);
  return events;
}

}  // namespace berth::controller
