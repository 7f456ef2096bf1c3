// RowFeed: the rows that changed lately, for all who watch rows. The fold tells which rows it changes; a
// moment later a batch copies them from the state, and watchers pull batches, so one that reads slowly costs
// nothing.
//
// Nothing is kept of a table that nobody watches.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "controller/api/api_context.h"
#include "controller/api/http/workers.h"
#include "controller/api/live/live_sessions.h"
#include "controller/api/live/row_batch.h"
#include "controller/api/live/row_view.h"
#include "controller/api/live/session_texts.h"
#include "controller/api/live/watched_row.h"

namespace berth::controller::api {

class RowWatcher;

// Thread-safe. Must outlive its streams.
class RowFeed final : public RowListener {
 public:
  struct Limits {
    std::chrono::milliseconds gap{20};          // between two batches, at least
    std::chrono::milliseconds gap_of_many{50};  // where more than `many` watch
    std::size_t many = 100;
    std::chrono::milliseconds row_gap{100};     // between two tellings of one row, at least
    std::chrono::milliseconds position{5'000};  // between two frames that tell the position, at most
    std::chrono::milliseconds linger{60'000};   // a table is kept for so long when nobody watches it any more
    std::size_t rows = 20'000;                  // kept in memory
    std::size_t rows_at_once = 4'096;           // handed to a watcher
  };
  // `idle`: a browser session that nobody used for so long has ended.
  RowFeed(ApiContext& context, Workers& quick, Limits limits, Duration idle)
      : context_(context), quick_(quick), limits_(limits), idle_(idle) {}

  void start() { context_.set_row_listener(this); }
  // No more calls; every stream ends.
  void stop();

  // A stream of what `view` shows. `after`: all up to this position is known to the client; without it the
  // stream begins now. The view is taken from the state at the position where the stream begins.
  std::shared_ptr<FrameStream> watch(const Caller& caller, const WatchFilter& filter,
                                     std::optional<Offset> after);

  std::size_t watchers() const;
  // Kept here, since the rows' changes are told to one listener.
  LiveSessions& live_sessions() { return live_sessions_; }
  SessionTexts& session_texts() { return session_texts_; }

  void on_row(const projections::SessionRow* before, const projections::SessionRow* after) override;
  void on_row(const projections::SessionShareRow* before, const projections::SessionShareRow* after) override;
  void on_row(const projections::KernelRow* before, const projections::KernelRow* after) override;
  void on_row(const projections::AgentRow* before, const projections::AgentRow* after) override;
  void on_row(const projections::SlotTypeRow* before, const projections::SlotTypeRow* after) override;
  void on_row(const projections::GroupRow* before, const projections::GroupRow* after) override;
  void on_row(const projections::DomainRow* before, const projections::DomainRow* after) override;
  void on_row(const projections::ProjectRow* before, const projections::ProjectRow* after) override;
  void on_row(const projections::UserRow* before, const projections::UserRow* after) override;
  void on_row(const projections::KeyPairRow* before, const projections::KeyPairRow* after) override;
  void on_row(const projections::ProducerRow* before, const projections::ProducerRow* after) override;
  void on_row(const projections::ImageRow* before, const projections::ImageRow* after) override;
  void on_row(const projections::LimitRow* before, const projections::LimitRow* after) override;
  void on_row(const projections::PresetRow* before, const projections::PresetRow* after) override;
  void on_row(const projections::PasswordRow* before, const projections::PasswordRow* after) override;
  void on_row(const projections::LoginLinkRow* before, const projections::LoginLinkRow* after) override;
  void on_row(const projections::BrowserSessionRow* before,
              const projections::BrowserSessionRow* after) override;
  void on_replaced() override;

 private:
  friend class RowWatcher;
  using Time = std::chrono::steady_clock::time_point;
  using Batches = std::vector<std::shared_ptr<const RowBatch>>;
  // What changed since a batch.
  struct Touched {
    std::set<SessionId> sessions;
    std::map<SessionId, std::vector<projections::SessionShare>> shares;  // of which sessions, with those that
                                                                         // were withdrawn
    std::set<SessionId> ending;    // whose kernels look different on their agents
    std::set<std::string> agents;  // whose sessions look different, since the agent has gone or is back
    std::map<RowKey, Audience> rows;
    std::vector<RightsChange> changes;
    bool empty() const {
      return sessions.empty() && shares.empty() && ending.empty() && agents.empty() && rows.empty() &&
             changes.empty();
    }
  };
  struct Watched {
    std::weak_ptr<RowWatcher> watcher;
    WatchedTables tables;
  };
  struct KeptTable {
    bool kept = false;  // by who watches it, or watched it a moment ago
    std::size_t watchers = 0;
    Time watched;     // when somebody watched it last
    Offset from = 0;  // rows that changed after this position were kept
  };
  enum class Life : std::uint8_t { kGoesOn, kStopped, kRebuilt, kBehind };
  struct Look {
    Life life = Life::kGoesOn;
    Batches batches;
  };
  // The next batches for a watcher, at most about rows_at_once.
  Look look(std::uint64_t next, std::uint64_t rebuilds) const;
  // The view's position, if every row that changed up to there is in a batch before `next`.
  std::optional<Offset> told_up_to(std::uint64_t next);
  void forget(const RowWatcher* watcher);

  // REQUIRES, of all below but build(): the caller holds mutex_.
  void begin(const StateView& view, const WatchedTables& tables);
  bool keeps(WatchedTable table) const { return tables_[static_cast<std::size_t>(table)].kept; }
  // Whether all that changed after that position in these tables is still there.
  bool reaches_back(Offset position, const WatchedTables& tables) const;
  void let_go_of_tables();
  void note_sign_in(const projections::BrowserSessionRow& row);
  void end();
  void touch(WatchedTable table, const std::string& key, const Audience& before = {});
  void touch_limits(const projections::OwnerPtr& owner);
  void touch_counts_of(const v1::Owner& owner);
  void touch_memberships_of(const v1::UserDefined& user);
  void change_rights(RightsChange::Of of, const std::string& id, Code code);
  void plan();
  Touched take(bool complete);
  void publish(std::shared_ptr<RowBatch> batch);

  void build();
  void wake_all();
  // Browser sessions that are over end without an event; again and again as long as they are watched.
  void end_sign_ins();

  ApiContext& context_;
  Workers& quick_;
  const Limits limits_;
  LiveSessions live_sessions_;
  SessionTexts session_texts_;
  const Duration idle_;
  mutable std::mutex mutex_;  // taken while a lock of the state is held, never the other way round
  bool active_ = false;
  bool stopped_ = false;
  bool planned_ = false;
  std::uint64_t rebuilds_ = 0;
  Touched touched_;
  RowOwners owners_;
  std::set<SessionId> told_sessions_;  // told since the last complete batch, it included
  std::set<RowKey> told_rows_;
  Time built_;     // the last batch
  Time complete_;  // the last complete one
  std::array<KeptTable, kWatchedTables.size()> tables_;
  bool ending_sign_ins_ = false;
  std::deque<std::shared_ptr<const RowBatch>> ring_;
  std::size_t rows_in_ring_ = 0;
  std::uint64_t next_ = 1;  // number of the next batch
  Offset from_ = 0;         // rows that changed after this position are in the ring, or touched
  std::map<const RowWatcher*, Watched> watchers_;
};

}  // namespace berth::controller::api
