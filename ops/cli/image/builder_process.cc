#include "ops/cli/image/builder_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace berth::cli {
namespace {

constexpr int kLookEveryMs = 20;  // for an end of which nothing tells
constexpr int kOutputWaitMs =
    500;  // its end shows as the end of its output, unless another process has that too

// In the child: nothing of this returns, and nothing takes memory.
[[noreturn]] void become(char* const* argv, int out, int err, int failure, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);  // it ended before the line above
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(input, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::execv(argv[0], argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t wrote = ::write(failure, &error, sizeof error);
  ::_exit(127);
}

Error not_runnable(const std::string& program, int error) {
  return make_error("builder-not-runnable", "cannot run " + program + ": " + std::strerror(error),
                    "is it the path of a program? --builder names another");
}

}  // namespace

BuilderProcess::~BuilderProcess() {
  if (pid_ > 0 && !reaped_) end(0);
  close_pipes();
}

Result<void> BuilderProcess::start(const std::vector<std::string>& words) {
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  argv.reserve(copies.size() + 1);
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<std::array<int, 2>, 3> pipes{{{-1, -1}, {-1, -1}, {-1, -1}}};  // stdout, stderr, errno of exec
  bool piped = true;
  for (auto& ends : pipes) piped = piped && ::pipe2(ends.data(), O_CLOEXEC) == 0;
  const pid_t parent = ::getpid();
  int error = piped ? 0 : errno;
  if (piped) {
    pid_ = ::fork();
    if (pid_ == 0) become(argv.data(), pipes[0][1], pipes[1][1], pipes[2][1], parent);
    if (pid_ < 0) error = errno;
  }
  for (auto& ends : pipes)
    if (ends[1] >= 0) ::close(ends[1]);
  if (pid_ > 0) {
    ::setpgid(pid_, pid_);  // whoever of the two comes first
    while (::read(pipes[2][0], &error, sizeof error) < 0 && errno == EINTR) {}
  }
  if (pipes[2][0] >= 0) ::close(pipes[2][0]);
  for (std::size_t i = 0; i < pipes_.size(); ++i) {
    pipes_[i].fd = pipes[i][0];
    if (pipes_[i].fd >= 0) ::fcntl(pipes_[i].fd, F_SETFL, O_NONBLOCK);
  }
  if (error == 0) return {};
  if (pid_ > 0) reap(true);
  close_pipes();
  return not_runnable(words[0], error);
}

bool BuilderProcess::hand_out(Stream stream, const OnLine& on_line) {
  std::string line;
  line.swap(pipes_[static_cast<std::size_t>(stream)].line);
  return on_line(stream, line);
}

// False: no more lines are wanted. At the end of the output the pipe is closed.
bool BuilderProcess::read_some(Stream stream, const OnLine& on_line) {
  Pipe& pipe = pipes_[static_cast<std::size_t>(stream)];
  std::array<char, 4096> bytes;
  const ssize_t got = ::read(pipe.fd, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  for (ssize_t i = 0; i < got; ++i) {
    const char c = bytes[static_cast<std::size_t>(i)];
    if (c != '\n') pipe.line += c;
    if (c != '\n' && pipe.line.size() < kBuilderLineBytesMax) continue;
    if (!hand_out(stream, on_line)) return false;
  }
  if (got > 0) return true;
  ::close(pipe.fd);
  pipe.fd = -1;
  return pipe.line.empty() || hand_out(stream, on_line);
}

// What it wrote is there; a process that it left behind may hold the pipes open for ever.
bool BuilderProcess::read_rest(const OnLine& on_line) {
  for (const Stream stream : {Stream::kOut, Stream::kErr}) {
    Pipe& pipe = pipes_[static_cast<std::size_t>(stream)];
    for (pollfd one{pipe.fd, POLLIN, 0}; pipe.fd >= 0 && ::poll(&one, 1, 0) == 1; one.fd = pipe.fd)
      if (!read_some(stream, on_line)) return false;
    if (!pipe.line.empty() && !hand_out(stream, on_line)) return false;
  }
  return true;
}

BuilderProcess::Stopped BuilderProcess::follow(const std::vector<int>& stops, const OnLine& on_line) {
  for (;;) {
    if (reap(false)) return read_rest(on_line) ? Stopped::kEnded : Stopped::kAsked;
    std::vector<pollfd> fds{{pipes_[0].fd, POLLIN, 0}, {pipes_[1].fd, POLLIN, 0}};
    for (const int fd : stops) fds.push_back({fd, POLLIN, 0});
    const bool open = pipes_[0].fd >= 0 || pipes_[1].fd >= 0;
    ::poll(fds.data(), fds.size(), open ? kOutputWaitMs : kLookEveryMs);
    for (std::size_t i = pipes_.size(); i < fds.size(); ++i)
      if (fds[i].revents != 0) return Stopped::kAsked;
    for (std::size_t i = 0; i < pipes_.size(); ++i)
      if (fds[i].revents != 0 && !read_some(static_cast<Stream>(i), on_line)) return Stopped::kAsked;
  }
}

void BuilderProcess::end(int patience_ms) {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGTERM);
  // The group is gone when nobody is left to get a signal.
  for (int waited = 0; waited < patience_ms; waited += kLookEveryMs) {
    reap(false);
    if (reaped_ && ::kill(-pid_, 0) != 0) return;
    ::poll(nullptr, 0, kLookEveryMs);
  }
  ::kill(-pid_, SIGKILL);
  reap(true);
}

bool BuilderProcess::reap(bool wait) {
  if (reaped_) return true;
  while (!reaped_) {
    const pid_t got = ::waitpid(pid_, &status_, wait ? 0 : WNOHANG);
    reaped_ = got == pid_ || (got < 0 && errno != EINTR);
    if (got == 0) break;
  }
  return reaped_;
}

void BuilderProcess::close_pipes() {
  for (Pipe& pipe : pipes_) {
    if (pipe.fd >= 0) ::close(pipe.fd);
    pipe.fd = -1;
  }
}

bool BuilderProcess::succeeded() const { return reaped_ && WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

std::string BuilderProcess::how_it_ended() const {
  return WIFEXITED(status_) ? "exit code " + std::to_string(WEXITSTATUS(status_))
                            : "signal " + std::to_string(WTERMSIG(status_));
}

}  // namespace berth::cli
