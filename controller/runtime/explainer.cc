#include "controller/runtime/explainer.h"

#include <optional>

namespace berth::controller {

using projections::SessionRow;
using projections::State;

namespace {

constexpr std::size_t kQueued = 256;  // changes from which on the fold's thread applies them, if nobody asks

}  // namespace

Explanation Explainer::why(Timestamp now, const SessionId& session, const SeesSession& sees) {
  const std::lock_guard lock(mutex_);
  catch_up(true);
  return answers_.why(*copy_, now, session, sees);
}

DryRunAnswer Explainer::dry_run(Timestamp now, const v1::Request& request, const InHistory& in_history,
                                const SeesSession& sees) {
  const std::lock_guard lock(mutex_);
  catch_up(true);
  return answers_.dry_run(*copy_, now, request, in_history, sees);
}

std::optional<StartEstimate> Explainer::estimate_start(Timestamp now, const SessionId& session) {
  const std::lock_guard lock(mutex_);
  catch_up(true);
  return answers_.estimate_start(*copy_, now, session);
}

std::array<placement::Calibration, 2> Explainer::calibration() {
  const std::lock_guard lock(mutex_);
  catch_up(false);
  return answers_.calibration();
}

std::string Explainer::never_warning(const State& state, const v1::SessionSpec& spec) {
  const std::lock_guard lock(rooms_mutex_);
  return rooms_.warning(state, spec);
}

void Explainer::forget() {
  rooms_.forget();
  follows_ = false;
  const std::lock_guard lock(queue_mutex_);
  queue_.clear();
  queue_.emplace_back([](Explainer& e) { e.answers_.forget(); });
}

Explainer::Change Explainer::note(const SessionRow* before, const SessionRow* after) {
  const auto copy = [](const SessionRow* row) { return row == nullptr ? std::nullopt : std::optional(*row); };
  return [before = copy(before), after = copy(after)](Explainer& e) {
    e.answers_.on_row(before ? &*before : nullptr, after ? &*after : nullptr);
  };
}

void Explainer::append(Change change) {
  {
    const std::lock_guard lock(queue_mutex_);
    queue_.push_back(std::move(change));
    if (queue_.size() < kQueued) return;
  }
  const std::unique_lock asking(mutex_, std::try_to_lock);
  if (!asking) return;
  std::vector<Change> changes;
  {
    const std::lock_guard lock(queue_mutex_);
    changes.swap(queue_);
  }
  apply(changes);
}

// The queue is taken under the state's lock: it ends with a whole record then.
void Explainer::catch_up(bool with_copy) {
  std::vector<Change> changes;
  with_state_([&](const State& state) {
    const std::lock_guard lock(queue_mutex_);
    changes.swap(queue_);
    if (!with_copy || follows_) return;
    copy_ = std::make_unique<State>(state);
    State::each_table(*copy_, [](auto& table) { table.stop_tracking(); });
    copy_->set_listener(&answers_);
    follows_ = true;
  });
  apply(changes);
}

void Explainer::apply(const std::vector<Change>& changes) {
  for (const Change& change : changes) change(*this);
  if (copy_) copy_->commit();
}

}  // namespace berth::controller
