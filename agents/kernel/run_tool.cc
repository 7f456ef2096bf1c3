#include "agents/kernel/run_tool.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace berth::agents {
namespace {

// False at the end of the file.
bool take(int fd, std::string& into, std::size_t limit) {
  char buffer[16384];
  const ssize_t got = read(fd, buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  if (into.size() < limit) into.append(buffer, static_cast<std::size_t>(got));
  return true;
}

pid_t spawn(const std::vector<std::string>& words, int out, int err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  argv.reserve(copies.size() + 1);
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  errno = error;
  return error == 0 ? pid : -1;
}

}  // namespace

ToolResult run_tool(const std::vector<std::string>& words, const std::atomic<bool>& cancel,
                    const std::function<void()>& tick) {
  ToolResult result;
  int out[2] = {-1, -1}, err[2] = {-1, -1};
  const bool piped = pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0;
  const pid_t pid = piped ? spawn(words, out[1], err[1]) : -1;
  if (pid < 0) result.errors = "cannot run " + words[0] + ": " + std::strerror(errno);
  for (const int fd : {out[1], err[1]})
    if (fd >= 0) close(fd);
  bool killed = false, out_open = pid > 0, err_open = pid > 0;
  while (out_open || err_open) {
    pollfd fds[2] = {{out_open ? out[0] : -1, POLLIN, 0}, {err_open ? err[0] : -1, POLLIN, 0}};
    const int ready = poll(fds, 2, 200);
    if (cancel && !killed) killed = kill(-pid, SIGKILL) == 0;
    if (ready == 0) tick();
    if (fds[0].revents != 0) out_open = take(out[0], result.output, 1 << 20);
    if (fds[1].revents != 0) err_open = take(err[0], result.errors, 64 << 10);
  }
  int status = 0;
  if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status)) {
    result.ended = true;
    result.exit_code = WEXITSTATUS(status);
  }
  for (const int fd : {out[0], err[0]})
    if (fd >= 0) close(fd);
  return result;
}

}  // namespace berth::agents
