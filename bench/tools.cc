#include "bench/tools.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "events/log/open/open_log.h"

namespace berth::bench {

void give_up(const Error& error) {
  std::cerr << "berth-bench: " << to_string(error) << "\n";
  std::_Exit(1);
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double percentile_ms(std::vector<std::int64_t>& ns, int per_mille) {
  if (ns.empty()) return 0;
  std::sort(ns.begin(), ns.end());
  const std::size_t at = std::min(ns.size() - 1, ns.size() * static_cast<std::size_t>(per_mille) / 1000);
  return static_cast<double>(ns[at]) * 1e-6;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

TempFolder::TempFolder(const std::string& parent, const std::string& name)
    : path_(((parent.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(parent)) /
             (name + "-" + std::to_string(::getpid())))
                .string()) {
  std::error_code ec;
  std::filesystem::create_directories(path_, ec);
  if (ec) give_up(make_error("internal-error", "cannot make " + path_ + ": " + ec.message()));
}

TempFolder::~TempFolder() {
  std::error_code ec;
  std::filesystem::remove_all(path_, ec);
}

std::unique_ptr<EventLog> open_fresh_log(const std::string& url, const std::string& folder,
                                         const std::string& cell) {
  LogLayout layout;
  layout.cluster = "bench" + std::to_string(::getpid());
  layout.cell = cell;
  const std::string where =
      url.empty() || url.starts_with("local:") ? "local:" + folder + "/log-" + cell : url;
  return must(open_log({.url = where, .layout = layout, .allow_one_replica = true}));
}

}  // namespace berth::bench
