#include "agents/kernel/host/ipv6_loopback.h"

#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>
#include <thread>

#include "events/base/files/descriptor.h"

namespace berth::agents {
namespace {

// In this thread's own network from here on.
bool has_ipv6_in_new_network() {
  if (unshare(CLONE_NEWNET) != 0) return false;
  const Descriptor control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP;
  if (!control || ioctl(control.get(), SIOCSIFFLAGS, &loopback) != 0) return false;
  const Descriptor probe(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 here{};
  here.sin6_family = AF_INET6;
  here.sin6_addr = in6addr_loopback;
  return probe && bind(probe.get(), reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0;
}

}  // namespace

bool new_networks_have_ipv6() {
  bool has = false;
  std::thread([&has] { has = has_ipv6_in_new_network(); }).join();
  return has;
}

}  // namespace berth::agents
