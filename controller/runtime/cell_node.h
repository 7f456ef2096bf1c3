// CellNode: one process's part in a cell. It follows the journal into a durable projection, stands for
// election and leads.
//
//   journal --> [projector thread] --> RocksDB rows
//                    |  records read back
//                    v
//   inputs, beats -> [strand: Controller] --> appends (journal, orders, acks, heartbeats)
//
// Readers on other threads see only the durable state, under a shared lock, and the counters and flags that
// the strand publishes.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "controller/api/live/event_counts.h"
#include "controller/api/live/scheduling_times.h"
#include "controller/cell/controller.h"
#include "controller/runtime/core_queue.h"
#include "controller/runtime/explainer.h"
#include "controller/runtime/health.h"
#include "controller/runtime/input_feed.h"
#include "controller/runtime/learner.h"
#include "controller/runtime/log/log_probe.h"
#include "controller/runtime/point_desk.h"
#include "controller/runtime/sessions/session_watch.h"
#include "controller/runtime/truncation_note.h"
#include "controller/runtime/void_list.h"
#include "projections/store/journal_follower.h"

namespace berth::controller {

struct CellNodeConfig {
  ControllerConfig controller;
  projections::ProjectorOptions projector;
  projections::FollowerOptions follower;
  bool may_lead = true;         // false: an API server or auditor, which only follows
  std::string voids_file;       // of the VoidList
  std::string truncation_file;  // of the TruncationNote
  // A journal that ends too early is asked again so long at the start: a new leader of Kafka's may tell a
  // lower end at first, and a log that was just opened does not know better.
  Duration lower_end_patience = 0;
};

// Called for a follower of the node, on the projector thread, without the state's lock and in journal order.
// Must be quick.
using OnRecord = std::function<void(Offset, const std::shared_ptr<const v1::Record>&)>;  // null record: void
using OnBatch = std::function<void(Offset next)>;
// The records from `from` on were told in vain: the node reads them anew, and has read those before `next`
// (P12).
using OnRebuilt = std::function<void(Offset from, Offset next)>;

class CellNode final : public projections::ProjectionObserver {
 public:
  // All must outlive the node.
  CellNode(CellNodeConfig config, EventLog& log, projections::Store& store, const Clock& clock,
           RandomSource& random);
  ~CellNode() override { stop(); }

  // Loads the store. Codes: those of Projector::open, JournalFollower::open and EventLog.
  Result<void> start();
  // Writes the folded state. Idempotent.
  void stop();
  // Set before start().
  void set_follower(OnRecord on_record, OnBatch on_batch, OnRebuilt on_rebuilt) {
    on_record_ = std::move(on_record);
    on_batch_ = std::move(on_batch);
    on_rebuilt_ = std::move(on_rebuilt);
  }
  // Of the durable state's rows, or nullptr: at most one listener. Returns when no call is under way.
  void set_row_listener(RowListener* listener) {
    const std::unique_lock lock(state_mutex_);
    rows_.listener = listener;
  }
  // Before start(); it outlives the node.
  void add_watch(SessionWatch* watch) { rows_.watches.push_back(watch); }
  // Called once, from any thread of the node, if the node must stop: the journal is beyond this build, or the
  // log is corrupt.
  void set_on_fatal(std::function<void(const std::string&)> on_fatal) { on_fatal_ = std::move(on_fatal); }

  // Calls `f` with the durable projection, under the shared lock: must be quick.
  template <class F> auto read(F f) const {
    const std::shared_lock lock(state_mutex_);
    return f(projector_.projection());
  }
  // Why a session waits; milliseconds on a large cell, during which the fold goes on.
  Explanation why(const SessionId& session, const SeesSession& sees) const;
  std::optional<StartEstimate> estimate_start(const SessionId& session) const;
  // Of sessions that are asked for: that no agent could ever hold one; else empty.
  std::string never_warning(const v1::SessionSpec& spec) const;
  std::array<placement::Calibration, 2> calibration() const;
  // The outcome that a request for sessions would have; as why().
  // Codes: those of Store::find_history.
  Result<DryRunAnswer> dry_run(const v1::Request& request, const SeesSession& sees) const;
  // Where the projection was written last, with its state hash: at most a moment behind next().
  projections::ChainPoint chain_point() const { return points_.point(); }
  // Of the newest record: asks the projector thread and waits for it. Codes: not-ready, stopping.
  Result<projections::ChainPoint> chain_point_now();

  bool leading() const { return leading_; }
  bool deciding() const { return deciding_; }
  // The bound of records in flight is reached, and none has come back for long (P20).
  bool full() const { return full_; }
  Offset next() const { return next_; }
  // Header time of the newest record that applied, or of the leader's heartbeat, the later one; 0: neither
  // was heard yet. A node that may not lead hears no heartbeats.
  Timestamp header_time() const { return std::max(record_time_.load(), heartbeat_time_.load()); }
  // The cluster's time now: as the newest heartbeat told it, and what the boottime clock has counted since.
  // The wall clock until a heartbeat was heard.
  Timestamp now() const;
  const VoidList& voids() const { return voids_; }
  // ApiContext::catches_up().
  bool catches_up() const { return catches_up_; }
  TruncationNote& truncation() { return truncation_; }
  // What the journal lost, at its end or its beginning, is given up. Code: state-unwritable.
  Result<void> accept_truncation() { return truncation_.accept(health_->journal_begin()); }
  ControllerCounters counters() const;
  const SchedulingTimes& scheduling_times() const { return times_; }
  const EventCounts& event_counts() const { return events_; }
  // What the node knows of NodeFacts: not the space on disk.
  NodeFacts facts() const;
  std::vector<ReadyCheck> ready() const;

  // ProjectionObserver, on the projector thread.
  void before_change() override { state_mutex_.lock(); }
  void after_change() override { state_mutex_.unlock(); }
  void on_record(const LogEntry& entry, const projections::ApplyOutcome& outcome,
                 const projections::Projection& projection) override;
  void on_chain_point(const projections::ChainPoint& point) override;
  void on_rebuilt(const Error& why, Offset from) override;
  void on_warning(const Error& error) override;

 private:
  // Tells all of those who follow the rows, under the exclusive lock.
  struct RowTee {
    Explainer& explainer;
    SchedulingTimes& times;
    const projections::Projector& projector;
    std::vector<SessionWatch*> watches = {};
    RowListener* listener = nullptr;
    template <class Row> void on_row(const Row* before, const Row* after) {
      explainer.on_row(before, after);
      if constexpr (requires { times.on_row(before, after); }) times.on_row(before, after);
      if constexpr (requires { listener->on_row(before, after); })
        if (listener != nullptr) listener->on_row(before, after);
      if constexpr (std::is_same_v<Row, projections::SessionRow>)
        for (SessionWatch* watch : watches) watch->on_session(projector.projection().state(), before, after);
    }
  };
  struct Read {
    Offset offset;
    std::shared_ptr<const v1::Record> record;
  };
  void run_projector();
  void run_strand();
  void flush(Outputs& out);
  void do_outputs(Outputs& out);
  void answer_strand();
  void glance_at_journal();
  bool compare_with_log();
  void after_step();
  void answer_points();
  void tell_follower();
  std::optional<PastSession> in_history(const SessionId& id);
  Result<void> open_follower();
  void note_truncation();
  void tell_point();
  Offset next_input(const Partition& partition) const;
  void fatal(const std::string& why);

  CellNodeConfig config_;
  EventLog& log_;
  projections::Store& store_;
  const Clock& clock_;
  RandomSource& random_;
  mutable std::shared_mutex state_mutex_;
  projections::Projector projector_;
  mutable Explainer explainer_;
  SchedulingTimes times_;
  RowTee rows_{explainer_, times_, projector_};  // guarded by state_mutex_
  projections::JournalFollower follower_;
  CoreQueue queue_;
  InputFeed feed_;
  Learner learner_;
  std::unique_ptr<Controller> controller_;  // strand only
  bool history_fails_ = false;              // strand only: what it decides is worth nothing
  OnRecord on_record_;
  OnBatch on_batch_;
  OnRebuilt on_rebuilt_;
  std::function<void(const std::string&)> on_fatal_;

  std::thread projector_thread_;
  std::thread strand_thread_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> started_ = false;
  std::atomic<bool> ended_ = false;  // on_fatal_ was called
  std::atomic<bool> leading_ = false;
  std::atomic<bool> deciding_ = false;
  std::atomic<bool> full_ = false;
  std::atomic<bool> reload_wanted_ = false;
  std::atomic<bool> journal_end_wanted_ = false;
  std::atomic<bool> glance_wanted_ = false;
  std::atomic<Offset> next_ = 0;
  std::atomic<Timestamp> record_time_ = 0;  // header time of the state
  std::atomic<Timestamp> heartbeat_time_ = 0;
  std::atomic<Duration> ahead_ = 0;     // header time, of the boottime clock; 0: no heartbeat was heard
  std::atomic<Timestamp> read_at_ = 0;  // boottime: the journal last gave a record
  VoidList voids_;
  PointDesk points_;
  TruncationNote truncation_;
  std::atomic<bool> catches_up_ = true;
  const std::shared_ptr<Health> health_ =
      std::make_shared<Health>();  // the log may report when the node is gone
  LogProbe probe_;
  std::optional<Offset> rebuilt_from_;  // projector thread: by the step under way
  bool suspicious_ = false;  // projector thread: a void record hints at a journal that was replaced
  Timestamp compared_at_ = 0;
  Timestamp point_told_at_ = 0;  // projector thread: boottime
  Offset point_told_ = 0;
  std::vector<Input> forward_;  // projector thread: journal records for the strand
  std::vector<Read> told_;      // projector thread: for on_record_
  mutable std::mutex counters_mutex_;
  ControllerCounters counters_;
  std::vector<AgentBeat> beats_;  // guarded by counters_mutex_
  EventCounts events_;
  std::atomic<Timestamp> flushed_at_ = 0;  // boottime
};

}  // namespace berth::controller
