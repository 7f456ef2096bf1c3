#include "agents/init/pid1.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "agents/init/helper.h"
#include "agents/init/home/dotfiles.h"
#include "agents/init/home/python_folders.h"
#include "agents/kernel/shim/system.h"

namespace berth::init {
namespace {

constexpr int kRestMs = 100;  // after a helper that ended, or could not be started

pid_t run_command(char** command, const sigset_t& signals) {
  const pid_t child = fork();
  if (child > 0) setpgid(child, child);  // here and there: whoever comes first, signals find the group
  if (child != 0) return child;
  setpgid(0, 0);
  sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  execvp(command[0], command);
  const int why = errno;
  dprintf(2, "berth-init: cannot run '%s': %s\n", command[0], std::strerror(why));
  _exit(why == ENOENT ? 127 : 126);
}

// What the file system would stamp a change with that is made now.
std::int64_t file_time_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

bool is_passed_on(int signal) {
  return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGUSR1 || signal == SIGUSR2;
}

}  // namespace

void Pid1::note(const char* what, int number) const {
  char line[32];
  const int size = number < 0 ? snprintf(line, sizeof line, "%s\n", what)
                              : snprintf(line, sizeof line, "%s %d\n", what, number);
  // A full disk: whoever waits for this process still knows.
  if (exit_file >= 0) [[maybe_unused]]
    const ssize_t wrote = write(exit_file, line, static_cast<std::size_t>(size));
}

// As the kernel's own user. What the runtime might have left open is closed before: a folder of the host
// would lead out by a path of /proc.
void Pid1::enter_folder() const {
  syscall(SYS_close_range, static_cast<unsigned>(std::max({exit_file, door, 2}) + 1), ~0U, 0);
  if (chdir(folder) != 0) dprintf(2, "berth-init: cannot work in '%s': %s\n", folder, std::strerror(errno));
}

void Pid1::prepare_automatic_folder() const {
  link_dotfiles(kAutomaticFolder, home);
  const char* const base = getenv("PYTHONUSERBASE");
  const std::size_t size = std::strlen(kAutomaticFolder);
  const bool is_in_it =
      base != nullptr && std::strncmp(base, kAutomaticFolder, size) == 0 && base[size] == '/';
  if (is_in_it) make_python_folders(base, kPythonPlaces);
}

int Pid1::run() {
  started_at_ = file_time_now();
  enter_folder();
  sigfillset(&signals_);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&signals_, own);
  sigprocmask(SIG_SETMASK, &signals_, nullptr);
  signal_file_ = signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK);
  note("started", -1);
  if (home != nullptr && is_mounted(kAutomaticFolder)) prepare_automatic_folder();
  if (command != nullptr) child_ = run_command(command, signals_);
  if (child_ < 0) {
    dprintf(2, "berth-init: cannot fork: %s\n", std::strerror(errno));
    return 126;
  }
  while (code_ < 0) await();
  return code_;
}

void Pid1::await() {
  const bool rests = no_helper_until_ != 0 && agents::shim::boottime_now() < no_helper_until_;
  const bool looks = door >= 0 && helper_ == 0 && !rests;
  pollfd fds[] = {{signal_file_, POLLIN, 0}, {looks ? door : -1, POLLIN, 0}};
  poll(fds, 2, rests ? kRestMs : -1);
  while (fds[0].revents != 0 && code_ < 0 && take_signal()) {}
  if (code_ < 0 && (fds[1].revents & POLLIN) != 0)
    start_helper();
  else if (fds[1].revents != 0)
    door = -1;  // it is shut
}

// False: there is none.
bool Pid1::take_signal() {
  signalfd_siginfo info;
  if (read(signal_file_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return false;
  const int signal = static_cast<int>(info.ssi_signo);
  if (signal == SIGCHLD) {
    reap();
  } else if (child_ == 0 && (signal == SIGTERM || signal == SIGINT)) {
    note("signalled", signal);
    code_ = 128 + signal;
  } else if (child_ > 0 && is_passed_on(signal)) {
    kill(-child_, signal);
  }
  return true;
}

void Pid1::reap() {
  int status = 0;
  for (pid_t ended = waitpid(-1, &status, WNOHANG); ended > 0; ended = waitpid(-1, &status, WNOHANG)) {
    if (ended == helper_) {
      helper_ = 0;
      rest();
      ++restarts_;
    }
    if (ended != child_) continue;
    const bool killed = WIFSIGNALED(status);
    note(killed ? "signalled" : "exited", killed ? WTERMSIG(status) : WEXITSTATUS(status));
    code_ = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return;
  }
}

void Pid1::rest() { no_helper_until_ = agents::shim::boottime_now() + kRestMs * 1'000'000; }

void Pid1::start_helper() {
  const pid_t child = fork();
  if (child == 0) {
    if (exit_file >= 0) close(exit_file);
    close(signal_file_);
    prctl(PR_SET_NAME, "berth-helper");
    _exit(run_helper(door, restarts_, started_at_));
  }
  if (child > 0) helper_ = child;
  if (child < 0) rest();
}

}  // namespace berth::init
