#include "bench/place.h"

#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include <CLI/CLI.hpp>

#include "bench/place_world.h"
#include "bench/report.h"
#include "controller/placement/audit/model_audit.h"

namespace berth::bench {
namespace {

struct PlaceOptions {
  std::uint64_t agents = 5'000;
  std::uint64_t sessions = 1'000'000;  // that wait at once, for the memory figure
  std::uint64_t seed = 1;
  std::string policy = "concentrated";
  bool quick = false;
  bool small_pages = false;
};

struct Speed {
  double per_s = 0;
  double seconds_per_placement = 0;
  double bytes_per_agent = 0;    // nearly full, as churn leaves them
  double audit_ns_per_pass = 0;  // on the same tables
};

// The engine is one thread that waits for nothing: its own time is what can be compared on a machine that
// others use.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// What ModelAuditor adds to a pass, over one audit of all tables.
double audit_ns_per_pass(const placement::Cluster& cluster) {
  placement::ModelAuditor auditor;
  std::uint64_t passes = 0;
  const double start = cpu_seconds();
  for (; auditor.cycles() == 0; ++passes) {
    const std::string broken = auditor.after_pass(cluster);
    BERTH_CHECK(broken.empty(), broken);
  }
  return (cpu_seconds() - start) * 1e9 / static_cast<double>(passes);
}

Speed measure_place(const PlaceOptions& options, std::uint64_t agents) {
  placement::Select select = placement::Select::kConcentrated;
  placement::parse_select(options.policy, &select);
  PlaceWorld world(agents, options.seed, select);
  const double start = cpu_seconds();
  const std::uint64_t filled = world.fill();
  const double middle = cpu_seconds();
  const double full = world.full();
  const std::uint64_t churned = world.churn(options.quick ? 50'000 : 300'000);
  const double end = cpu_seconds();
  std::cerr << "place: " << agents << " agents: " << filled << " placed filling ("
            << static_cast<std::uint64_t>(static_cast<double>(filled) / (middle - start)) << "/s), "
            << static_cast<int>(full * 100) << " % full; " << churned << " in churn ("
            << static_cast<std::uint64_t>(static_cast<double>(churned) / (end - middle)) << "/s), "
            << world.cluster().pending_count() << " waiting\n";
  const double per_s = static_cast<double>(filled + churned) / (end - start);
  // Half filling, half churn, whatever the size: sizes are compared by the sum of both costs.
  const double cost =
      (middle - start) / static_cast<double>(filled) + (end - middle) / static_cast<double>(churned);
  return {per_s, cost, static_cast<double>(world.cluster().agent_bytes()) / static_cast<double>(agents),
          audit_ns_per_pass(world.cluster())};
}

// The least that a scheduler without an index does: it reads what is free on every agent, once a decision.
double scans_per_s(std::uint64_t agents) {
  struct Free {
    Amount cpu, mem, shares;
  };
  std::vector<Free> all(agents);
  for (std::uint64_t i = 0; i < agents; ++i) all[i] = {static_cast<Amount>(i * 7919 % agents), 1, 2};
  const std::uint64_t scans = std::max<std::uint64_t>(20, 20'000'000 / agents);
  Amount best = 0;
  const double start = cpu_seconds();
  for (std::uint64_t scan = 0; scan < scans; ++scan) {
    Amount least = kAmountMax;
    for (const Free& free : all) {
      if (free.cpu >= static_cast<Amount>(scan % 100) && free.mem >= 1 && free.shares >= 1 &&
          free.cpu < least)
        least = free.cpu;
    }
    best += least;
  }
  const double seconds = cpu_seconds() - start;
  if (best == 42) std::cerr << "\n";  // or the loop is optimised away
  return static_cast<double>(scans) / seconds;
}

double bytes_per_pending(const PlaceOptions& options) {
  PlaceWorld world(1, options.seed, placement::Select::kConcentrated);
  const std::size_t before = world.cluster().pending_bytes();
  world.queue_up(options.sessions);
  return static_cast<double>(world.cluster().pending_bytes() - before) /
         static_cast<double>(options.sessions);
}

// Tables of a million rows are read at random: with pages of 4 KiB half of the time goes into finding the
// page. The setting is an environment variable of the allocator, read before main: one for jemalloc, one
// where the build found none.
void start_again_with_huge_pages(const std::vector<std::string>& args) {
  if (::setenv("MALLOC_CONF", "thp:always", 0) != 0 ||
      ::setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0) != 0)
    return;
  std::vector<std::string> words{"berth-bench", "place"};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> raw;
  raw.reserve(words.size() + 1);
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  ::execv("/proc/self/exe", raw.data());  // returns only where it fails: then with small pages
}

int report_place(const PlaceOptions& options) {
  const Speed speed = measure_place(options, options.agents);
  const double scans = scans_per_s(options.agents);
  const double small = measure_place(options, 1'000).seconds_per_placement;
  const double large = measure_place(options, 100'000).seconds_per_placement;
  Report result;
  result.bench = "place";
  result.options = {
      {"agents", std::to_string(options.agents)},  {"sessions", std::to_string(options.sessions)},
      {"seed", std::to_string(options.seed)},      {"policy", json(options.policy)},
      {"quick", options.quick ? "true" : "false"}, {"huge_pages", options.small_pages ? "false" : "true"}};
  result.figures = {{"placements_per_s", json(speed.per_s)},
                    {"agents", std::to_string(options.agents)},
                    {"bytes_per_pending", json(bytes_per_pending(options))},
                    {"bytes_per_agent", json(speed.bytes_per_agent)},
                    {"audit_ns_per_pass", json(speed.audit_ns_per_pass)},
                    {"cost_ratio_100k_to_1k", json(large / small)}};
  result.ceiling_what = "a scan that reads what is free on every agent once a decision";
  result.ceiling_per_s = scans;
  result.ratio = speed.per_s / scans;
  std::cout << to_json(result) << std::endl;
  return 0;
}

}  // namespace

int run_place(const std::vector<std::string>& args) {
  PlaceOptions options;
  CLI::App app("The decision engine alone: placements per second", "berth-bench place");
  app.add_option("--agents", options.agents, "Agents of the cluster that is measured")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--sessions", options.sessions, "Sessions that wait at once, for the memory figure");
  app.add_option("--seed", options.seed, "Of the requests");
  app.add_option("--policy", options.policy, "Agent selection")
      ->check(CLI::IsMember({"concentrated", "dispersed", "round-robin", "fgd", "balanced"}));
  app.add_flag("--small-pages", options.small_pages,
               "Memory in pages of 4 KiB, as the machine gives it without asking");
  app.add_flag("--quick", options.quick, "At most 20 s");
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 2; }
  if (!options.small_pages && std::getenv("MALLOC_CONF") == nullptr) start_again_with_huge_pages(args);
  if (options.quick) options.sessions = std::min<std::uint64_t>(options.sessions, 200'000);
  return report_place(options);
}

}  // namespace berth::bench
