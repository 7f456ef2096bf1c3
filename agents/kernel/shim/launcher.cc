#include "agents/kernel/shim/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "agents/kernel/shim/door.h"
#include "agents/kernel/shim/shim.h"
#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {
namespace {

constexpr int kLookForEndsMs = 1000;
constexpr int kShimDeathsMax = 8;  // of one kernel; then only the agent asks for another

// A child that has ended, not yet reaped; nullopt if there is none.
std::optional<pid_t> ended_child() {
  siginfo_t info{};
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return std::nullopt;
  return info.si_pid;
}

// The descriptor that came with a message, if one did.
Descriptor descriptor_of(msghdr& message) {
  const cmsghdr* extra = CMSG_FIRSTHDR(&message);
  if (extra == nullptr || extra->cmsg_type != SCM_RIGHTS) return {};
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(extra), sizeof fd);
  return Descriptor(fd);
}

// The processes of the machine that are children of this one.
std::vector<pid_t> children() {
  const std::string text = read_file("/proc/thread-self/children", 1 << 20).value_or("");
  std::vector<pid_t> pids;
  char* end = nullptr;
  for (const char* at = text.c_str();; at = end) {
    const long pid = std::strtol(at, &end, 10);
    if (end == at) return pids;
    pids.push_back(static_cast<pid_t>(pid));
  }
}

bool have_children() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

int Launcher::run() {
  setsid();    // Ctrl-C at the agent's terminal is not for the kernels
  umask(022);  // the kernels' own; the agent's folder is closed to others as a whole
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (getuid() == 0) set_oom_score(kShimOomScore);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  boot_id();
  sigset_t mask;
  sigfillset(&mask);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  sigaddset(&mask, SIGTERM);
  signals_ = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0) return 1;
  while (socket_ >= 0 || have_children()) {
    pollfd fds[] = {{signals_, POLLIN, 0}, {socket_, POLLIN, 0}};
    // Another launcher's shim may see to the end of a kernel that is our child: nothing tells us of it.
    if (poll(fds, 2, strangers_ ? kLookForEndsMs : -1) < 0 && errno != EINTR) return 1;
    if (fds[0].revents != 0) {
      signalfd_siginfo info;
      while (read(signals_, &info, sizeof info) > 0)
        if (info.ssi_signo == SIGTERM && info.ssi_pid == 1) leave_agent();
      reap();
    }
    if (socket_ >= 0 && fds[1].revents != 0) take_request();
    if (strangers_) end_strangers();
  }
  return 0;
}

void Launcher::leave_agent() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

void Launcher::take_request() {
  char buffer[256];
  alignas(cmsghdr) char extra[CMSG_SPACE(sizeof(int))];
  iovec text{buffer, sizeof buffer};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = extra;
  message.msg_controllen = sizeof extra;
  const ssize_t got = recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) return leave_agent();
  Descriptor disk = descriptor_of(message);
  const std::string_view key(buffer + 1, static_cast<std::size_t>(got) - 1);
  if (key.empty() || key.find('/') != std::string_view::npos) return;
  request(buffer[0], key, std::move(disk));
}

void Launcher::request(char verb, std::string_view key, Descriptor disk) {
  const KernelFiles files{folders_, std::string(key)};
  const std::string pipe = files.in("out");
  if (mkfifo(pipe.c_str(), 0600) == 0) {
    // A program in a user namespace opens /dev/stdout anew: it must be allowed to. The folders above are the
    // agent's alone.
    if (getuid() == 0) chmod(pipe.c_str(), 0622);
  } else if (errno != EEXIST) {
    return;
  }
  Entry entry{files.key, open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC), 0,
              verb == 'S' ? make_door(files.in("door")) : door_of(files.key), std::move(disk)};
  if (entry.output < 0) return;
  fork_shim(std::move(entry), verb == 'A');
}

// Of two shims that are asked to adopt a kernel either may get it, so both have its door.
Descriptor Launcher::door_of(const std::string& key) const {
  for (const auto& [pid, entry] : shims_)
    if (entry.key == key && entry.door) return Descriptor(fcntl(entry.door.get(), F_DUPFD_CLOEXEC, 3));
  return {};
}

void Launcher::fork_shim(Entry entry, bool adopt) {
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(entry.output, 3);
    const bool has_door = entry.door && dup2(entry.door.get(), kDoorFd) == kDoorFd;
    if (!has_door) close(kDoorFd);
    const bool has_disk = entry.disk && dup2(entry.disk.get(), 5) == 5;
    close_range(has_disk ? 6 : 5, ~0U, 0);
    for (const int fd : {3, kDoorFd, 5}) fcntl(fd, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_NAME, "berth-shim");
    Shim shim({folders_, entry.key}, 3, Descriptor(has_door ? kDoorFd : -1), Descriptor(has_disk ? 5 : -1));
    _exit(adopt ? shim.adopt() : shim.start());
  }
  if (pid < 0) {
    close(entry.output);  // the agent notices that no record comes, and asks again
    return;
  }
  entry.disk = {};
  shims_[pid] = std::move(entry);
}

void Launcher::reap() {
  std::vector<std::pair<ProcessId, int>> orphans;
  while (const auto pid = ended_child()) {
    const auto shim = shims_.find(*pid);
    const auto orphan = shim == shims_.end() ? identify(*pid) : std::nullopt;  // readable until it is reaped
    int status = 0;
    waitpid(*pid, &status, 0);
    if (orphan) orphans.emplace_back(*orphan, status);
    if (shim == shims_.end()) continue;
    Entry entry = std::move(shim->second);
    shims_.erase(shim);
    shim_ended(std::move(entry), status);
  }
  // After the shims: their deaths tell whose the orphans are.
  for (const auto& [id, status] : orphans) orphan_ended(id, status);
}

void Launcher::shim_ended(Entry entry, int status) {
  const KernelFiles files{folders_, entry.key};
  const bool proper = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kExitShimBusy);
  const bool over = (proper && WEXITSTATUS(status) == 0) || access(files.exit().c_str(), F_OK) == 0;
  if (!over && !proper) {
    bereft_.insert(entry.key);
    strangers_ = true;
  }
  if (proper || over || access(files.dir().c_str(), F_OK) != 0 || ++entry.deaths > kShimDeathsMax) {
    close(entry.output);
    return;
  }
  fprintf(stderr, "berth-launcher: the shim of %s died (status %d), another takes over\n", entry.key.c_str(),
          status);
  fork_shim(std::move(entry), true);
}

// Notes how a kernel ended whose shim did not see it. Whose process it was stands in the kernel's record.
void Launcher::orphan_ended(const ProcessId& id, int status) {
  for (const std::string& key : bereft_) {
    const KernelFiles files{folders_, key};
    const auto bytes = read_file(files.state());
    const auto state = bytes ? decode_state(*bytes) : std::nullopt;
    if (!state || state->main.pid != id.pid || state->main.start != id.start) continue;
    write_aside(files.in("orphan"), files.in("orphan.new"), std::to_string(status) + "\n");
    return;
  }
}

// A child that is no shim was of a kernel whose shim died. Whose of several nobody can tell any more, so it
// may live as long as one of them does.
void Launcher::end_strangers() {
  std::erase_if(bereft_, [this](const std::string& key) {
    const KernelFiles files{folders_, key};
    return access(files.exit().c_str(), F_OK) == 0 || access(files.dir().c_str(), F_OK) != 0;
  });
  if (!bereft_.empty()) return;
  strangers_ = false;
  for (const pid_t pid : children()) {
    if (shims_.contains(pid)) continue;
    strangers_ = true;  // what it leaves behind is our child next
    kill(pid, SIGKILL);
  }
}

}  // namespace berth::agents::shim
