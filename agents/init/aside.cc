#include "agents/init/aside.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>

namespace berth::init {

using inside::Frame;
using inside::FrameType;

bool Line::send(FrameType type, std::string_view payload) {
  std::string frame;
  inside::append_frame(frame, type, payload);
  std::string_view rest = frame;
  while (!rest.empty()) {
    const ssize_t wrote = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

std::optional<Frame> Line::next() {
  auto frame = frames_.next();
  while (!frame && !frames_.broken()) {
    char bytes[64 << 10];
    const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    frames_.append({bytes, static_cast<std::size_t>(got)});
    frame = frames_.next();
  }
  return frame;
}

namespace {

// Nothing of the helper's but the socket, which is 3 then: no terminal and no channel may stay open for it.
void keep_only(int socket) {
  dup2(socket, 3);
  if (syscall(SYS_close_range, 4, ~0U, 0) == 0) return;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const int end = static_cast<int>(std::min<rlim_t>(files.rlim_max, 1 << 20));
  for (int fd = 4; fd < end; ++fd) close(fd);
}

// A deep tree takes a descriptor a level.
void allow_files() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

[[noreturn]] void be_aside(const Taken& taken, const char* name, const std::function<void(Line&)>& serve) {
  keep_only(taken.socket);
  allow_files();
  setsid();
  prctl(PR_SET_NAME, name);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  fcntl(3, F_SETFL, fcntl(3, F_GETFL) & ~O_NONBLOCK);
  Line line(3, taken.frames);
  serve(line);
  _exit(0);
}

}  // namespace

pid_t start_aside(const Taken& taken, const char* name, const std::function<void(Line&)>& serve) {
  const pid_t pid = fork();
  if (pid == 0) be_aside(taken, name, serve);
  return pid;
}

}  // namespace berth::init
