#include "bench/app/upload_part.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include "bench/bare.h"
#include "bench/tools.h"
#include "events/base/random.h"

namespace berth::bench {
namespace {

// Bytes that nothing on their way can make smaller.
void make_file(const std::string& path, std::uint64_t mib) {
  std::ofstream out(path, std::ios::binary);
  Rng random(1);
  std::vector<std::uint64_t> words((1u << 20) / sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < mib; ++i) {
    for (auto& word : words) word = random.next();
    out.write(reinterpret_cast<const char*>(words.data()), 1 << 20);
  }
  if (!out.flush()) give_up(make_error("internal-error", "cannot write " + path));
}

void copy_and_sync(const std::string& from, const std::string& to) {
  std::int64_t started = 0;
  say({"cp", from, to}, started);
  const int file = ::open(to.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || ::fsync(file) != 0) give_up(make_error("internal-error", "cannot sync " + to));
  ::close(file);
}

}  // namespace

void measure_upload(std::uint64_t mib, std::uint64_t turns, const BerthUp& up, Report& report) {
  const std::string file = up.data() + "/../file", copy = up.data() + "/copy";
  make_file(file, mib);
  up.berth({"folder", "create", "bench"});
  std::vector<double> ours, theirs, cpu;
  const double size = static_cast<double>(mib);
  for (std::uint64_t i = 0; i < turns; ++i) {
    const double idle = up.cpu_seconds();
    const Stopwatch upload;
    up.berth({"folder", "cp", file, "bench:copy"});
    ours.push_back(size / upload.seconds());
    cpu.push_back((up.cpu_seconds() - idle) * 1e3 / size);
    up.berth(
        {"folder", "remove", "bench:copy"});  // as the copy beside it: both write to pages that were used
    const Stopwatch bare;
    copy_and_sync(file, copy);
    theirs.push_back(size / bare.seconds());
    std::filesystem::remove(copy);
    std::cerr << "upload: " << ours.back() << " MiB/s, cp and fsync " << theirs.back() << " MiB/s\n";
  }
  report.figures.emplace_back("upload_mib_per_s", json(median(ours)));
  report.figures.emplace_back("cp_fsync_mib_per_s", json(median(theirs)));
  report.figures.emplace_back("upload_cpu_ms_per_mib", json(median(cpu)));
  report.figures.emplace_back("upload_ratio", json(median(ours) / median(theirs)));
}

}  // namespace berth::bench
