#include "bench/audit.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <thread>

#include <CLI/CLI.hpp>

#include "bench/journal_maker.h"
#include "bench/report.h"
#include "bench/tools.h"
#include "projections/audit/chain_audit.h"

namespace berth::bench {
namespace {

constexpr int kRounds = 5;  // the middle one counts; both in turn, so that a busy machine slows both

Uuid audited_cluster() { return Uuid::from_hash(blake2b_128("bench replay")); }

double thread_cpu() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Offset fill(EventLog& log, std::uint64_t events) {
  JournalMaker maker(JournalSigner(audited_cluster(), std::string(32, 'k')), {});
  std::atomic<std::size_t> in_flight = 0;
  Offset end = 0;
  for (; maker.events() < events; ++end) {
    while (in_flight >= 20'000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++in_flight;
    log.append(kJournal, {}, maker.next(), [&](const AppendResult& result) {
      if (result.state != AppendState::kDurable) give_up(result.error);
      --in_flight;
    });
  }
  while (in_flight != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return end;
}

// Seconds of this thread's own work: reading, and f(entry) of each record.
template <class F> double walk(EventLog& log, Offset end, F f) {
  auto reader = must(log.open_reader({{kJournal, 0}}));
  std::vector<LogEntry> entries;
  const double began = thread_cpu();
  for (Offset next = 0; next < end; next += entries.size()) {
    entries.clear();
    must(reader->poll(kSecond, 4'096, 4u << 20, entries));
    for (const LogEntry& entry : entries) f(entry);
  }
  return thread_cpu() - began;
}

Report measure_audit(EventLog& log, Offset end, std::uint64_t events) {
  std::vector<double> audits, ceilings;
  std::uint64_t bytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    bytes = 0;
    std::uint8_t seen = 0;
    ceilings.push_back(walk(log, end, [&](const LogEntry& entry) {
      bytes += entry.payload.size();
      seen ^= blake2b_256(entry.payload)[0];
    }));
    projections::ChainAudit audit(audited_cluster());
    audits.push_back(walk(log, end, [&](const LogEntry& entry) { audit.take(entry); }));
    audit.finish();
    if (!audit.is_good()) give_up(make_error(audit.finding()->code, audit.finding()->message));
    if (seen == 0 && audit.next() != end) give_up(make_error("internal-error", "the log gave other records"));
  }
  const double audited = median(audits), hashed = median(ceilings);
  Report report;
  report.bench = "audit";
  report.options = {{"events", std::to_string(events)}, {"rounds", std::to_string(kRounds)}};
  report.figures = {{"records", std::to_string(end)},
                    {"bytes", std::to_string(bytes)},
                    {"records_per_s", json(static_cast<double>(end) / audited)},
                    {"mib_per_s", json(static_cast<double>(bytes) / audited / (1 << 20))},
                    {"signed_heads", "0"}};
  report.ceiling_what = "reading the journal and hashing each record (BLAKE2b-256), CPU of one thread";
  report.ceiling_per_s = static_cast<double>(end) / hashed;
  report.ratio = hashed / audited;
  return report;
}

}  // namespace

int run_audit(const std::vector<std::string>& args) {
  std::uint64_t events = 2'000'000;
  std::string dir;
  bool quick = false;
  CLI::App app("Walks a journal as an audit does", "berth-bench audit");
  app.add_option("--events", events, "events of the journal");
  app.add_option("--dir", dir, "folder for temporary files");
  app.add_flag("--quick", quick, "100,000 events");
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) { return app.exit(error); }
  if (quick) events = 100'000;
  const TempFolder folder(dir, "berth-bench-audit");
  const auto log = open_fresh_log("", folder.path(), "c0");
  const Offset end = fill(*log, events);
  std::cout << to_json(measure_audit(*log, end, events)) << std::endl;
  return 0;
}

}  // namespace berth::bench
