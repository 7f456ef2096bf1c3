// What the machine has installed and stored: runtime, tools, ids, file systems, room.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "agents/check/lines.h"
#include "agents/kernel/backends.h"
#include "agents/kernel/host/programs.h"
#include "agents/kernel/id_ranges.h"
#include "agents/kernel/run_tool.h"
#include "agents/kernel/shim/system.h"
#include "events/base/amount.h"
#include "events/base/files/descriptor.h"

namespace berth::agents {
namespace {

constexpr Amount kGiB = Amount{1} << 30;
constexpr Amount kRoomMin = 2 * kGiB;      // one image, unpacked
constexpr Amount kRoomEnough = 10 * kGiB;  // some images, and kernels that write

std::string first_line_of(const std::string& program) {
  static const std::atomic<bool> never{false};
  const auto ran = run_tool({program, "--version"}, never, [] {});
  return ran.output.substr(0, ran.output.find('\n'));
}

// The line of mountinfo with the file system that the folder lies on.
std::string mount_of(const std::string& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0) return "";
  std::istringstream lines(shim::read_file("/proc/self/mountinfo").value_or(""));
  std::string best;
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skip, at;
    words >> skip >> skip >> skip >> skip >> at;
    const bool above = at == "/" || folder == at || folder.starts_with(at + "/");
    if (!above || at.size() < longest) continue;
    longest = at.size();
    best = line;
  }
  return best;
}

}  // namespace

CheckLine check_runtime(const std::string& asked) {
  const auto program = runtime_for(asked);
  if (program.ok()) return {"runtime", *program + ": " + first_line_of(*program), CheckLevel::kOk, ""};
  return {"runtime", program.error().message, CheckLevel::kFails, program.error().hint};
}

CheckLine check_tools() {
  std::string there, missing;
  for (const char* name : {"skopeo", "umoci", "mke2fs"}) {
    std::string& list = find_program(name).empty() ? missing : there;
    list += std::string(list.empty() ? "" : ", ") + name;
  }
  if (missing.empty()) return {"image tools", there, CheckLevel::kOk, ""};
  return {"image tools", "missing: " + missing, CheckLevel::kFails, "apt-get install skopeo umoci e2fsprogs"};
}

CheckLine check_id_maps(const std::string& folder) {
  const Descriptor at(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto takes =
      at ? takes_idmaps(at.get()) : Result<void>(make_error("data-folder", folder + " cannot be opened"));
  if (takes.ok()) return {"id maps", "taken by " + folder, CheckLevel::kOk, ""};
  if (takes.error().code == "no-user-namespaces")
    return {"id maps", takes.error().message, CheckLevel::kFails, "See user namespaces."};
  return {"id maps", takes.error().message, CheckLevel::kLess,
          "Put the data folder on ext4, xfs or btrfs: kernels share one range of ids here, and volumes on it "
          "need --shared-ids."};
}

std::string overlapping_ranges(const std::string& text, std::int64_t from, std::int64_t to) {
  std::string found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {  // "alice:100000:65536"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::int64_t begin = std::strtoll(line.c_str() + first + 1, nullptr, 10);
    const std::int64_t count = std::strtoll(line.c_str() + second + 1, nullptr, 10);
    if (count <= 0 || begin >= to || begin + count <= from) continue;
    found += (found.empty() ? "" : ", ") + line.substr(0, first) + " has " + std::to_string(begin) + "-" +
             std::to_string(begin + count - 1);
  }
  return found;
}

CheckLine check_id_ranges() {
  const BackendConfig config;
  const std::int64_t images = config.id_base, all = kKernelIdsBase;
  const std::string shown = std::to_string(images) + "-" + std::to_string(images + config.id_count - 1) +
                            ", " + std::to_string(all) + "-" + std::to_string(kDiskBase + kDiskCount - 1);
  std::string others;
  for (const char* file : {"/etc/subuid", "/etc/subgid"}) {
    const std::string text = shim::read_file(file).value_or("");
    for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{images, images + config.id_count},
                                   {all, std::int64_t{kDiskBase} + kDiskCount}}) {
      const std::string found = overlapping_ranges(text, from, to);
      if (!found.empty()) others += (others.empty() ? "" : "; ") + (file + (": " + found));
    }
  }
  if (others.empty()) return {"id ranges", shown, CheckLevel::kOk, ""};
  return {"id ranges", others, CheckLevel::kLess,
          "Berth uses " + shown + ". Give these users other ranges, or let them run no containers here."};
}

CheckLine check_project_quota(const std::string& folder) {
  const std::string line = mount_of(folder);
  const std::size_t dash = line.find(" - ");
  std::string type, skip;
  if (dash != std::string::npos) {
    std::istringstream words(line.substr(dash + 3));
    words >> type;
  }
  const bool on = line.find("prjquota") != std::string::npos || line.find("pquota") != std::string::npos;
  // Kernels' disks are file systems in files, so that nothing depends on it.
  return {"project quota", (on ? "on, " : "off, ") + (type.empty() ? "unknown" : type) + "; not needed",
          CheckLevel::kOk, ""};
}

CheckLine check_room(const std::string& folder) {
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0)
    return {"room", folder + " cannot be looked at", CheckLevel::kFails,
            "Choose another folder with --data."};
  const Amount free = static_cast<Amount>(disk.f_bavail) * static_cast<Amount>(disk.f_frsize);
  const Amount tenths = free / (kGiB / 10);
  const std::string shown = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GiB";
  CheckLine line{"room", shown + " free on " + folder, CheckLevel::kOk, ""};
  if (disk.f_files > 0 && disk.f_favail < 100'000) {
    line.level = CheckLevel::kLess;
    line.advice = "Few inodes are left there: an image has 10,000 files and more.";
  }
  if (free >= kRoomEnough) return line;
  line.level = free < kRoomMin ? CheckLevel::kFails : CheckLevel::kLess;
  line.advice =
      "Make room there, or choose another folder with --data: images and kernels' files need 10 GiB.";
  return line;
}

}  // namespace berth::agents
