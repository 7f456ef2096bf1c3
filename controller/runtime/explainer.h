// Explainer: Answers for several threads, worked out one after the other over a copy of the durable state.
//
// The fold waits for no answer: its thread tells on_row() of each change under the exclusive lock of the
// state, and that only appends to a queue. Whoever asks first applies the queue to the copy; while nobody
// asks, the fold's thread does that itself now and then. The copy is made at the first question, under the
// shared lock of the state: a process that is never asked has none.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "controller/answers/answers.h"
#include "controller/answers/rooms.h"

namespace berth::controller {

class Explainer {
 public:
  using Read = std::function<void(const projections::State&)>;
  // Calls its argument with the durable state, under the shared lock.
  using WithState = std::function<void(const Read&)>;

  explicit Explainer(WithState with_state) : with_state_(std::move(with_state)) {}

  Explanation why(Timestamp now, const SessionId& session, const SeesSession& sees);
  DryRunAnswer dry_run(Timestamp now, const v1::Request& request, const InHistory& in_history,
                       const SeesSession& sees);
  std::optional<StartEstimate> estimate_start(Timestamp now, const SessionId& session);
  std::array<placement::Calibration, 2> calibration();
  // Waits for no other question. `state` is the durable one, under its shared lock.
  std::string never_warning(const projections::State& state, const v1::SessionSpec& spec);

  // Call it before the first question.
  void seed(const std::vector<projections::HistoryEntry>& newest_first, const projections::State& state) {
    answers_.seed(newest_first, state);
  }
  // The state was replaced by another. Under the exclusive lock; a question that is under way ends with the
  // copy of the old one.
  void forget();

  // State::set_listener. Under the exclusive lock.
  template <class Row> void on_row(const Row* before, const Row* after) {
    if constexpr (requires { rooms_.on_row(before, after); }) rooms_.on_row(before, after);
    take_down(before, after);
  }

 private:
  using Change = std::function<void(Explainer&)>;

  // Before there is a copy only the ends of sessions are of use, for estimates.
  template <class Row> void take_down(const Row* before, const Row* after) {
    constexpr bool kSession = std::is_same_v<Row, projections::SessionRow>;
    if (follows_)
      append(after != nullptr ? put(*after) : erase<Row>(before->key()));
    else if constexpr (kSession)
      append(note(before, after));
  }
  template <class Row> static Change put(const Row& row) {
    return [row](Explainer& e) { e.table<Row>().put(row); };
  }
  template <class Row> static Change erase(const typename Row::Key& key) {
    return [key](Explainer& e) { e.table<Row>().erase(key); };
  }
  static Change note(const projections::SessionRow* before, const projections::SessionRow* after);
  // Of the copy.
  template <class Row> projections::Table<Row>& table() {
    projections::Table<Row>* found = nullptr;
    projections::State::each_table(*copy_, [&found](auto& table) {
      if constexpr (std::is_same_v<decltype(table), projections::Table<Row>&>) found = &table;
    });
    return *found;
  }
  void append(Change change);
  // REQUIRES, of both: the caller holds mutex_.
  void catch_up(bool with_copy);
  void apply(const std::vector<Change>& changes);

  const WithState with_state_;
  std::mutex mutex_;  // of questions: the copy and what is worked out on it
  std::unique_ptr<projections::State> copy_;
  Answers answers_;
  bool follows_ = false;    // the copy follows the state; read and written under a lock of the state
  std::mutex queue_mutex_;  // held for as long as it takes to append or to swap
  std::vector<Change> queue_;
  std::mutex rooms_mutex_;  // of warnings
  Rooms rooms_;
};

}  // namespace berth::controller
