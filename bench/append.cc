#include "bench/append.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <mutex>

#include "bench/append_raw.h"
#include "bench/report.h"
#include "bench/tools.h"

namespace berth::bench {
namespace {

struct AppendOptions {
  std::string log;
  std::string dir;
  std::uint64_t events = 2'000'000;
  std::uint64_t alone = 500;
  std::uint64_t window = 16'384;  // events ahead of their acknowledgement
  bool quick = false;
};

// Counts acknowledgements; the writer waits for them here.
class Acks {
 public:
  AppendDone done() {
    return [this](const AppendResult& result) {
      if (result.state != AppendState::kDurable) give_up(result.error);
      const std::lock_guard lock(mutex_);
      ++count_;
      if (count_ >= wanted_) changed_.notify_one();
    };
  }
  void wait(std::uint64_t count) {
    std::unique_lock lock(mutex_);
    wanted_ = count;
    changed_.wait(lock, [&] { return count_ >= count; });
    wanted_ = ~0ull;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t count_ = 0;
  std::uint64_t wanted_ = ~0ull;
};

double through_log(EventLog& log, const AppendOptions& o) {
  Acks warm, acks;
  const std::string event(kEventBytes, 'e');
  for (std::uint64_t i = 0; i < o.window; ++i) log.append(kJournal, "bench", event, warm.done());
  warm.wait(o.window);
  // A writer that waits for each acknowledgement would measure its own waking.
  const std::uint64_t step = std::max<std::uint64_t>(1, o.window / 4);
  const Stopwatch watch;
  for (std::uint64_t i = 0; i < o.events; ++i) {
    if (i >= o.window && i % step == 0) acks.wait(i - o.window + step);
    log.append(kJournal, "bench", event, acks.done());
  }
  log.flush();
  acks.wait(o.events);
  return static_cast<double>(o.events) / watch.seconds();
}

std::vector<std::int64_t> alone(EventLog& log, const AppendOptions& o) {
  Acks acks;
  std::vector<std::int64_t> ns;
  for (std::uint64_t i = 0; i < o.alone; ++i) {
    const std::int64_t start = now_ns();
    log.append(kJournal, "bench", std::string(kEventBytes, 'e'), acks.done());
    log.flush();
    acks.wait(i + 1);
    ns.push_back(now_ns() - start);
  }
  return ns;
}

Report measure_append(const AppendOptions& o) {
  const TempFolder folder(o.dir, "berth-bench-append");
  const bool kafka = o.log.starts_with("kafka://");
  Report report;
  report.bench = "append";
  double raw = 0, per_s = 0;
  std::vector<std::int64_t> ns;
  {
    const auto log = open_fresh_log(o.log, folder.path(), "c0");
    ns = alone(*log, o);
    per_s = through_log(*log, o);
    std::cerr << "through the log: " << per_s << " events/s\n";
    if (kafka)
      raw = raw_librdkafka(o.log.substr(8), log->layout().stream_name(Stream::kUsage), o.events, o.window);
  }
  if (!kafka) raw = raw_rocksdb(folder.path(), o.events, o.window / 2);
  std::cerr << "without it: " << raw << " events/s\n";
  report.options = {{"log", json(std::string(kafka ? "kafka" : "local"))},
                    {"events", std::to_string(o.events)},
                    {"window", std::to_string(o.window)},
                    {"quick", o.quick ? "true" : "false"}};
  report.figures = {{"events_per_s", json(per_s)},
                    {"ack_p50_ms", json(percentile_ms(ns, 500))},
                    {"ack_p99_ms", json(percentile_ms(ns, 990))}};
  report.ceiling_what = kafka ? "librdkafka with the same settings, as many in flight"
                              : "RocksDB, WAL-synced batches of half the window";
  report.ceiling_per_s = raw;
  report.ratio = per_s / raw;
  return report;
}

}  // namespace

int run_append(const std::vector<std::string>& args) {
  AppendOptions o;
  CLI::App app("Durable appends of 200-byte events by one writer", "berth-bench append");
  app.add_option("--log", o.log, "local:DIR or kafka://HOST:PORT; default local: in a temporary folder");
  app.add_option("--dir", o.dir, "folder for temporary files");
  app.add_option("--events", o.events, "appended")->check(CLI::PositiveNumber);
  app.add_option("--window", o.window, "events ahead of their acknowledgement")
      ->check(CLI::Range(16, 1'000'000));
  app.add_flag("--quick", o.quick, "100,000 events");
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 2; }
  if (o.quick) {
    o.events = std::min<std::uint64_t>(o.events, 100'000);
    o.alone = 100;
  }
  if (o.log.starts_with("local:") && o.dir.empty()) o.dir = o.log.substr(6);
  const Report report = measure_append(o);
  std::cout << to_json(report) << std::endl;
  return 0;
}

}  // namespace berth::bench
