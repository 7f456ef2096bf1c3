#include "bench/replay.h"

#include <time.h>

#include <condition_variable>
#include <filesystem>
#include <iostream>
#include <mutex>

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>
#include <CLI/CLI.hpp>

#include "bench/journal_maker.h"
#include "bench/report.h"
#include "bench/tools.h"
#include "events/log/open/open_log.h"
#include "projections/store/journal_follower.h"
#include "projections/store/rocks/rocks_store.h"

namespace berth::bench {
namespace {

namespace fs = std::filesystem;
using projections::JournalFollower;
using projections::Projection;
using projections::Projector;
using projections::RocksStore;

constexpr std::uint64_t kTailEvents = 100'000;

struct ReplayOptions {
  std::uint64_t events = 10'000'000;
  std::uint64_t seed = 1;
  std::uint32_t agents = 1'000;
  std::uint32_t live = 20'000;
  std::uint32_t record_events = 8;
  double days = 10;
  std::string log;
  std::string dir;
  bool quick = false;
  bool only_fold = false;
};

// Of the wall, and of this thread's own work: on a machine that others use, the second is what can be
// compared.
class CpuStopwatch : public Stopwatch {
 public:
  double cpu_seconds() const { return cpu_now() - cpu_start_; }

 private:
  static double cpu_now() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }
  double cpu_start_ = cpu_now();
};

struct Seconds {
  double wall = 0;
  double cpu = 0;
  void add(const CpuStopwatch& watch) {
    wall += watch.seconds();
    cpu += watch.cpu_seconds();
  }
};

Uuid cluster() { return Uuid::from_hash(blake2b_128("bench replay")); }
JournalTrust trust() { return JournalSigner(cluster(), std::string(32, 'k')); }

struct Journal {
  std::unique_ptr<EventLog> log;
  std::uint64_t events = 0;
  Offset end = 0;
  Offset tail = 0;  // where the last kTailEvents begin
  std::uint64_t bytes = 0;
};

void make_journal(const ReplayOptions& options, Journal& journal) {
  JournalShape shape;
  shape.seed = options.seed;
  shape.agents = options.agents;
  shape.live = options.live;
  shape.events_per_record = options.record_events;
  shape.between_events =
      static_cast<Duration>(options.days * static_cast<double>(kDay) / static_cast<double>(options.events));
  JournalMaker maker(*trust(), shape);
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t in_flight = 0;
  while (maker.events() < options.events) {
    std::string payload = maker.next();
    journal.bytes += payload.size();
    ++journal.end;
    if (maker.events() + kTailEvents < options.events) journal.tail = journal.end;
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return in_flight < 20'000; });
    ++in_flight;
    lock.unlock();
    journal.log->append(kJournal, {}, std::move(payload), [&](const AppendResult& result) {
      if (result.state != AppendState::kDurable) give_up(result.error);
      const std::lock_guard guard(mutex);
      --in_flight;
      changed.notify_one();
    });
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return in_flight == 0; });
  journal.events = maker.events();
}

// Calls f(entries) for all of the journal, in blocks.
template <class F> void read_all(Journal& journal, F f) {
  auto reader = must(journal.log->open_reader({{kJournal, 0}}));
  std::vector<LogEntry> entries;
  for (Offset next = 0; next < journal.end; next += entries.size()) {
    entries.clear();
    must(reader->poll(kSecond, JournalFollower::kStepEntries, JournalFollower::kStepBytes, entries));
    f(entries);
  }
}

double read_alone(Journal& journal) {
  const CpuStopwatch watch;
  std::uint64_t bytes = 0;
  read_all(journal, [&](const std::vector<LogEntry>& entries) {
    for (const auto& entry : entries) bytes += entry.payload.size();
  });
  if (bytes != journal.bytes)
    give_up(make_error("internal-error", "the log gave other bytes than were written"));
  return watch.seconds();
}

// Folding alone; the state hash.
Seconds fold_alone(Journal& journal, Hash128& hash) {
  Projection projection(cluster(), Projection::Tracking::kRows, trust());
  Seconds seconds;
  std::vector<projections::RowChange> changes;
  std::vector<projections::HistoryEntry> history;
  read_all(journal, [&](const std::vector<LogEntry>& entries) {
    const CpuStopwatch watch;
    for (const auto& entry : entries) {
      const auto outcome = projection.apply(entry.offset, entry.payload);
      if (!outcome.applied()) give_up(make_error("internal-error", "a record is void: " + outcome.text()));
    }
    projection.flush(changes, history);  // row hashes are part of the fold; the bytes are dropped
    seconds.add(watch);
  });
  hash = projection.state_hash();
  return seconds;
}

// Counts the rows that the projector writes.
class Counted final : public projections::Store {
 public:
  explicit Counted(RocksStore& store) : store_(store) {}
  Result<void> write(const projections::StoreBatch& batch) override {
    const CpuStopwatch watch;
    auto done = store_.write(batch);
    seconds += watch.seconds();
    rows += batch.rows.size() + batch.chain.size() + batch.history.size() + batch.views.size();
    return done;
  }
  Result<void> checkpoint() override { return store_.checkpoint(); }
  Result<void> reset(Offset not_after) override { return store_.reset(not_after); }
  Result<std::optional<projections::StoreMeta>> read_meta() override { return store_.read_meta(); }
  Result<void> read_rows(const std::function<bool(const projections::LoadedRow&)>& row) override {
    return store_.read_rows(row);
  }
  Result<std::deque<projections::ChainPoint>> read_chain() override { return store_.read_chain(); }
  void keep_history_from(Timestamp time) override { store_.keep_history_from(time); }
  Result<bool> prune() override { return store_.prune(); }
  Result<std::optional<projections::HistoryEntry>> find_history(const SessionId& id) const override {
    return store_.find_history(id);
  }
  Result<projections::HistoryPage> read_history(std::size_t limit, const std::string& token) const override {
    return store_.read_history(limit, token);
  }
  Result<std::optional<projections::HistoryEntry>> find_history_by_name(
      const std::string& user, const std::string& name) const override {
    return store_.find_history_by_name(user, name);
  }
  Result<void> scan_views(std::string_view from, const OnRow& row) const override {
    return store_.scan_views(from, row);
  }
  Result<std::optional<std::string>> last_view_before(std::string_view key) const override {
    return store_.last_view_before(key);
  }
  double seconds = 0;
  std::uint64_t rows = 0;

 private:
  RocksStore& store_;
};

struct StoreRun {
  double seconds = 0;
  double cpu = 0;
  double write_seconds = 0;
  std::uint64_t rows = 0;
  Hash128 hash{};
};

projections::ProjectorOptions projector_options() {
  projections::ProjectorOptions options;
  options.checkpoint_records = 0;  // one is made by hand, before the tail
  options.trust = trust();
  return options;
}

// Reading, folding and writing as a controller's reader does; a checkpoint where the tail begins.
StoreRun fold_into_store(Journal& journal, const fs::path& folder) {
  auto opened = must(RocksStore::open(folder));
  Counted store(*opened.store);
  Projector projector(cluster(), store, projector_options(), nullptr);
  must(projector.open());
  JournalFollower follower(*journal.log, projector);
  must(follower.open());
  StoreRun run;
  double making = 0;
  bool has_checkpoint = false;
  const CpuStopwatch watch;
  while (projector.next() < journal.end) {
    must(follower.step(kSecond, static_cast<Timestamp>(watch.seconds() * 1e9)));
    if (has_checkpoint || projector.next() < journal.tail) continue;
    must(follower.flush());
    const CpuStopwatch checkpoint;
    must(store.checkpoint());
    making = checkpoint.seconds();
    has_checkpoint = true;
  }
  must(follower.flush());
  run.seconds = watch.seconds() - making;
  run.cpu = watch.cpu_seconds();
  run.write_seconds = store.seconds;
  run.rows = store.rows;
  run.hash = *projector.flushed().state_hash;
  return run;
}

double restart(Journal& journal, const fs::path& folder, Hash128& hash) {
  auto opened = must(RocksStore::open(folder));
  must(
      opened.store->reset(journal.end - 1));  // the checkpoint: the machine is gone, this is all that is left
  opened.store.reset();
  const CpuStopwatch watch;
  opened = must(RocksStore::open(folder));
  Projector projector(cluster(), *opened.store, projector_options(), nullptr);
  must(projector.open());
  const double loaded = watch.seconds();
  JournalFollower follower(*journal.log, projector);
  must(follower.open());
  while (projector.next() < journal.end) must(follower.step(kSecond, 1));
  const double seconds = watch.seconds();
  std::cerr << "restart: " << loaded << " s to load " << projector.state().sessions.size() << " sessions and "
            << projector.state().requests.size() << " requests, " << seconds << " s to the end\n";
  must(follower.flush());
  hash = *projector.flushed().state_hash;
  return seconds;
}

Report measure_replay(const ReplayOptions& options, Journal& journal, const fs::path& dir) {
  const double events = static_cast<double>(journal.events);
  const double reading = read_alone(journal);
  std::cerr << "read alone: " << events / reading << " events/s\n";
  Hash128 folded{}, restarted{};
  const Seconds fold = fold_alone(journal, folded);
  const double folding = fold.wall;
  std::cerr << "fold only: " << events / folding << " events/s (" << events / fold.cpu << " of CPU time)\n";
  if (options.only_fold) return {};
  const StoreRun run = fold_into_store(journal, dir / "projection");
  std::cerr << "into RocksDB: " << events / run.seconds << " events/s (" << events / run.cpu
            << " of CPU time); " << run.rows << " rows written in " << run.write_seconds << " s\n";
  const double back = restart(journal, dir / "projection", restarted);
  if (run.hash != folded || restarted != folded)
    give_up(make_error("internal-error", "the state hashes differ"));
  Report report;
  report.bench = "replay";
  report.options = {{"events", std::to_string(journal.events)},
                    {"records", std::to_string(journal.end)},
                    {"bytes", std::to_string(journal.bytes)},
                    {"live", std::to_string(options.live)},
                    {"days", json(options.days)},
                    {"seed", std::to_string(options.seed)}};
  report.figures = {{"fold_events_per_s", json(events / folding)},
                    {"store_events_per_s", json(events / run.seconds)},
                    {"restart_s", json(back)},
                    {"read_events_per_s", json(events / reading)},
                    {"rows_per_s_alone", json(static_cast<double>(run.rows) / run.write_seconds)}};
  report.ceiling_what = "reading the log alone, then writing the same rows alone, events";
  report.ceiling_per_s = events / (reading + run.write_seconds);
  report.ratio = (events / run.seconds) / report.ceiling_per_s;
  return report;
}

}  // namespace

int run_replay(const std::vector<std::string>& args) {
  ReplayOptions options;
  CLI::App app("Folds a journal into memory and into RocksDB", "berth-bench replay");
  app.add_option("--events", options.events, "events of the journal");
  app.add_option("--seed", options.seed, "of the journal");
  app.add_option("--agents", options.agents, "agents of the cell");
  app.add_option("--sessions", options.live, "sessions alive at a time");
  app.add_option("--record-events", options.record_events, "events of a record, about");
  app.add_option("--days", options.days, "header time from the first to the last event");
  app.add_option("--log", options.log, "where the journal is made; default local: in a temporary folder");
  app.add_option("--dir", options.dir, "folder for temporary files");
  app.add_flag("--only-fold", options.only_fold, "no RocksDB: for profiles");
  app.add_flag("--quick", options.quick, "300,000 events");
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) { return app.exit(error); }
  if (options.quick) options.events = 300'000;
  const fs::path dir = (options.dir.empty() ? fs::temp_directory_path() : fs::path(options.dir)) /
                       ("berth-bench-replay-" + std::to_string(::getpid()));
  fs::create_directories(dir);
  Report report;
  {
    Journal journal;
    journal.log = must(open_log({.url = options.log.empty() ? "local:" + (dir / "log").string() : options.log,
                                 .layout = {},
                                 .allow_one_replica = true}));
    const CpuStopwatch watch;
    make_journal(options, journal);
    std::cerr << journal.events << " events in " << journal.end << " records, " << journal.bytes
              << " bytes, made in " << watch.seconds() << " s\n";
    report = measure_replay(options, journal, dir);
  }
  fs::remove_all(dir);
  std::cout << to_json(report) << std::endl;
  return 0;
}

}  // namespace berth::bench
