// LauncherClient: the agent's end of the launcher. It starts the launcher, again if the launcher died, and
// sends requests to it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <string>

#include "agents/kernel/shim/records.h"
#include "agents/kernel/shim/scope.h"
#include "events/base/files/descriptor.h"
#include "events/base/result.h"

namespace berth::agents {

// One thread at a time. The launcher is started by posix_spawn: no fork of a process that has threads
// (PITFALLS, Kafka).
class LauncherClient {
 public:
  // `scope`: where systemd is to hold it and its kernels; without a name the launcher stays where the agent
  // is.
  LauncherClient(std::string program, shim::Folders folders, shim::ScopeSettings scope = {});
  ~LauncherClient();
  LauncherClient(const LauncherClient&) = delete;
  LauncherClient& operator=(const LauncherClient&) = delete;

  // Starts a launcher, whose messages go to DATA/launcher.log. Codes: launcher-not-started; launcher-failed
  // if the last one ended within a second of its start.
  Result<void> spawn();
  // Readable (end of file) if the launcher has died; writable if flush() may go on.
  int socket() const { return socket_; }
  pid_t pid() const { return pid_; }

  // `disk`: the mount of the kernel's file system, none if it has none or the shim has to make it.
  void send(char verb, const std::string& kernel, Descriptor disk = {});
  // False: the launcher is gone, and unsent requests are dropped. The kernels' records say what to ask again.
  bool flush();
  bool has_unsent() const { return !unsent_.empty(); }
  // Reaps a dead launcher and closes the socket.
  void drop();

 private:
  std::string program_;
  shim::Folders folders_;
  shim::ScopeSettings scope_;
  std::int64_t spawned_at_ = 0;  // CLOCK_BOOTTIME
  int socket_ = -1;
  pid_t pid_ = -1;
  struct Request {
    std::string text;
    Descriptor disk;
  };

  std::deque<Request> unsent_;
};

}  // namespace berth::agents
