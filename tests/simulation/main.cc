// berth-sim: the whole cluster in one thread on a seed. `--seed N` reproduces one run, `--seeds FROM..TO` sweeps (both included).
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <string>

#include "tests/simulation/world.h"

namespace {

using berth::simulation::WorldOptions;

bool run_seed(std::uint64_t seed, WorldOptions options, bool verbose, std::uint64_t& preempted) {
  options.seed = seed;
  options.verbose = options.verbose && verbose;
  const auto report = berth::simulation::run_world(options);
  preempted += report.preempted;
  if (verbose || !report.failures.empty())
    std::printf(
        "seed %llu: %llu records, %llu void, %llu sessions, %llu preempted, %llu elections, %llu crashes, %llu truncations, "
        "%.1f virtual s\n",
        static_cast<unsigned long long>(seed), static_cast<unsigned long long>(report.records),
        static_cast<unsigned long long>(report.voids), static_cast<unsigned long long>(report.sessions),
        static_cast<unsigned long long>(report.preempted),
        static_cast<unsigned long long>(report.elections), static_cast<unsigned long long>(report.crashes),
        static_cast<unsigned long long>(report.truncations), report.virtual_seconds);
  for (const auto& failure : report.failures) std::printf("seed %llu FAILED: %s\n", static_cast<unsigned long long>(seed), failure.c_str());
  std::fflush(stdout);   // a sweep that is cut short has said what it found
  return report.failures.empty();
}

bool parse_range(const std::string& text, std::uint64_t& from, std::uint64_t& to) {
  const auto dots = text.find("..");
  if (dots == std::string::npos) return false;
  try {
    from = std::stoull(text.substr(0, dots));
    to = std::stoull(text.substr(dots + 2));
  } catch (const std::exception&) {
    return false;
  }
  return from <= to;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Berth's deterministic simulator: controllers, agents, users and the log in one thread, with faults, on a seed.\n"
               "Exit code 0: everything held; 1: a seed failed (run it alone with --seed); 2: usage."};
  std::uint64_t seed = 0;
  std::string seeds;
  WorldOptions options;
  auto* one = app.add_option("--seed", seed, "run this seed and tell about it");
  auto* many = app.add_option("--seeds", seeds, "FROM..TO, both included")->excludes(one);
  app.add_option("--controllers", options.controllers, "controllers, standbys included")->check(CLI::Range(1, 9))->capture_default_str();
  app.add_option("--agents", options.agents, "agents")->check(CLI::Range(1, 50))->capture_default_str();
  app.add_option("--sessions", options.sessions, "requests for sessions")->check(CLI::Range(1, 10000))->capture_default_str();
  app.add_flag("--verbose", options.verbose, "with --seed: say every two virtual seconds how the cluster stands");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  std::uint64_t preempted = 0;
  if (*one) return run_seed(seed, options, true, preempted) ? 0 : 1;
  std::uint64_t from = 1, to = 1000;
  if (*many && !parse_range(seeds, from, to)) {
    std::fprintf(stderr, "berth-sim: --seeds wants FROM..TO, for example 1..1000\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t failed = 0;
  for (std::uint64_t s = from; s <= to; ++s) failed += run_seed(s, options, false, preempted) ? 0 : 1;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%llu seeds, %llu failed, %.1f s, %.0f seeds/s, %llu sessions preempted\n", static_cast<unsigned long long>(to - from + 1),
              static_cast<unsigned long long>(failed), seconds, static_cast<double>(to - from + 1) / seconds,
              static_cast<unsigned long long>(preempted));
  return failed == 0 ? 0 : 1;
}
