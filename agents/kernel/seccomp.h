// The system calls that a kernel may make.
#pragma once

#include <boost/json/object.hpp>

namespace berth::agents {

// The `linux.seccomp` part of a runtime's config.json: allows the calls of ordinary programs and refuses all
// others with EPERM. Refused on purpose: new namespaces, mounts, modules, keys, clocks, reboot, swap, bpf,
// perf, raw I/O, userfaultfd, io_uring, handles, sockets but unix, IP and netlink. Calls of another
// architecture (32-bit, x32) end the process.
boost::json::object default_seccomp();

}  // namespace berth::agents
