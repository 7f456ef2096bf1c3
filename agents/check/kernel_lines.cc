// What the machine's kernel gives: its version, cgroups, namespaces, overlay, devices, clock.
#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <vector>

#include "agents/check/lines.h"
#include "agents/kernel/cgroup_layout.h"
#include "agents/kernel/shim/id_map.h"
#include "agents/kernel/shim/system.h"
#include "events/base/files/descriptor.h"

namespace berth::agents {
namespace {

std::string first_line(const std::string& path) {
  const std::string text = shim::read_file(path, 4096).value_or("");
  return text.substr(0, text.find('\n'));
}

// Of version 1: each is mounted somewhere. Of version 2: the root's list.
bool has_controller(const CgroupLayout& layout, const std::string& controller) {
  if (layout.v2)
    return (" " + first_line(layout.unified + "/cgroup.controllers") + " ").find(" " + controller + " ") !=
           std::string::npos;
  std::istringstream lines(shim::read_file("/proc/self/mountinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t type = line.find(" - cgroup ");
    if (type == std::string::npos) continue;
    const std::string options = "," + line.substr(line.rfind(' ') + 1) + ",";
    if (options.find("," + controller + ",") != std::string::npos) return true;
  }
  return false;
}

// Mounts an overlay in FOLDER, in a process with mounts of its own. 0: it can be mounted; else errno.
int try_overlay(const std::string& folder) {
  const std::string options =
      "lowerdir=" + folder + "/lower,upperdir=" + folder + "/upper,workdir=" + folder + "/work";
  const std::string at = folder + "/merged";
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) {
    const bool mounted = unshare(CLONE_NEWNS) == 0 &&
                         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("overlay", at.c_str(), "overlay", 0, options.c_str()) == 0;
    _exit(mounted ? 0 : errno == 0 ? EINVAL : errno);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

}  // namespace

bool is_at_least(const std::string& release, int major, int minor) {
  int has_major = 0, has_minor = 0;
  if (std::sscanf(release.c_str(), "%d.%d", &has_major, &has_minor) != 2) return false;
  return has_major > major || (has_major == major && has_minor >= minor);
}

CheckLine check_root() {
  if (geteuid() == 0) return {"root", "yes", CheckLevel::kOk, ""};
  return {"root", "no", CheckLevel::kFails, "Run it as root: the agent of containers is root, too."};
}

CheckLine check_kernel() {
  utsname names{};
  uname(&names);
  CheckLine line{"kernel", names.release, CheckLevel::kOk, ""};
  if (!is_at_least(names.release, 5, 12)) {
    line.level = CheckLevel::kFails;
    line.advice = "Install Linux 5.12 or newer (Debian 12 has 6.1).";
  } else if (!is_at_least(names.release, 5, 19)) {
    line.level = CheckLevel::kLess;
    line.advice = "With Linux 5.19 or newer each kernel has user ids of its own; here all share one range.";
  }
  return line;
}

CheckLine check_cgroups() {
  const auto layout = read_cgroup_layout();
  if (!layout.ok())
    return {"cgroup controllers", "none", CheckLevel::kFails,
            "Mount the cgroup tree: mount -t cgroup2 none /sys/fs/cgroup"};
  CheckLine line{"cgroup controllers", layout->v2 ? "version 2:" : "version 1:", CheckLevel::kOk, ""};
  std::string missing;
  for (const char* controller : {"memory", "cpu", "pids"}) {
    const bool there = has_controller(*layout, controller);
    std::string& list = there ? line.found : missing;
    list += std::string(list.empty() || list.ends_with(':') ? "" : ",") + " " + controller;
    if (!there) line.level = CheckLevel::kFails;
  }
  if (!missing.empty())
    line.advice = "Missing:" + missing +
                  ". Boot without cgroup_disable=, or use the machine itself and not a " +
                  "container in which these controllers are hidden.";
  return line;
}

CheckLine check_overlay(const std::string& folder) {
  std::string temporary = folder + "/.berth-check-XXXXXX";
  const std::string type = "overlay";
  if (mkdtemp(temporary.data()) == nullptr)
    return {type, "not tried", CheckLevel::kFails,
            "Cannot make a folder in " + folder + ": " + std::strerror(errno) + "."};
  for (const char* part : {"/lower", "/upper", "/work", "/merged"}) mkdir((temporary + part).c_str(), 0755);
  const int error = try_overlay(temporary);
  std::error_code ignored;
  std::filesystem::remove_all(temporary, ignored);
  if (error == 0) return {type, "mounts on " + folder, CheckLevel::kOk, ""};
  return {type, std::string("does not mount: ") + std::strerror(error), CheckLevel::kFails,
          error == ENODEV ? "modprobe overlay, and a line `overlay` in /etc/modules."
                          : "Put the data folder on a file system that takes overlays: ext4, xfs or btrfs."};
}

CheckLine check_user_namespaces() {
  const std::string most = first_line("/proc/sys/user/max_user_namespaces");
  std::string why;
  const Descriptor map = shim::make_id_map({100'000, 200'000, 1}, why);
  if (map) return {"user namespaces", "at most " + most, CheckLevel::kOk, ""};
  return {
      "user namespaces", why, CheckLevel::kFails,
      "sysctl -w user.max_user_namespaces=15000, and that line in a file in /etc/sysctl.d; or allow them " +
          std::string("where a security module forbids them.")};
}

CheckLine check_loop_devices() {
  const Descriptor control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  const int free = control ? ioctl(control.get(), LOOP_CTL_GET_FREE) : -1;
  if (free >= 0) return {"loop devices", "loop" + std::to_string(free) + " is free", CheckLevel::kOk, ""};
  return {"loop devices", std::string("none: ") + std::strerror(errno), CheckLevel::kLess,
          "modprobe loop. Until then nothing bounds what a kernel writes, and sessions cannot ask for disk."};
}

CheckLine check_clock() {
  timex state{};
  const int answer = adjtimex(&state);
  if (answer >= 0 && (state.status & STA_UNSYNC) == 0) return {"clock", "synchronized", CheckLevel::kOk, ""};
  return {"clock", "not synchronized", CheckLevel::kLess,
          "Install chrony or systemd-timesyncd: clocks that are 60 s apart delay deadlines."};
}

}  // namespace berth::agents
