#include "bench/why.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <thread>

#include <CLI/CLI.hpp>

#include "bench/report.h"
#include "bench/tools.h"
#include "bench/why_world.h"
#include "controller/placement/model/model.h"
#include "controller/placement/pass/explain.h"
#include "tests/unit/answers/unblock_random.h"

namespace berth::bench {
namespace {

struct WhyOptions {
  std::uint64_t agents = 5'000;
  std::uint64_t sessions = 100'000;  // that wait
  std::uint64_t queries = 2'000;
  std::uint64_t changes = 40;   // times that slots are freed
  std::uint64_t clusters = 60;  // small ones, for brute force
  std::uint64_t seed = 1;
  std::string head_of_line = "greedy";
  std::string order = "fifo";
  bool preempt = false;
  bool quick = false;
};

// The engine is one thread that waits for nothing: its own time is what can be compared on a machine that
// others use.
std::int64_t cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

struct WhyTimes {
  std::vector<std::int64_t> query_ns, complete_ns;
  std::int64_t fold_wait_ns = 0;  // the longest
  std::uint64_t sets = 0, with_sets = 0, complete = 0, with_start = 0;
  std::uint64_t wrong_codes = 0, late_slots = 0, compared = 0;
};

// One question as the API asks it, answered by the code that answers the API: the cause, the holders, the
// place in the queue, what would let the session start, and when it is expected to.
void ask_once(WhyWorld& world, WhyTimes* times) {
  const SessionId session = world.pick_waiting();
  const std::int64_t start = cpu_ns();
  const controller::Explanation why = world.cell().why(session, world.cell().now());
  times->query_ns.push_back(cpu_ns() - start);
  if (why.code.empty()) give_up(make_error("internal-error", "a waiting session without a cause"));
  times->sets += why.unblock.ends.size();
  times->with_sets += why.unblock.ends.empty() ? 0 : 1;
  times->complete += why.unblock.complete ? 1 : 0;
  times->with_start += why.start && why.start->percentiles.front().at ? 1 : 0;
}

// What is recorded of a few after a pass against what is worked out for them now.
void compare_reasons(WhyWorld& world, WhyTimes* times) {
  for (int i = 0; i < 20; ++i) {
    const SessionId session = world.pick_waiting();
    placement::Cluster& cluster = world.cell().leader();
    const placement::Reason recorded = cluster.model().find_pending(session)->recorded;
    const placement::Reason now = placement::why(cluster, session).reason;
    ++times->compared;
    if (recorded.code != now.code)
      ++times->wrong_codes;
    else if (recorded.slot != now.slot)
      ++times->late_slots;
  }
}

// The longest that the fold waits for the state's lock while somebody asks without pause.
std::int64_t measure_fold_wait(WhyWorld& world, std::uint64_t changes) {
  std::vector<SessionId> asked;
  asked.reserve(100);
  for (int i = 0; i < 100; ++i) asked.push_back(world.pick_waiting());
  const Timestamp now = world.cell().now();
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> answers = 0;
  std::thread asker([&] {
    for (std::size_t i = 0; !stop; ++i, ++answers) world.cell().why(asked[i % asked.size()], now);
  });
  std::int64_t longest = 0;
  const auto fold = [&](const auto& change) {
    const auto start = std::chrono::steady_clock::now();
    const std::unique_lock lock(world.cell().state_lock());
    longest = std::max<std::int64_t>(longest, (std::chrono::steady_clock::now() - start).count());
    change();
  };
  for (std::uint64_t i = 0; i < changes || answers < 20; ++i) {
    fold([&] { world.end_some(1); });
    world.run_passes();
    fold([&] { world.record(); });
  }
  stop = true;
  asker.join();
  return longest;
}

WhyTimes measure_why(const WhyOptions& options) {
  WhyWorld world(options.agents, options.seed, {options.head_of_line, options.order, options.preempt});
  world.fill(options.sessions);
  const placement::Cluster& cluster = world.cell().leader();
  std::cerr << "why: " << world.running() << " run on " << options.agents << " agents, "
            << cluster.pending_count() << " wait in " << cluster.model().class_ids.size() << " classes\n";
  WhyTimes times;
  const std::uint64_t between =
      std::max<std::uint64_t>(1, options.queries / std::max<std::uint64_t>(1, options.changes));
  for (std::uint64_t change = 0; change < options.changes; ++change) {
    world.end_some(10);
    const std::int64_t start = cpu_ns();
    world.run_passes();
    times.complete_ns.push_back(cpu_ns() - start);
    world.record();
    compare_reasons(world, &times);
    for (std::uint64_t i = 0; i < between; ++i) ask_once(world, &times);
  }
  times.fold_wait_ns = measure_fold_wait(world, options.changes);
  std::cerr << "why: an answer p50 " << percentile_ms(times.query_ns, 500) << " ms, p99 "
            << percentile_ms(times.query_ns, 990) << " ms; " << times.with_sets << " of "
            << times.query_ns.size() << " with sets (" << times.sets << "), " << times.complete
            << " complete, " << times.with_start
            << " with an expected start; recorded reasons: " << times.compared << " compared, "
            << times.wrong_codes << " with another code, " << times.late_slots << " with another slot\n";
  return times;
}

struct ComparedAnswers {
  std::uint64_t answers = 0, mismatches = 0;
  std::int64_t ours_ns = 0, brute_ns = 0;
};

ComparedAnswers compare_with_brute_force(std::uint64_t clusters, std::uint64_t seed) {
  using namespace placement::testing;
  ComparedAnswers result;
  placement::UnblockOptions options;
  options.work = options.copy_work = 100'000'000'000;
  options.max_sets = 100'000;
  for (std::uint64_t i = 0; i < clusters; ++i) {
    CrowdedCluster world(seed * 100'000 + i, i % 2 == 0 ? Policies::kWalked : Policies::kAny);
    options.now = world.facts.now;
    const Oracle oracle(world.facts);
    for (const placement::PendingSpec& spec : world.facts.waiting) {
      if (spec.wait_cause.code != placement::Code::kNone || world.t.cluster.is_reserved(spec.id)) continue;
      const std::int64_t start = cpu_ns();
      const placement::Unblock ours = placement::unblock(world.t.cluster, spec.id, options);
      const std::int64_t middle = cpu_ns();
      const bool starts = oracle.starts(spec.id, {});
      std::vector<placement::SessionSet> brute;
      if (!starts) brute = oracle.minimal(spec.id, oracle.live(), 3);
      result.ours_ns += middle - start;
      result.brute_ns += cpu_ns() - middle;
      ++result.answers;
      if (ours.starts_now != starts || ours.ends.sets != brute || !ours.ends.complete) ++result.mismatches;
    }
  }
  return result;
}

int report_why(const WhyOptions& options) {
  const ComparedAnswers compared = compare_with_brute_force(options.clusters, options.seed);
  WhyTimes times = measure_why(options);
  const auto per_s = [&](std::int64_t ns) {
    return ns == 0 ? 0 : static_cast<double>(compared.answers) * 1e9 / static_cast<double>(ns);
  };
  const double late_pct = 100.0 * static_cast<double>(times.wrong_codes + times.late_slots) /
                          static_cast<double>(std::max<std::uint64_t>(1, times.compared));
  Report result;
  result.bench = "why";
  result.options = {
      {"agents", std::to_string(options.agents)},      {"sessions", std::to_string(options.sessions)},
      {"queries", std::to_string(options.queries)},    {"changes", std::to_string(options.changes)},
      {"clusters", std::to_string(options.clusters)},  {"seed", std::to_string(options.seed)},
      {"head_of_line", json(options.head_of_line)},    {"order", json(options.order)},
      {"preempt", options.preempt ? "true" : "false"}, {"quick", options.quick ? "true" : "false"}};
  result.figures = {{"query_p99_ms", json(percentile_ms(times.query_ns, 990))},
                    {"complete_p99_ms", json(percentile_ms(times.complete_ns, 990))},
                    {"fold_wait_max_ms", json(static_cast<double>(times.fold_wait_ns) / 1e6)},
                    {"mismatches", std::to_string(compared.mismatches)},
                    {"recorded_late_pct", json(late_pct)}};
  result.ceiling_what = "brute force on small clusters: a new cluster and a pass for every subset, answers";
  result.ceiling_per_s = per_s(compared.brute_ns);
  result.ratio = per_s(compared.ours_ns) / std::max(per_s(compared.brute_ns), 1e-9);
  std::cout << to_json(result) << std::endl;
  return 0;
}

}  // namespace

int run_why(const std::vector<std::string>& args) {
  WhyOptions options;
  CLI::App app("Why a session waits: the time of an answer, and of all reasons after a change",
               "berth-bench why");
  app.add_option("--agents", options.agents, "Agents of the cluster")->check(CLI::Range(1, 1'000'000));
  app.add_option("--sessions", options.sessions, "Sessions that wait");
  app.add_option("--queries", options.queries, "Questions asked, of sessions chosen at random");
  app.add_option("--changes", options.changes, "Times that slots are freed and all reasons put right")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--clusters", options.clusters, "Small clusters that are compared with brute force");
  app.add_option("--seed", options.seed, "Of the requests");
  app.add_option("--head-of-line", options.head_of_line, "Policy of the group")
      ->check(CLI::IsMember({"strict", "greedy"}));
  app.add_option("--order", options.order, "Order of the group")
      ->check(CLI::IsMember({"fifo", "lifo", "drf", "fair-share", "backfill"}));
  app.add_flag("--preempt", options.preempt, "One session in 16 may take the place of others of its user");
  app.add_flag("--quick", options.quick, "At most 20 s");
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 2; }
  if (options.quick) {
    options.agents = std::min<std::uint64_t>(options.agents, 500);
    options.sessions = std::min<std::uint64_t>(options.sessions, 10'000);
    options.queries = std::min<std::uint64_t>(options.queries, 500);
    options.changes = std::min<std::uint64_t>(options.changes, 20);
    options.clusters = std::min<std::uint64_t>(options.clusters, 20);
  }
  return report_why(options);
}

}  // namespace berth::bench
