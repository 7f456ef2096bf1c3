#include "agents/kernel/shim/system.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <ctime>

namespace berth::agents::shim {
namespace {

std::int64_t read_clock(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return static_cast<std::int64_t>(ts.tv_sec) * 1'000'000'000 + ts.tv_nsec;
}

}  // namespace

std::int64_t boottime_now() { return read_clock(CLOCK_BOOTTIME); }
std::int64_t wall_now() { return read_clock(CLOCK_REALTIME); }

std::optional<std::string> read_file(const std::string& path, std::size_t limit) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::string bytes;
  char buffer[8192];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || bytes.size() >= limit) {
      close(fd);
      if (got < 0) return std::nullopt;
      return bytes;
    }
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

bool write_aside(const std::string& path, const std::string& aside, std::string_view bytes) {
  const int fd = open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool wrote = write_all(fd, bytes);
  const int why = errno;
  close(fd);
  if (wrote && rename(aside.c_str(), path.c_str()) == 0) return true;
  const int saved = wrote ? errno : why;
  unlink(aside.c_str());
  errno = saved;
  return false;
}

bool sync_folder(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool synced = fsync(fd) == 0;
  close(fd);
  return synced;
}

std::string ask_systemd(const std::string& words, int seconds) {
  const std::string ask =
      "timeout -s KILL " + std::to_string(seconds) + " systemctl " + words + " 2>/dev/null";
  FILE* const said = popen(ask.c_str(), "re");
  if (said == nullptr) return {};
  char line[256] = "";
  const bool read = fgets(line, sizeof line, said) != nullptr;
  pclose(said);
  std::string text = read ? line : "";
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

const std::string& boot_id() {
  static const std::string id = [] {
    std::string text = read_file("/proc/sys/kernel/random/boot_id").value_or("unknown");
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }();
  return id;
}

namespace {

// Field 22 of /proc/PID/stat; nullopt when the text is cut short. "pid (name) state ...": the name may hold
// anything, so the fields are counted from the last ')'.
std::optional<std::uint64_t> start_in(std::string_view stat) {
  std::size_t at = stat.rfind(')');
  for (int field = 2; field < 22 && at != std::string_view::npos; ++field) at = stat.find(' ', at + 1);
  std::uint64_t start = 0;
  if (at == std::string_view::npos) return std::nullopt;
  const char* const end = stat.data() + stat.size();
  if (std::from_chars(stat.data() + at + 1, end, start).ec != std::errc()) return std::nullopt;
  return start;
}

}  // namespace

std::optional<ProcessId> identify(std::int64_t pid) {
  if (pid <= 0) return std::nullopt;
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  const auto start = stat ? start_in(*stat) : std::nullopt;
  if (!start) return std::nullopt;
  return ProcessId{pid, *start};
}

std::uint64_t own_start() {
  const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[1024];
  const ssize_t got = read(fd, text, sizeof text);
  close(fd);
  return got > 0 ? start_in({text, static_cast<std::size_t>(got)}).value_or(0) : 0;
}

bool same_process(const ProcessId& id) {
  const auto now = identify(id.pid);
  return now && now->start == id.start;
}

int open_pidfd(const ProcessId& id) {
  if (id.pid <= 0) return -1;
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(id.pid), 0));
  if (fd < 0) return -1;
  if (same_process(id)) return fd;  // looked at after opening: the fd cannot change its process
  close(fd);
  return -1;
}

bool signal_pidfd(int pidfd, int signal) {
  return syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) == 0;
}

void take_output(const char* pipe_path) {
  // Opened for reading too: writing never fails for want of a reader, also when shim or launcher is dead
  // (P23).
  const int out = open(pipe_path, O_RDWR);
  if (out >= 0) {
    dup2(out, 1);
    dup2(out, 2);
    if (out > 2) close(out);
  }
  for (const int ignored : {SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1}) signal(ignored, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void set_oom_score(int score) {
  char text[8];
  const auto end = std::to_chars(text, text + sizeof text, score).ptr;
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  write_all(fd, {text, static_cast<std::size_t>(end - text)});
  close(fd);
}

bool is_own_closed_folder(const std::string& path) {
  struct stat made {};
  return lstat(path.c_str(), &made) == 0 && S_ISDIR(made.st_mode) && made.st_uid == geteuid() &&
         (made.st_mode & 0077) == 0;
}

int take_lock(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  struct stat held {
  }, named{};
  // The folder may have been removed, or made anew, between open and lock: then this lock guards nothing.
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &held) == 0 && stat(path.c_str(), &named) == 0 &&
      held.st_ino == named.st_ino && held.st_dev == named.st_dev)
    return fd;
  close(fd);
  return -1;
}

}  // namespace berth::agents::shim
