// Whether a network that a container gets has ::1.
#pragma once

namespace berth::agents {

// Makes a network, brings its loopback up and binds a socket there: it lacks ::1 where the machine's kernel
// has no IPv6 (ipv6.disable=1, no module) or has it off in new networks. Needs root. Takes some milliseconds.
bool new_networks_have_ipv6();

}  // namespace berth::agents
