#include "bench/app/app.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "bench/app/berth_up.h"
#include "bench/app/http_part.h"
#include "bench/app/terminals_part.h"
#include "bench/app/upload_part.h"
#include "bench/report.h"
#include "bench/tools.h"

namespace berth::bench {
namespace {

constexpr std::uint64_t kUploads = 3;

struct AppBenchOptions {
  std::string dir;
  HttpPartOptions http;
  std::uint64_t terminals = 500;
  std::uint64_t upload_mib = 256;
  bool quick = false;
};

// As `berth up` finds them.
void check_containers() {
  if (::geteuid() != 0) give_up(make_error("not-root", "containers need root on this machine"));
  const char* const images = std::getenv("BERTH_IMAGES");
  const auto there =
      images != nullptr
          ? std::filesystem::path(images)
          : std::filesystem::path(built("berth")).parent_path().parent_path().parent_path() / "images";
  if (!std::filesystem::exists(there / "python" / "index.json"))
    give_up(make_error("image-missing", "there is no image python:3.11 in " + there.string(),
                       "ops/images/build python:3.11"));
}

Report measure(const AppBenchOptions& o) {
  const TempFolder folder(o.dir, "berth-bench-app");
  const BerthUp up(folder.path());
  Report report;
  report.bench = "app";
  report.options = {{"connections", std::to_string(o.http.connections)},
                    {"seconds", json(o.http.seconds)},
                    {"turns", std::to_string(o.http.turns)},
                    {"body_mib", std::to_string(o.http.body_mib)},
                    {"trips", std::to_string(o.http.trips)},
                    {"terminals", std::to_string(o.terminals)},
                    {"upload_mib", std::to_string(o.upload_mib)},
                    {"quick", o.quick ? "true" : "false"}};
  if (o.http.turns > 0) measure_http(o.http, up, report);
  if (o.upload_mib > 0) measure_upload(o.upload_mib, kUploads, up, report);
  if (o.terminals > 0) measure_terminals(o.terminals, up, report);
  return report;
}

}  // namespace

int run_app(const std::vector<std::string>& args) {
  AppBenchOptions o;
  CLI::App app("What people do in a session, through a whole Berth with containers", "berth-bench app");
  app.add_option("--dir", o.dir, "folder for temporary files");
  app.add_option("--connections", o.http.connections, "that ask at the same time for 1 KiB")
      ->check(CLI::Range(1, 512));
  app.add_option("--seconds", o.http.seconds, "of a turn of requests")->check(CLI::PositiveNumber);
  app.add_option("--turns", o.http.turns, "of each measurement over HTTP; medians are told; 0: none")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--body-mib", o.http.body_mib, "of a large body")->check(CLI::Range(1, 4096));
  app.add_option("--trips", o.http.trips, "of 64 bytes over one WebSocket")->check(CLI::PositiveNumber);
  app.add_option("--terminals", o.terminals, "open at the same time; 0: none")->check(CLI::Range(0, 560));
  app.add_option("--upload-mib", o.upload_mib, "of a file that is copied into a folder; 0: none");
  app.add_flag("--quick", o.quick, "one short turn of each");
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 2; }
  if (o.quick) {
    o.http.turns = std::min<std::uint64_t>(o.http.turns, 1);
    o.terminals = std::min<std::uint64_t>(o.terminals, 4);
    o.upload_mib = std::min<std::uint64_t>(o.upload_mib, 16);
    o.http.seconds = std::min(o.http.seconds, 0.5);
    o.http.trips = std::min<std::uint64_t>(o.http.trips, 500);
  }
  check_containers();
  std::cout << to_json(measure(o)) << std::endl;
  return 0;
}

}  // namespace berth::bench
