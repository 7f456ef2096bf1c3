// berth-init: what runs in every kernel beside its own programs. Static: a kernel's image holds no library of
// ours.
//
//   berth-init [--exit-fd FD] [--door-fd FD] [--folder PATH] [--dotfiles HOME] [-- COMMAND [ARG...]]
//       PID 1 of a container, see pid1.h
//   berth-init --helper DOOR RESTARTS
//       see helper.h; for kernels without a PID 1 of ours
#include <fcntl.h>
#include <sys/prctl.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "agents/init/helper.h"
#include "agents/init/pid1.h"

int main(int argc, char** argv) {
  using namespace berth::init;
  if (argc == 4 && std::strcmp(argv[1], "--helper") == 0)
    return run_helper(std::atoi(argv[2]), static_cast<std::uint32_t>(std::atoi(argv[3])), std::nullopt);
  prctl(PR_SET_DUMPABLE, 0);
  Pid1 pid1;
  int at = 1;
  for (; at + 1 < argc; at += 2) {
    if (std::strcmp(argv[at], "--folder") == 0) {
      pid1.folder = argv[at + 1];
      continue;
    }
    if (std::strcmp(argv[at], "--dotfiles") == 0) {
      pid1.home = argv[at + 1];
      continue;
    }
    int* const into = std::strcmp(argv[at], "--exit-fd") == 0   ? &pid1.exit_file
                      : std::strcmp(argv[at], "--door-fd") == 0 ? &pid1.door
                                                                : nullptr;
    if (into == nullptr) break;
    const int fd = std::atoi(argv[at + 1]);
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0) *into = fd;
  }
  if (at + 1 < argc && std::strcmp(argv[at], "--") == 0) pid1.command = argv + at + 1;
  return pid1.run();
}
