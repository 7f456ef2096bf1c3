// One controller's node with its API context: a log in memory, a store on disk, the machine's clock.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "controller/runtime/api_node.h"
#include "events/base/secrets.h"
#include "events/base/system_clock.h"
#include "projections/store/rocks/rocks_store.h"
#include "tests/support/ids.h"
#include "tests/support/log/threaded_memory_log.h"
#include "tests/support/temp_dir.h"

namespace berth::testing {

inline constexpr Partition kJournal{Stream::kJournal, 0};

// A store whose history can be made unreadable, or have a session more.
class FragileStore final : public projections::Store {
 public:
  explicit FragileStore(std::unique_ptr<projections::Store> inner) : inner_(std::move(inner)) {}
  void fail_history() { history_fails_ = true; }
  void keep(projections::HistoryEntry entry) { kept_ = std::move(entry); }

  Result<void> write(const projections::StoreBatch& batch) override { return inner_->write(batch); }
  Result<void> checkpoint() override { return inner_->checkpoint(); }
  Result<void> reset(Offset not_after) override { return inner_->reset(not_after); }
  Result<std::optional<projections::StoreMeta>> read_meta() override { return inner_->read_meta(); }
  Result<void> read_rows(const std::function<bool(const projections::LoadedRow&)>& row) override {
    return inner_->read_rows(row);
  }
  Result<std::deque<projections::ChainPoint>> read_chain() override { return inner_->read_chain(); }
  void keep_history_from(Timestamp time) override { inner_->keep_history_from(time); }
  Result<bool> prune() override { return inner_->prune(); }
  Result<std::optional<projections::HistoryEntry>> find_history(const SessionId& id) const override {
    if (history_fails_) return make_error("store-failed", "told to fail");
    if (kept_ && kept_->session.id == id) return kept_;
    return inner_->find_history(id);
  }
  Result<projections::HistoryPage> read_history(std::size_t limit, const std::string& token) const override {
    return inner_->read_history(limit, token);
  }
  Result<std::optional<projections::HistoryEntry>> find_history_by_name(
      const std::string& user, const std::string& name) const override {
    return inner_->find_history_by_name(user, name);
  }
  Result<void> scan_views(std::string_view from, const OnRow& row) const override {
    return inner_->scan_views(from, row);
  }
  Result<std::optional<std::string>> last_view_before(std::string_view key) const override {
    return inner_->last_view_before(key);
  }

 private:
  std::unique_ptr<projections::Store> inner_;
  std::atomic<bool> history_fails_ = false;
  std::optional<projections::HistoryEntry> kept_;
};

// The machine's clocks, and what a test has turned them by since.
class TurnedClock final : public Clock {
 public:
  Instant now() const override {
    const Instant now = SystemClock().now();
    return {now.wall + wall_, now.boottime + boottime_};
  }
  void set_wall(Duration by) { wall_ = by; }
  // Time passes, on both.
  void pass(Duration time) {
    wall_ += time;
    boottime_ += time;
  }

 private:
  std::atomic<Duration> wall_ = 0, boottime_ = 0;
};

class NodeRig final : public controller::JournalListener {
 public:
  // Of its cluster: what is appended to the journal counts only with it.
  static JournalSigner journal_signer();

  // `log` and `folder` outlive the rig: a rig on the same two is the process started again.
  NodeRig(EventLog& log, const std::filesystem::path& folder, controller::CellNodeConfig config = {});
  ~NodeRig() override;

  Result<void> start() { return node_->start(); }
  // Asks, and waits for the journal's answer: empty, or the code of its refusal ("silent" after long).
  std::string answer_to(v1::Request request, const std::string& actor = "user:admin");
  bool ask(v1::Request request) { return answer_to(std::move(request)).empty(); }
  // Asks for a session of one kernel and waits for nothing. REQUIRES: define().
  void ask_for_session(const std::string& name);
  // The definitions that a first start makes, but for the key pair.
  bool define();
  // Waits until `done` holds; false if it does not for long.
  bool await(const std::function<bool()>& done);
  // As await(), of the state.
  bool await_state(const std::function<bool(const controller::StateView&)>& done);

  // What /readyz says of that check; empty: it is fine.
  std::string failing(const std::string& check);

  controller::CellNode& node() { return *node_; }
  controller::ApiNode& api() { return *api_; }
  TurnedClock& clock() { return clock_; }
  void fail_history() { store_->fail_history(); }
  // REQUIRES: before start().
  void keep(projections::HistoryEntry entry) { store_->keep(std::move(entry)); }

  void on_applied(const controller::JournalRecord&) override {}
  void on_position(Offset) override;
  void on_rebuilt(Offset next) override { on_position(next); }

 private:
  std::unique_ptr<FragileStore> store_;
  TurnedClock clock_;
  SystemRandom random_;
  std::unique_ptr<controller::CellNode> node_;
  std::unique_ptr<controller::ApiNode> api_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::uint64_t moves_ = 0;
};

}  // namespace berth::testing
