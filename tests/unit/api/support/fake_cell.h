// FakeCell: a whole cell behind the API, in memory and in one object: requests are decided by the real
// decisions, records are folded by the real fold. What a log can do to a request (fail, be silent, be full)
// is switched on by the test.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "controller/api/api_context.h"
#include "controller/api/apps/app_pass.h"
#include "events/base/random.h"
#include "projections/store/memory_store.h"
#include "tests/support/journal.h"
#include "tests/support/sealing.h"
#include "tests/unit/api/support/fake_apps.h"
#include "tests/unit/api/support/fake_channels.h"
#include "tests/unit/api/support/fake_files.h"

namespace berth::testing {

class TestClock final : public Clock {
 public:
  Instant now() const override { return {wall.load(), wall.load()}; }
  std::atomic<Timestamp> wall{kTestStart};
};

class FakeCell final : public controller::ApiContext {
 public:
  enum class Log : std::uint8_t { kAnswers, kSilent, kUnknown, kFails, kFull };

  explicit FakeCell(const Events& history);

  // A record more; listeners hear of it.
  void append(const Events& events);
  // A record without effect.
  void append_void();
  // Header time goes on.
  void advance(Duration time) { journal_.advance(time); }
  // The journal loses its tail and is read again; the view is empty before the first record comes again.
  void lose_journal();
  // Called by submit() before it decides.
  std::function<void(const v1::Request&)> on_submit = [](const v1::Request&) {};
  // Called by read_journal() on its thread.
  std::function<void()> on_read = [] {};

  std::atomic<Log> log{Log::kAnswers};
  std::atomic<int> submitted{0};
  std::atomic<bool> ready_now{true};
  TestClock test_clock;
  controller::Explanation explanation;
  controller::DryRunAnswer dry_run_answer;
  std::string never;  // the warning of sessions that are asked for
  v1::Request last_dry_run;
  std::optional<controller::StartEstimate> start;
  controller::LogPage log_page;
  std::optional<Error> log_error;  // instead of the page
  std::string log_url = "memory:";
  controller::LogRequest last_log_request;
  projections::MemoryStore past_sessions;  // a test puts sessions in by keep()
  void keep(const projections::HistoryEntry& entry);
  std::atomic<int> pages_read{0};
  Offset position() const { return position_.load(); }

  void with_state(const std::function<void(const controller::StateView&)>& read) override;
  Result<void> submit(const v1::Request& request, controller::SubmitDone done) override;
  const EnvironmentSeal& environments() const override { return environments_; }
  const KeyPairSeal& key_pairs() const override { return key_pairs_; }
  const PasswordSeal& passwords() const override { return passwords_; }
  const controller::api::AppPassSeal& app_passes() const override { return app_passes_; }
  void set_journal_listener(controller::JournalListener* listener) override;
  void set_row_listener(controller::RowListener* listener) override;
  Result<controller::JournalPage> read_journal(Offset from, std::size_t max_records,
                                               std::size_t max_bytes) override;
  Result<controller::RawJournalPage> read_raw_journal(Offset from, std::size_t max_records,
                                                      std::size_t max_bytes) override {
    if (raw_journal) return raw_journal(from, max_records);
    if (log_end) return controller::RawJournalPage{0, *log_end, {}};
    return ApiContext::read_raw_journal(from, max_records, max_bytes);
  }
  std::function<Result<controller::RawJournalPage>(Offset, std::size_t)> raw_journal;  // on its thread
  std::optional<Offset> log_end;  // what the log says of its end; else it does not answer
  Result<std::optional<projections::HistoryEntry>> find_history(const SessionId& id) override;
  Result<projections::UsageReport> usage(const projections::UsageQuestion& question) override;
  Result<projections::HistoryPage> read_history(std::size_t limit, const std::string& token) override {
    return past_sessions.read_history(limit, token);
  }
  Result<std::optional<projections::HistoryEntry>> find_history_by_name(const std::string& user,
                                                                        const std::string& name) override {
    return past_sessions.find_history_by_name(user, name);
  }
  // Folded from the beginning.
  void past_state(const projections::PastMoment& moment, projections::PastDone done) override;
  std::function<std::optional<Error>()> on_past = [] { return std::nullopt; };  // instead of the state
  std::optional<int> past_percent(const projections::PastMoment&) override { return 40; }
  Result<projections::PastBounds> past_bounds() override;
  Result<controller::Explanation> why(const SessionId&, const controller::SeesSession&) override {
    return explanation;
  }
  Result<std::optional<controller::StartEstimate>> estimate_start(const SessionId&) override { return start; }
  std::string never_warning(const v1::SessionSpec&) override { return never; }
  Result<controller::DryRunAnswer> dry_run(const v1::Request& request,
                                           const controller::SeesSession&) override {
    last_dry_run = request;
    return dry_run_answer;
  }
  void kernel_log(const controller::LogRequest& request, controller::LogDone done) override;
  SealingRing sealing = test_sealing_ring();  // this server's; the seals share it
  FakeChannels channels;                      // into kernels
  std::shared_ptr<controller::KernelChannel> open_channel(const controller::KernelPlace& kernel,
                                                          std::function<void(Result<void>)> opened) override {
    return channels.open(kernel, std::move(opened));
  }
  FakeApps apps;  // that listen in kernels
  std::shared_ptr<controller::KernelChannel> open_app(const controller::KernelPlace& kernel,
                                                      const std::string& app,
                                                      controller::AppOpenedDone opened) override {
    return apps.open(kernel, app, std::move(opened));
  }
  FakeFiles files;  // of folders
  // No thread of theirs calls a handler afterwards: before the server of the handlers goes.
  void stop_agents() {
    channels.stop();
    apps.stop();
    files.stop();
  }
  std::shared_ptr<controller::KernelChannel> ask_files(const controller::FilesQuestion& question,
                                                       controller::FilesAnswered answered) override {
    return files.open_files(question, std::move(answered));
  }
  // Of agents alike; a producer's has its name and generation, so that tests can sign by it.
  Result<std::string> writer_key(const std::string& writer, std::uint32_t generation) override {
    if (writer.starts_with("agent:")) return std::string(64, 'a');
    return to_hex(as_view(blake2b_256(writer, std::to_string(generation))));
  }
  std::atomic<Timestamp> heard_time{0};  // of the leader; 0: not yet
  std::optional<Timestamp> header_time() override {
    return heard_time == 0 ? std::nullopt : std::optional(heard_time.load());
  }
  controller::ClusterFacts facts() override;
  Result<projections::ChainPoint> chain_point_now() override;
  std::string log_level() override { return log_level_; }
  Result<void> set_log_level(const std::string& level, Duration lasts) override {
    if (level == "loud") return make_error("log-level-invalid", "there is no level 'loud'");
    log_level_ = level;
    log_level_lasts = lasts;
    return {};
  }
  Duration log_level_lasts = 0;
  bool catching_up = false;
  bool catches_up() override { return catching_up; }
  Result<void> accept_truncation() override {
    truncation.reset();
    return {};
  }
  std::optional<projections::Truncation> truncation;
  std::vector<controller::ReadyCheck> ready() override { return {{"log", ready_now.load(), "end 5"}}; }
  const Clock& clock() const override { return test_clock; }
  Uuid new_id() override;

 private:
  std::string log_level_ = "info";
  const EnvironmentSeal environments_{test_cluster(), sealing};
  const KeyPairSeal key_pairs_{test_cluster(), sealing};
  const PasswordSeal passwords_{test_cluster(), sealing};
  const controller::api::AppPassSeal app_passes_{test_cluster(), sealing};
  void take(const std::string& payload);

  mutable std::shared_mutex mutex_;  // of the state
  std::mutex writer_;                // one record at a time
  TestJournal journal_;
  projections::Projection projection_;
  std::vector<controller::JournalRecord> records_;  // applied ones
  std::atomic<Offset> position_{0};
  std::mutex listener_mutex_;
  controller::JournalListener* listener_ = nullptr;
  controller::RowListener* row_listener_ = nullptr;  // guarded by mutex_
  std::atomic<std::uint64_t> ids_{1};
};

}  // namespace berth::testing
