// berth-launcher DATA_FOLDER FAST_FOLDER: started by the agent with the socket as descriptor 3, see
// launcher.h.
#include <sys/socket.h>

#include <cstdio>

#include "agents/kernel/shim/launcher.h"

int main(int argc, char** argv) {
  int type = 0;
  socklen_t size = sizeof type;
  if (argc != 3 || getsockopt(3, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) {
    fprintf(stderr, "berth-launcher is started by berth-agent, not by hand\n");
    return 2;
  }
  return berth::agents::shim::Launcher({argv[1], argv[2]}, 3).run();
}
