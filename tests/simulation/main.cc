// berth-sim: the whole cluster in one thread on a seed. `--seed N` reproduces one run, `--seeds FROM..TO`
// sweeps (both included).
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "events/base/hex.h"
#include "tests/simulation/world.h"

namespace {

using berth::simulation::Profile;
using berth::simulation::WorldOptions;

// The runs of a sweep as recorded before, a line a seed: "seed appended events state". A change that must not
// change what the cluster does gives the same lines.
class RecordedRuns {
 public:
  bool load(const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (!line.empty() && line[0] != '#') lines_[std::strtoull(line.c_str(), nullptr, 10)] = line;
    return !lines_.empty();
  }
  static std::string line(std::uint64_t seed, const berth::simulation::WorldReport& report) {
    const auto text = [](const berth::Hash128& hash) {
      return berth::to_hex(berth::as_view(hash)).substr(0, 16);
    };
    return std::to_string(seed) + " " + text(report.appended) + " " + text(report.events) + " " +
           text(report.state);
  }
  // Says what differs; false if anything does. A seed that was not recorded differs.
  bool same(std::uint64_t seed, const berth::simulation::WorldReport& report) const {
    const auto it = lines_.find(seed);
    const std::string now = line(seed, report);
    if (it != lines_.end() && it->second == now) return true;
    std::printf("seed %llu is another run: recorded %s, now %s\n", static_cast<unsigned long long>(seed),
                it == lines_.end() ? "nothing" : it->second.c_str(), now.c_str());
    return false;
  }

 private:
  std::map<std::uint64_t, std::string> lines_;
};

struct Sweep {
  WorldOptions options;
  const RecordedRuns* recorded = nullptr;
  std::ofstream* record = nullptr;
  std::uint64_t preempted = 0, decisions = 0, held = 0, unknown = 0;
  std::map<std::string, std::uint64_t> events;  // by kind
};

bool run_seed(std::uint64_t seed, Sweep& sweep, bool verbose) {
  WorldOptions options = sweep.options;
  options.seed = seed;
  options.verbose = options.verbose && verbose;
  const auto report = berth::simulation::run_world(options);
  sweep.preempted += report.preempted;
  sweep.decisions += report.decisions.placed;
  sweep.held += report.decisions.held;
  sweep.unknown += report.decisions.unknown;
  for (const auto& [kind, count] : report.events_seen) sweep.events[kind] += count;
  if (sweep.record != nullptr) *sweep.record << RecordedRuns::line(seed, report) << "\n";
  if (verbose || !report.failures.empty())
    std::printf(
        "seed %llu: %llu records, %llu void, %llu sessions, %llu preempted, %llu elections, %llu crashes, "
        "%llu truncations, "
        "%.1f virtual s%s%s\n",
        static_cast<unsigned long long>(seed), static_cast<unsigned long long>(report.records),
        static_cast<unsigned long long>(report.voids), static_cast<unsigned long long>(report.sessions),
        static_cast<unsigned long long>(report.preempted), static_cast<unsigned long long>(report.elections),
        static_cast<unsigned long long>(report.crashes), static_cast<unsigned long long>(report.truncations),
        report.virtual_seconds, report.hostility.empty() ? "" : "; hostile: ", report.hostility.c_str());
  for (const auto& failure : report.failures)
    std::printf("seed %llu FAILED: %s\n", static_cast<unsigned long long>(seed), failure.c_str());
  std::fflush(stdout);  // a sweep that is cut short has said what it found
  const bool same = sweep.recorded == nullptr || sweep.recorded->same(seed, report);
  return report.failures.empty() && same;
}

// Nothing where no path is given; false: it cannot be written.
bool open_to_write(const std::string& path, std::ofstream& file) {
  if (path.empty()) return true;
  file.open(path);
  if (!file) std::fprintf(stderr, "berth-sim: cannot write %s\n", path.c_str());
  return file.is_open();
}

bool parse_range(const std::string& text, std::uint64_t& from, std::uint64_t& to) {
  const auto dots = text.find("..");
  if (dots == std::string::npos) return false;
  try {
    from = std::stoull(text.substr(0, dots));
    to = std::stoull(text.substr(dots + 2));
  } catch (const std::exception&) { return false; }
  return from <= to;
}

bool run_sweep(std::uint64_t from, std::uint64_t to, Sweep& sweep, bool show_events) {
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t failed = 0;
  for (std::uint64_t s = from; s <= to; ++s) failed += run_seed(s, sweep, false) ? 0 : 1;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%llu seeds, %llu failed, %.1f s, %.0f seeds/s, %llu sessions preempted\n",
              static_cast<unsigned long long>(to) - from + 1, static_cast<unsigned long long>(failed),
              seconds, static_cast<double>(to - from + 1) / seconds,
              static_cast<unsigned long long>(sweep.preempted));
  if (sweep.options.decisions)
    std::printf("%llu placements and %llu held places came out as recorded, %llu inputs were not recorded\n",
                static_cast<unsigned long long>(sweep.decisions), static_cast<unsigned long long>(sweep.held),
                static_cast<unsigned long long>(sweep.unknown));
  if (show_events)
    for (const auto& [kind, count] : sweep.events)
      std::printf("%10llu %s\n", static_cast<unsigned long long>(count), kind.c_str());
  return failed == 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Berth's deterministic simulator: controllers, agents, users and the log in one thread, with faults, "
      "on a seed.\n"
      "Exit code 0: everything held; 1: a seed failed (run it alone with --seed); 2: usage."};
  std::uint64_t seed = 0;
  std::string seeds;
  Sweep sweep;
  WorldOptions& options = sweep.options;
  std::string record_path, compare_path, dump_path;
  auto* one = app.add_option("--seed", seed, "run this seed and tell about it");
  auto* many = app.add_option("--seeds", seeds, "FROM..TO, both included")->excludes(one);
  app.add_option("--controllers", options.controllers, "controllers, standbys included")
      ->check(CLI::Range(1, 9))
      ->capture_default_str();
  app.add_option("--agents", options.agents, "agents")->check(CLI::Range(1, 50))->capture_default_str();
  app.add_option("--sessions", options.sessions, "requests for sessions")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option(
         "--profile", options.profile,
         "plain: as recorded; hostile: besides, all that hostility.h lists, and another end; "
         "strange: hostile, and besides wall clocks that were believed and are set right, calls of one "
         "process's log that hang or answer late, a journal without its beginning, lost disks, disk "
         "errors that pass, an API server that stands still (strangeness.h)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Profile>{
          {"plain", Profile::kPlain}, {"hostile", Profile::kHostile}, {"strange", Profile::kStrange}}));
  app.add_option("--record", record_path, "write what each run was, a line a seed, to this file");
  app.add_option("--dump", dump_path, "write the events and rows of each run to this file (dump.h)");
  app.add_option("--compare", compare_path, "fail where a run is not what this file says of its seed");
  app.add_flag("--every-policy", options.every_policy,
               "the group's policies are drawn from all that are built in");
  app.add_flag(
      "--decisions", options.decisions,
      "at the end, work each placement in the log out again; a seed fails where one comes out otherwise");
  bool show_events = false;
  app.add_flag("--events", show_events, "with --seeds: say how often each kind of event happened");
  app.add_flag("--verbose", options.verbose,
               "with --seed: say every two virtual seconds how the cluster stands");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) { return app.exit(e) == 0 ? 0 : 2; }
  RecordedRuns recorded;
  if (!compare_path.empty()) {
    if (!recorded.load(compare_path)) {
      std::fprintf(stderr, "berth-sim: no recorded runs in %s\n", compare_path.c_str());
      return 2;
    }
    sweep.recorded = &recorded;
  }
  std::ofstream record, dump;
  if (!open_to_write(record_path, record) || !open_to_write(dump_path, dump)) return 2;
  if (record.is_open()) {
    record << "# berth-sim --record: seed, what was appended to journal and orders, the events, the state\n";
    sweep.record = &record;
  }
  if (dump.is_open()) options.dump = &dump;
  if (*one) return run_seed(seed, sweep, true) ? 0 : 1;
  std::uint64_t from = 1, to = 1000;
  if (*many && !parse_range(seeds, from, to)) {
    std::fprintf(stderr, "berth-sim: --seeds wants FROM..TO, for example 1..1000\n");
    return 2;
  }
  return run_sweep(from, to, sweep, show_events) ? 0 : 1;
}
