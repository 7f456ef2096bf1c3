// berth-launcher DATA_FOLDER FAST_FOLDER [SCOPE ROOT PROCESSES]: started by the agent with the socket as
// descriptor 3, see launcher.h; SCOPE, ROOT and PROCESSES are ScopeSettings (scope.h).
// berth-launcher --machine-stops [SECONDS]: see machine_stop.h.
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "agents/kernel/shim/launcher.h"
#include "agents/kernel/shim/machine_stop.h"
#include "agents/kernel/shim/scope.h"

namespace {

namespace shim = berth::agents::shim;

// Does not return where another program takes over, or nothing can be done.
void stand_in_scope(char** argv) {
  const shim::ScopeSettings settings{argv[3], argv[4], std::atoll(argv[5])};
  shim::Scope scope = shim::enter_scope(settings);
  if (scope == shim::Scope::kMustBeMade) {
    shim::make_scope(settings, {argv[1], argv[2]}, argv);
    fprintf(stderr, "berth-launcher: systemd-run cannot be run: %s\n", std::strerror(errno));
    std::exit(1);
  }
  if (scope == shim::Scope::kFailed) {
    fprintf(stderr, "berth-launcher: %s cannot be entered: %s\n", shim::scope_folder(settings).c_str(),
            std::strerror(errno));
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  shim::end_of_wait();
  if (argc >= 2 && std::strcmp(argv[1], "--machine-stops") == 0)
    return shim::stop_for_machine(argc > 2 ? std::atoi(argv[2]) : shim::kMachineStopGraceSeconds);
  int type = 0;
  socklen_t size = sizeof type;
  if ((argc != 3 && argc != 6) || getsockopt(3, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      type != SOCK_SEQPACKET) {
    fprintf(stderr, "berth-launcher is started by berth-agent, not by hand\n");
    return 2;
  }
  if (argc == 6) stand_in_scope(argv);
  return shim::Launcher({argv[1], argv[2]}, 3).run();
}
