#include "agents/kernel/shim/scope.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {
namespace {

constexpr unsigned kWaitForSystemd = 30;  // seconds
constexpr int kStateMayWait = 5;          // seconds

// The kernel looks at each folder on the way to a container's own with the rights of its root; nobody else
// lists what is there.
bool open_way(const std::string& folder) { return chmod(folder.c_str(), 0711) == 0; }

bool enter_cgroup(const std::string& group) {
  if (mkdir(group.c_str(), 0755) != 0 && errno != EEXIST) return false;
  const int fd = open((group + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool entered = write_all(fd, std::to_string(getpid()));
  const int why = errno;
  close(fd);
  errno = why;
  return entered;
}

bool has_processes(const std::string& folder) {
  return read_file(folder + "/cgroup.events").value_or("").find("populated 1") != std::string::npos;
}

// False where systemd does not say.
bool is_being_stopped(const std::string& unit) {
  return ask_systemd("show --property ActiveState " + unit, kStateMayWait) == "ActiveState=deactivating";
}

bool stands_in(const std::string& name) {
  return ("\n" + read_file("/proc/self/cgroup").value_or("")).find("/" + name) != std::string::npos;
}

}  // namespace

std::string scope_folder(const ScopeSettings& settings) {
  return settings.unified + "/" + kSlice + "/" + settings.name;
}

Scope enter_scope(const ScopeSettings& settings) {
  const bool inside = stands_in(settings.name);
  if (settings.unified.empty()) return inside ? Scope::kInside : Scope::kMustBeMade;
  const std::string folder = scope_folder(settings);
  // One whose last process has gone is removed by systemd at any moment.
  if (!inside && !has_processes(folder)) return Scope::kMustBeMade;
  // systemd kills a process that enters a scope which is being stopped.
  if (!inside && is_being_stopped(settings.name)) {
    for (unsigned tick = 0; has_processes(folder); ++tick) {
      if (tick == kWaitForSystemd * 10) {
        errno = ETIMEDOUT;
        return Scope::kFailed;
      }
      usleep(100'000);
    }
    return Scope::kMustBeMade;
  }
  if (open_way(folder) && enter_cgroup(folder + "/launcher")) return Scope::kInside;
  return inside ? Scope::kFailed : Scope::kMustBeMade;
}

void make_scope(const ScopeSettings& settings, const Folders& folders, char** argv) {
  std::vector<std::string> words{"systemd-run", "--scope", "--quiet", "--collect", "--unit=" + settings.name,
                                 std::string("--slice=") + kSlice,
                                 "--description=Berth: kernels of " + folders.data, "--property=Delegate=yes",
                                 // They end before what their files lie on goes, and after who ends them in
                                 // order (berth-kernels.service).
                                 "--property=After=network.target remote-fs.target local-fs.target",
                                 "--property=Before=berth-kernels.service",
                                 "--property=RequiresMountsFor=" + folders.data};
  words.push_back("--property=TasksMax=" +
                  (settings.processes > 0 ? std::to_string(settings.processes) : "infinity"));
  words.emplace_back("--");
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  for (char** word = argv; *word != nullptr; ++word) all.push_back(*word);
  all.push_back(nullptr);
  alarm(kWaitForSystemd);  // stays across exec
  execvp(all[0], all.data());
  alarm(0);
}

void end_of_wait() { alarm(0); }

}  // namespace berth::agents::shim
