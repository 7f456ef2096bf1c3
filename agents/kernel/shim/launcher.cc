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
#include <cstring>
#include <vector>

#include "agents/kernel/shim/shim.h"
#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {
namespace {

constexpr int kShimDeathsMax = 8;  // of one kernel; then only the agent asks for another
constexpr std::size_t kOrphansMax = 4096;

}  // namespace

int Launcher::run() {
  setsid();  // Ctrl-C at the agent's terminal is not for the kernels
  prctl(PR_SET_CHILD_SUBREAPER, 1);
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
  signals_ = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0) return 1;
  while (socket_ >= 0 || !shims_.empty()) {
    pollfd fds[] = {{signals_, POLLIN, 0}, {socket_, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return 1;
    if (fds[0].revents != 0) {
      signalfd_siginfo info;
      while (read(signals_, &info, sizeof info) > 0) {}
      reap();
    }
    if (fds[1].revents != 0) take_request();
  }
  return 0;
}

void Launcher::take_request() {
  char buffer[256];
  const ssize_t got = recv(socket_, buffer, sizeof buffer, 0);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) {
    close(socket_);
    socket_ = -1;
    return;
  }
  const std::string_view key(buffer + 1, static_cast<std::size_t>(got) - 1);
  if (key.empty() || key.find('/') != std::string_view::npos) return;
  request(buffer[0], key);
}

void Launcher::request(char verb, std::string_view key) {
  const KernelFiles files{folders_, std::string(key)};
  const std::string pipe = files.in("out");
  if (mkfifo(pipe.c_str(), 0600) == 0) {
    // A program in a user namespace opens /dev/stdout anew: it must be allowed to. The folders above are the
    // agent's alone.
    if (getuid() == 0) chmod(pipe.c_str(), 0622);
  } else if (errno != EEXIST) {
    return;
  }
  Entry entry{files.key, open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC), 0, 0};
  if (entry.output < 0) return;
  fork_shim(std::move(entry), verb == 'A');
}

void Launcher::fork_shim(Entry entry, bool adopt) {
  if (adopt) learn_main(entry);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(entry.output, 3);
    close_range(4, ~0U, 0);
    fcntl(3, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_NAME, "berth-shim");
    Shim shim({folders_, entry.key}, 3);
    _exit(adopt ? shim.adopt() : shim.start());
  }
  if (pid < 0) {
    close(entry.output);  // the agent notices that no record comes, and asks again
    return;
  }
  shims_[pid] = std::move(entry);
}

// Of a kernel whose shim is dead: its process may be our child by now, or may have ended as one.
void Launcher::learn_main(Entry& entry) {
  const auto bytes = read_file(KernelFiles{folders_, entry.key}.state());
  const auto state = bytes ? decode_state(*bytes) : std::nullopt;
  if (!state) return;
  entry.main_pid = state->main.pid;
  const auto found = orphans_.find(static_cast<pid_t>(entry.main_pid));
  if (found != orphans_.end()) write_orphan(entry.key, found->second);
}

void Launcher::reap() {
  std::vector<std::pair<pid_t, int>> ended;
  int status = 0;
  for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG))
    ended.emplace_back(pid, status);
  // Shims first: their deaths tell whose the orphans are.
  for (const auto& [pid, code] : ended) {
    const auto found = shims_.find(pid);
    if (found == shims_.end()) {
      if (orphans_.size() >= kOrphansMax) orphans_.erase(orphans_.begin());
      orphans_[pid] = code;
      continue;
    }
    Entry entry = std::move(found->second);
    shims_.erase(found);
    shim_ended(std::move(entry), code);
  }
  for (const auto& [pid, code] : ended) orphan_ended(pid, code);
}

void Launcher::shim_ended(Entry entry, int status) {
  const KernelFiles files{folders_, entry.key};
  const bool proper = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kExitShimBusy);
  if (proper || access(files.exit().c_str(), F_OK) == 0 || access(files.dir().c_str(), F_OK) != 0 ||
      ++entry.deaths > kShimDeathsMax) {
    close(entry.output);
    return;
  }
  fprintf(stderr, "berth-launcher: the shim of %s died (status %d), another takes over\n", entry.key.c_str(),
          status);
  fork_shim(std::move(entry), true);
}

void Launcher::orphan_ended(pid_t pid, int status) {
  for (const auto& [shim, entry] : shims_) {
    if (entry.main_pid != pid) continue;
    write_orphan(entry.key, status);
    orphans_.erase(pid);
    return;
  }
}

void Launcher::write_orphan(const std::string& key, int status) {
  const KernelFiles files{folders_, key};
  write_aside(files.in("orphan"), files.in("orphan.new"), std::to_string(status) + "\n");
}

}  // namespace berth::agents::shim
