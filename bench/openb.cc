#include "bench/openb.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "bench/openb/bound.h"
#include "bench/openb/published.h"
#include "bench/openb/published_order.h"
#include "bench/openb/trace.h"
#include "bench/report.h"
#include "bench/tools.h"
#include "controller/placement/fragmentation/arrivals.h"
#include "controller/placement/fragmentation/learn.h"

namespace berth::bench {
namespace {

namespace frag = placement::fragmentation;

struct OpenbOptions {
  std::string nodes;
  std::string pods;
  std::vector<std::string> policies;
  std::uint64_t seeds = 10;
  bool quick = false;
};

const std::vector<std::string> kPolicies = {"random",  "dotprod", "clustering", "packing",
                                            "bestfit", "fgd",     "ours"};  // as frag::Published

struct Trace {
  std::vector<frag::Node> nodes;
  std::vector<frag::Ask> classes;
  std::vector<std::uint32_t> list;  // places in `classes`
  frag::ClassMix mix;
  std::int64_t capacity = 0;
};

// What one policy did, by seed.
struct Figures {
  std::vector<frag::Packed> seeds;
  double run_s = 0;
};

Result<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in) return make_error("file-unreadable", "cannot read " + path);
  return std::move(text).str();
}

Result<Trace> read_trace(const OpenbOptions& o) {
  const auto node_text = read_file(o.nodes);
  if (!node_text.ok()) return node_text.error();
  const auto pod_text = read_file(o.pods);
  if (!pod_text.ok()) return pod_text.error();
  frag::Models models;
  auto nodes = frag::read_nodes(o.nodes, *node_text, models);
  if (!nodes.ok()) return nodes.error();
  const auto pods = frag::read_pods(o.pods, *pod_text, models);
  if (!pods.ok()) return pods.error();
  Trace trace;
  trace.nodes = std::move(*nodes);
  trace.capacity = frag::gpu_capacity(trace.nodes);
  if (trace.capacity == 0) return make_error("file-unreadable", o.nodes + ": no node has a GPU");
  trace.mix = frag::mix_of(*pods);
  std::map<frag::Ask, std::uint32_t> places;
  for (const auto& pod : *pods) {
    const auto [place, is_new] = places.try_emplace(pod, static_cast<std::uint32_t>(trace.classes.size()));
    if (is_new) trace.classes.push_back(pod);
    trace.list.push_back(place->second);
  }
  if (frag::cpu_per_gpu(trace.mix) == 0)
    return make_error("file-unreadable", o.pods + ": no pod asks for a GPU");
  return trace;
}

std::unique_ptr<frag::Policy> make_policy(std::size_t number, const Trace& trace, const frag::Weights& ours) {
  if (kPolicies[number] == "ours") return std::make_unique<frag::Balanced>(ours);
  return frag::make_published(static_cast<frag::Published>(number), frag::most_popular(trace.mix, 95));
}

std::vector<frag::PublishedOrder> make_runs(const Trace& trace, std::uint64_t seeds) {
  std::vector<frag::PublishedOrder> runs;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    runs.push_back(frag::published_order(trace.list, trace.classes, trace.nodes, seed));
  return runs;
}

Figures measure_openb(std::size_t number, const Trace& trace, const frag::Weights& ours,
                      const std::vector<frag::PublishedOrder>& runs) {
  Figures figures;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Stopwatch watch;
    const auto policy = make_policy(number, trace, ours);
    const auto ties = kPolicies[number] == "random" ? frag::Ties::kDrawn : frag::Ties::kFirst;
    frag::Packer packer(runs[i].nodes, trace.classes, *policy, ties, i + 1);
    figures.seeds.push_back(frag::pack(packer, trace.classes, runs[i].arrivals));
    figures.run_s += watch.seconds() / static_cast<double>(runs.size());
  }
  return figures;
}

double percent(std::int64_t milli, const Trace& trace) {
  return 100.0 * static_cast<double>(milli) / static_cast<double>(trace.capacity);
}

std::string by_arrived(const std::array<double, frag::kArrivedPercents.size()>& values) {
  std::string out = "{";
  for (std::size_t i = 0; i < values.size(); ++i)
    out += (i > 0 ? ",\"" : "\"") + std::to_string(frag::kArrivedPercents[i]) + "\":" + json(values[i]);
  return out + "}";
}

// By policy: the mean, each seed, drops (mean over the seeds) and the time of one run.
struct Columns {
  std::string mean_pct, seed_pct, drops, run_s;
};

void add(Columns& columns, const std::string& policy, const Figures& figures, const Trace& trace) {
  std::array<double, frag::kArrivedPercents.size()> mean{};
  std::array<double, 4> drops{};
  std::string seeds = "[";
  const auto count = static_cast<double>(figures.seeds.size());
  for (const auto& packed : figures.seeds) {
    std::array<double, frag::kArrivedPercents.size()> one{};
    for (std::size_t i = 0; i < one.size(); ++i) {
      one[i] = percent(packed.allocated[i], trace);
      mean[i] += one[i] / count;
    }
    seeds += (seeds.size() > 1 ? "," : "") + by_arrived(one);
    const std::array<std::int64_t, 4> dropped = {packed.drops.cpu_only, packed.drops.fraction,
                                                 packed.drops.one, packed.drops.several};
    for (std::size_t i = 0; i < drops.size(); ++i) drops[i] += static_cast<double>(dropped[i]) / count;
  }
  const std::string key = std::string(columns.run_s.empty() ? "{" : ",") + json(policy) + ":";
  columns.mean_pct += key + by_arrived(mean);
  columns.seed_pct += key + seeds + "]";
  columns.drops += key + "{\"cpu_only\":" + json(drops[0]) + ",\"fraction\":" + json(drops[1]) +
                   ",\"one\":" + json(drops[2]) + ",\"several\":" + json(drops[3]) + "}";
  columns.run_s += key + json(figures.run_s);
  std::cerr << policy << ": " << mean.back() << " % at 130 %, " << figures.run_s << " s a run\n";
}

double mean_bound(const Trace& trace, const std::vector<frag::PublishedOrder>& runs) {
  double sum = 0;
  for (const auto& run : runs)
    sum += percent(frag::allocation_bound(trace.nodes, trace.classes, run.arrivals), trace);
  return sum / static_cast<double>(runs.size());
}

Report measure_all(const OpenbOptions& o, const Trace& trace) {
  const auto asked = [&](const std::string& name) {
    return std::find(o.policies.begin(), o.policies.end(), name) != o.policies.end() ||
           std::find(o.policies.begin(), o.policies.end(), "all") != o.policies.end();
  };
  std::string learn_s = "null";
  frag::Weights ours;
  if (asked("ours")) {
    const Stopwatch watch;
    const frag::Learned learned = frag::learn(trace.nodes, trace.mix);
    learn_s = json(watch.seconds());
    ours = learned.weights;
    std::cerr << "ours (balanced): learned by " << learned.simulations << " simulations in " << learn_s
              << " s\n";
  }
  const auto runs = make_runs(trace, o.seeds);
  Columns columns;
  for (std::size_t i = 0; i < kPolicies.size(); ++i)
    if (asked(kPolicies[i])) add(columns, kPolicies[i], measure_openb(i, trace, ours, runs), trace);
  Report report;
  report.bench = "openb";
  std::string policies;
  for (const std::string& policy : o.policies) policies += (policies.empty() ? "" : ",") + policy;
  report.options = {{"nodes", json(o.nodes)},
                    {"pods", json(o.pods)},
                    {"policy", json(policies)},
                    {"seeds", std::to_string(o.seeds)},
                    {"quick", o.quick ? "true" : "false"}};
  report.figures = {{"mean_pct", columns.mean_pct + "}"},
                    {"seed_pct", columns.seed_pct + "}"},
                    {"drops", columns.drops + "}"},
                    {"run_s", columns.run_s + "}"},
                    {"bound_pct", json(mean_bound(trace, runs))},
                    {"learn_s", learn_s}};
  return report;
}

}  // namespace

int run_openb(const std::vector<std::string>& args) {
  OpenbOptions o;
  CLI::App app("How much of the GPUs each policy allocates on a list of nodes and one of pods",
               "berth-bench openb");
  app.add_option("--nodes", o.nodes, "CSV: sn,cpu_milli,memory_mib,gpu,model")->required();
  app.add_option("--pods", o.pods, "CSV: name,cpu_milli,memory_mib,num_gpu,gpu_milli[,gpu_spec,...]")
      ->required();
  std::vector<std::string> names = kPolicies;
  names.emplace_back("all");
  app.add_option("--policy", o.policies, "may be repeated; all when not given")->check(CLI::IsMember(names));
  app.add_option("--seeds", o.seeds, "seeds 1 to N: the runs behind the published figures, in their order")
      ->check(CLI::Range(1, 10'000));
  app.add_flag("--quick", o.quick, "two seeds at most");
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 2; }
  if (o.policies.empty()) o.policies = {"all"};
  if (o.quick) o.seeds = std::min<std::uint64_t>(o.seeds, 2);
  const auto trace = read_trace(o);
  if (!trace.ok()) {
    std::cerr << to_string(trace.error()) << "\n";
    return 2;
  }
  std::cout << to_json(measure_all(o, *trace)) << std::endl;
  return 0;
}

}  // namespace berth::bench
