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

#include "agents/kernel/shim/shim.h"
#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {
namespace {

constexpr int kShimDeathsMax = 8;  // of one kernel; then only the agent asks for another

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
  Entry entry{files.key, open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC), {}, 0};
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
  entry.main = state->main;
  if (const auto status = orphans_.take(entry.main)) write_orphan(entry.key, *status);
}

void Launcher::reap() {
  for (;;) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    const ProcessId process =
        identify(info.si_pid).value_or(ProcessId{info.si_pid, 0});  // before its pid is free
    int status = 0;
    if (waitpid(info.si_pid, &status, 0) != info.si_pid) return;
    const auto found = shims_.find(info.si_pid);
    if (found == shims_.end()) {
      orphan_ended(process, status);
      continue;
    }
    Entry entry = std::move(found->second);
    shims_.erase(found);
    shim_ended(std::move(entry), status);
  }
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

// Of a kernel that is known to be without its first shim, or of one whose shim is yet to be seen dead.
void Launcher::orphan_ended(const ProcessId& process, int status) {
  for (const auto& [shim, entry] : shims_)
    if (entry.main.pid == process.pid && entry.main.start == process.start)
      return write_orphan(entry.key, status);
  orphans_.note(process, status);
}

void Launcher::write_orphan(const std::string& key, int status) {
  const KernelFiles files{folders_, key};
  write_aside(files.in("orphan"), files.in("orphan.new"), std::to_string(status) + "\n");
}

}  // namespace berth::agents::shim
