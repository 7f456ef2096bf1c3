#include "bench/e2e/e2e.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "bench/e2e/e2e_ceiling.h"
#include "bench/e2e/e2e_cell.h"
#include "bench/report.h"
#include "bench/tools.h"

namespace berth::bench {
namespace {

struct E2eOptions {
  std::string log;
  std::string dir;
  std::uint32_t agents = 1'000;
  std::uint64_t sessions = 200'000;
  std::uint64_t rate = 5'000;
  std::uint64_t rate_seconds = 10;
  std::uint64_t idle = 1'000;
  std::uint64_t seed = 1;
  bool quick = false;
  bool only_saturation = false;
};

struct E2eTimes {
  double p50 = 0;
  double p99 = 0;
};

E2eTimes times_of(const Cell& cell, std::uint64_t from, std::uint64_t to) {
  auto ns = cell.latencies(from, to);
  return {percentile_ms(ns, 500), percentile_ms(ns, 990)};
}

E2eTimes one_by_one(Cell& cell, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i < to; ++i) {
    cell.send(i, now_ns());
    cell.wait_scheduled(i + 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // idle again: acks and orders are out
  }
  return times_of(cell, from, to);
}

E2eTimes at_rate(Cell& cell, std::uint64_t from, std::uint64_t to, std::uint64_t rate) {
  cell.send_at_rate(from, to, rate);
  cell.wait_scheduled(to);
  return times_of(cell, from, to);
}

double saturate(Cell& cell, std::uint64_t from, std::uint64_t to) {
  const Stopwatch watch;
  cell.saturate(from, to);
  return watch.seconds();
}

Report measure_e2e(const E2eOptions& o) {
  const TempFolder folder(o.dir, "berth-bench-e2e");
  const std::uint64_t warm = std::min<std::uint64_t>(2'000, o.sessions);
  const std::uint64_t idle_end = warm + o.idle, rate_end = idle_end + o.rate * o.rate_seconds,
                      end = rate_end + o.sessions;
  const auto log = open_fresh_log(o.log, folder.path(), "c0");
  Cell cell({folder.path(), o.agents, end, o.seed}, *log);
  cell.bring_up();
  std::cerr << o.agents << " agents are alive\n";
  cell.prepare(0, end);
  saturate(cell, 0, warm);
  const E2eTimes idle = one_by_one(cell, warm, idle_end);
  std::cerr << "alone: p50 " << idle.p50 << " ms, p99 " << idle.p99 << " ms\n";
  const E2eTimes loaded = at_rate(cell, idle_end, rate_end, std::max<std::uint64_t>(1, o.rate));
  std::cerr << "at " << o.rate << "/s: p50 " << loaded.p50 << " ms, p99 " << loaded.p99 << " ms\n";
  const Offset from = cell.journal_next();
  const double seconds = saturate(cell, rate_end, end);
  const Offset to = cell.journal_next();
  const double per_s = static_cast<double>(o.sessions) / seconds;
  std::cerr << "saturated: " << per_s << " sessions/s, " << to - from << " records\n";

  CeilingLoad load;
  load.requests = o.sessions;
  load.payload = [&](std::uint64_t i) -> const std::string& { return cell.payload(rate_end + i); };
  load.records = record_sizes(*log, from, to);
  load.window = kWindow;
  std::size_t bytes = 0;
  for (const std::size_t size : load.records) bytes += size;
  const auto raw = open_fresh_log(o.log, folder.path(), "c1");
  const double raw_seconds = pass_through(*raw, load);

  Report report;
  report.bench = "e2e";
  report.options = {
      {"log", json(o.log.substr(0, o.log.find(':') == std::string::npos ? 0 : o.log.find(':')))},
      {"agents", std::to_string(o.agents)},
      {"sessions", std::to_string(o.sessions)},
      {"rate", std::to_string(o.rate)},
      {"seed", std::to_string(o.seed)},
      {"quick", o.quick ? "true" : "false"}};
  report.figures = {
      {"sessions_per_s", json(per_s)},
      {"p50_ms", json(loaded.p50)},
      {"p99_ms", json(loaded.p99)},
      {"idle_p50_ms", json(idle.p50)},
      {"idle_p99_ms", json(idle.p99)},
      {"journal_bytes_per_session", json(static_cast<double>(bytes) / static_cast<double>(o.sessions))}};
  report.ceiling_what = "as many requests in, the same journal bytes out, through the same log, undecided";
  report.ceiling_per_s = static_cast<double>(o.sessions) / raw_seconds;
  report.ratio = per_s / report.ceiling_per_s;
  return report;
}

}  // namespace

int run_e2e(const std::vector<std::string>& args) {
  E2eOptions o;
  CLI::App app("From a request appended to its placement read back, saturated, at a rate, and alone",
               "berth-bench e2e");
  app.add_option("--log", o.log, "local:DIR or kafka://HOST:PORT; default local: in a temporary folder");
  app.add_option("--dir", o.dir, "folder for temporary files");
  app.add_option("--agents", o.agents, "agents of the cell")->check(CLI::PositiveNumber);
  app.add_option("--sessions", o.sessions, "of the saturated run")->check(CLI::PositiveNumber);
  app.add_option("--rate", o.rate, "requests/s of the run that is timed");
  app.add_option("--seed", o.seed, "of ids");
  app.add_flag("--only-saturation", o.only_saturation, "for profiles");
  app.add_flag("--quick", o.quick, "20,000 sessions, 1 s at the rate");
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 2; }
  if (o.quick) {
    o.sessions = std::min<std::uint64_t>(o.sessions, 20'000);
    o.rate_seconds = 1;
    o.idle = 100;
  }
  if (o.only_saturation) o.rate_seconds = o.idle = 0;
  if (o.log.starts_with("local:") && o.dir.empty()) o.dir = o.log.substr(6);
  spdlog::set_default_logger(spdlog::stderr_color_mt("bench"));
  spdlog::set_level(spdlog::level::warn);
  const Report report = measure_e2e(o);
  std::cout << to_json(report) << std::endl;
  return 0;
}

}  // namespace berth::bench
