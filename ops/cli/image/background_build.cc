#include "ops/cli/image/background_build.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <vector>

extern char** environ;

namespace berth::cli {
namespace {

constexpr std::chrono::seconds kStopPatience{20};  // the builder has half of it to end
constexpr std::size_t kNamesBytesMax = 4096;

struct Ends {
  int in = -1, out = -1, log = -1;
};

// With posix_spawn: the caller has threads. A process group of its own: Ctrl-C on a terminal is for the
// parent, which ends the child in good order.
int spawn(const std::vector<std::string>& words, const Ends& ends, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends.in, 0);
  posix_spawn_file_actions_adddup2(&actions, ends.out, 1);
  posix_spawn_file_actions_adddup2(&actions, ends.log, 2);
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
  const int error = posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

Result<void> BackgroundBuild::start(BackgroundBuildConfig config,
                                    std::function<void(const std::string&)> say) {
  config_ = std::move(config);
  say_ = std::move(say);
  const std::vector<std::string> words{config_.program, "--data",           config_.data, "image",
                                       "build",         config_.name,       "--builder",  config_.builder,
                                       "--wait-turn",   "--end-with-input", "--output",   "name"};
  std::array<int, 2> in{-1, -1}, out{-1, -1};
  const int log =
      ::open(config_.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  const bool open = log >= 0 && ::pipe2(in.data(), O_CLOEXEC) == 0 && ::pipe2(out.data(), O_CLOEXEC) == 0;
  const int error = open ? spawn(words, {in[0], out[1], log}, pid_) : errno;
  for (const int fd : {in[0], out[1], log})
    if (fd >= 0) ::close(fd);
  input_ = in[1];
  output_ = out[0];
  if (error == 0) {
    thread_ = std::thread([this] { watch(); });
    return {};
  }
  pid_ = -1;
  close_all();
  return make_error("builder-not-runnable",
                    "cannot build " + config_.name + " in the background: " + std::strerror(error));
}

// The first lines of what the child prints, until it ends.
std::string BackgroundBuild::read_names() {
  std::string names;
  std::array<char, 512> bytes;
  for (;;) {
    const ssize_t got = ::read(output_, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (names.size() < kNamesBytesMax) names.append(bytes.data(), static_cast<std::size_t>(got));
  }
  while (names.ends_with('\n')) names.pop_back();
  for (char& c : names)
    if (c == '\n') c = ' ';
  return names;
}

void BackgroundBuild::watch() {
  const std::string names = read_names();
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
  const std::lock_guard lock(mutex_);
  int status = 0;
  ::waitpid(pid_, &status, 0);  // at once; stop() sends nothing to a number that is free again
  pid_ = -1;
  if (!stopping_)
    say_(WIFEXITED(status) && WEXITSTATUS(status) == 0 && !names.empty()
             ? "image " + names + " is ready"
             : "image " + config_.name + " could not be built; why is in " + config_.log);
  ended_.notify_all();
}

void BackgroundBuild::stop() {
  if (!thread_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    if (pid_ > 0) ::kill(pid_, SIGTERM);
    if (!ended_.wait_for(lock, kStopPatience, [this] { return pid_ < 0; })) ::kill(pid_, SIGKILL);
  }
  thread_.join();
  close_all();
}

void BackgroundBuild::close_all() {
  for (int* fd : {&input_, &output_}) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
}

}  // namespace berth::cli
