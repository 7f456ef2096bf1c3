#include "bench/kernels.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>

#include "bench/bare.h"
#include "bench/kernel_rig.h"
#include "bench/report.h"

namespace berth::bench {
namespace {

using agents::BackendKind;

struct KernelsOptions {
  std::string dir;
  std::string images;
  std::uint64_t starts = 50;
  std::uint64_t processes = 2'000;
  std::uint64_t containers = 100;
  std::uint64_t parallel = 4;
  std::uint64_t disk = 0;
  std::uint64_t folders = 0;
  bool quick = false;
};

void add_common(CLI::App& app, KernelsOptions& o) {
  app.add_option("--dir", o.dir, "folder for temporary files");
  app.add_option("--images", o.images, "folder with python:3.11 as ops/images/build makes it");
  app.add_flag("--quick", o.quick, "a tenth");
}

// A kernel says when its program began: `date` by the wall clock.
const std::vector<std::string> kDate{"date", "+%s%N"};

// How long after `run` ordered it a program began, as the program says.
class Starts {
 public:
  explicit Starts(std::function<std::string(std::int64_t& ordered)> run) : run_(std::move(run)) {}
  void start() {
    std::int64_t ordered = 0;
    const std::string said = run_(ordered);
    if (++count_ > 2)
      ns_.push_back(std::strtoll(said.c_str(), nullptr, 10) - ordered);  // the first two find cold caches
  }
  double p50() { return percentile_ms(ns_, 500); }

 private:
  std::function<std::string(std::int64_t& ordered)> run_;
  std::uint64_t count_ = 0;
  std::vector<std::int64_t> ns_;
};

Report measure_start(const KernelsOptions& o) {
  const TempFolder folder(o.dir, "berth-bench-start");
  KernelRig rig(BackendKind::kOci, folder.path(), static_cast<Amount>(o.disk));
  rig.unpack(image_source(o.images));
  const Bundle bundle(folder.path(), rig.rootfs(), rig.make_spec(kDate));
  const auto mounts = rig.make_folders(o.folders);
  std::uint64_t number = 0;
  Starts berth([&](std::int64_t& ordered) { return rig.run_one(kDate, ordered, mounts); });
  Starts without([&](std::int64_t& ordered) { return rig.run_one(kDate, ordered); });
  Starts runtime([&](std::int64_t& ordered) { return say(bundle.run_command(++number), ordered); });
  // In turn: what else the machine does meets all of them.
  for (std::uint64_t i = 0; i < o.starts + 2; ++i) {
    berth.start();
    if (o.folders > 0) without.start();
    runtime.start();
  }
  Report report;
  report.bench = "start";
  report.options = {{"starts", std::to_string(o.starts)},
                    {"disk", std::to_string(o.disk)},
                    {"folders", std::to_string(o.folders)},
                    {"quick", o.quick ? "true" : "false"}};
  report.figures = {{"berth_p50_ms", json(berth.p50())}, {"runtime_p50_ms", json(runtime.p50())}};
  if (o.folders > 0) report.figures.emplace_back("without_folders_p50_ms", json(without.p50()));
  report.ceiling_what = "runc bare, same bundle on the plain rootfs, in turn with ours";
  report.ceiling_per_s = 1000 / runtime.p50();
  report.ratio = berth.p50() / runtime.p50();
  return report;
}

double bare_processes(const KernelsOptions& o) {
  const std::vector<std::vector<std::string>> argv(o.processes, {"true"});
  return static_cast<double>(o.processes) / fork_and_exec(argv, o.parallel);
}

double bare_containers(const KernelsOptions& o, KernelRig& rig, const std::string& folder) {
  const Bundle bundle(folder, rig.rootfs(), rig.make_spec({"true"}));
  std::vector<std::vector<std::string>> argv;
  for (std::uint64_t i = 0; i < o.containers; ++i) argv.push_back(bundle.run_command(i));
  return static_cast<double>(o.containers) / fork_and_exec(argv, o.parallel);
}

Report measure_life(const KernelsOptions& o) {
  Report report;
  report.bench = "life";
  report.options = {{"processes", std::to_string(o.processes)},
                    {"containers", std::to_string(o.containers)},
                    {"parallel", std::to_string(o.parallel)},
                    {"quick", o.quick ? "true" : "false"}};
  const TempFolder folder(o.dir, "berth-bench-life");
  const bool oci = ::geteuid() == 0;
  double process = 0, container = 0, bare_container = 0;
  {
    KernelRig rig(BackendKind::kProcess, folder.path() + "/process");
    process = static_cast<double>(o.processes) / rig.run_lives({"true"}, o.processes, o.parallel);
  }
  const double bare_process = bare_processes(o);
  std::cerr << "process: " << process << "/s, fork and exec " << bare_process << "/s\n";
  if (oci) {
    KernelRig rig(BackendKind::kOci, folder.path() + "/oci");
    rig.unpack(image_source(o.images));
    container = static_cast<double>(o.containers) / rig.run_lives({"true"}, o.containers, o.parallel);
    bare_container = bare_containers(o, rig, folder.path() + "/oci");
    std::cerr << "oci: " << container << "/s, runc bare " << bare_container << "/s\n";
  }
  report.figures = {{"process_per_s", json(process)},
                    {"oci_per_s", oci ? json(container) : "null"},
                    {"process_ratio", json(process / bare_process)},
                    {"oci_ratio", oci ? json(container / bare_container) : "null"}};
  report.ceiling_what = "fork and exec of the same program, as many in parallel";
  report.ceiling_per_s = bare_process;
  report.ratio = process / bare_process;
  return report;
}

int run(CLI::App& app, KernelsOptions& o, const std::vector<std::string>& args,
        Report (*measure)(const KernelsOptions&)) {
  add_common(app, o);
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 2; }
  if (o.quick) {
    o.starts = std::max<std::uint64_t>(1, o.starts / 10);
    o.processes = std::max<std::uint64_t>(1, o.processes / 10);
    o.containers = std::max<std::uint64_t>(1, o.containers / 10);
  }
  const Report report = measure(o);
  std::cout << to_json(report) << std::endl;
  return 0;
}

}  // namespace

int run_start(const std::vector<std::string>& args) {
  KernelsOptions o;
  CLI::App app("From the order at the oci backend to the program's first instruction", "berth-bench start");
  app.add_option("--starts", o.starts, "one after another")->check(CLI::PositiveNumber);
  app.add_option("--disk", o.disk, "bytes that each may write (default: no bound)")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--folders", o.folders, "of a volume, mounted into each")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{agents::kFolderMountsMax}));
  return run(app, o, args, measure_start);
}

int run_life(const std::vector<std::string>& args) {
  KernelsOptions o;
  CLI::App app("Whole lives by the backends alone: ordered, run, ended, forgotten", "berth-bench life");
  app.add_option("--processes", o.processes, "lives by the process backend")->check(CLI::PositiveNumber);
  app.add_option("--containers", o.containers, "lives by the oci backend")->check(CLI::PositiveNumber);
  app.add_option("--parallel", o.parallel, "at a time")->check(CLI::PositiveNumber);
  return run(app, o, args, measure_life);
}

}  // namespace berth::bench
