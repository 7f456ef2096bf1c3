#include "agents/kernel/launcher_client.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "agents/kernel/shim/system.h"
#include "events/base/clock.h"

namespace berth::agents {
namespace {

ssize_t send_with(int socket, std::string& text, const Descriptor& descriptor) {
  alignas(cmsghdr) char extra[CMSG_SPACE(sizeof(int))] = {};
  iovec part{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor) {
    message.msg_control = extra;
    message.msg_controllen = sizeof extra;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = descriptor.get();
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

LauncherClient::LauncherClient(std::string program, shim::Folders folders, shim::ScopeSettings scope)
    : program_(std::move(program)), folders_(std::move(folders)), scope_(std::move(scope)) {}

// The launcher stays as long as it has kernels; without any it ends now, and is reaped here or by init.
LauncherClient::~LauncherClient() {
  if (socket_ >= 0) close(socket_);
  for (int i = 0; pid_ > 0 && i < 20 && waitpid(pid_, nullptr, WNOHANG) == 0; ++i) usleep(1000);
}

Result<void> LauncherClient::spawn() {
  // One that cannot run is not started again at once, and again.
  const std::int64_t now = shim::boottime_now();
  if (spawned_at_ != 0 && now - spawned_at_ < kSecond) {
    spawned_at_ = 0;
    return make_error("launcher-failed", "berth-launcher ended as soon as it was started",
                      "its words are in " + folders_.data + "/launcher.log");
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return make_error("launcher-not-started", std::string("no socket: ") + std::strerror(errno));
  // Above 3, so that dup2 onto 3 clears close-on-exec in the child.
  const int far = fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
  close(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string log = folders_.data + "/launcher.log";
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, far, 3);
  posix_spawn_file_actions_addclosefrom_np(&actions, 4);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string processes = std::to_string(scope_.processes);
  char* argv[] = {program_.data(),
                  folders_.data.data(),
                  folders_.fast.data(),
                  scope_.name.data(),
                  scope_.unified.data(),
                  processes.data(),
                  nullptr};
  if (scope_.name.empty()) argv[3] = nullptr;
  const int error = posix_spawn(&pid_, program_.c_str(), &actions, &attributes, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(far);
  if (error != 0) {
    close(ends[0]);
    pid_ = -1;
    return make_error("launcher-not-started", "cannot run " + program_ + ": " + std::strerror(error),
                      "berth-launcher stands beside berth-agent in a build's bin folder");
  }
  socket_ = ends[0];
  spawned_at_ = now;
  return {};
}

void LauncherClient::send(char verb, const std::string& kernel, Descriptor disk) {
  unsent_.push_back({verb + kernel, std::move(disk)});
}

bool LauncherClient::flush() {
  while (!unsent_.empty()) {
    const ssize_t sent = send_with(socket_, unsent_.front().text, unsent_.front().disk);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return true;
    if (sent < 0) {
      unsent_.clear();
      return false;
    }
    unsent_.pop_front();
  }
  return true;
}

void LauncherClient::drop() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  if (pid_ > 0 && kill(pid_, SIGKILL) == 0) waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

}  // namespace berth::agents
