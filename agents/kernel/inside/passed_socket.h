// Descriptors that come out of a kernel over a channel. Whoever sent them may be hostile: a listening socket,
// a pipe or a file in place of a connection would be read and written by the agent.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "events/base/files/descriptor.h"
#include "events/inside/messages.h"

namespace berth::agents {

// As recv(); what came besides the bytes is in `came`, closed at exec. `too_many` is set if there were more
// than that takes.
ssize_t receive_with_descriptors(const Descriptor& channel, char* bytes, std::size_t size,
                                 std::vector<Descriptor>& came, bool& too_many);

// True if it is a stream socket that is connected to what the request kConnect asks for: a port of 127.0.0.1
// or ::1; of an app any port of these or any Unix socket with a path, since the kernel's helper alone knows
// where the app listens.
bool is_connected_as_asked(const Descriptor& socket, const inside::Request& asked);

// True if it is a TCP connection that a program has made to this port of 127.0.0.1, of the side that listens.
bool is_connected_from_inside(const Descriptor& socket, std::uint16_t port);

}  // namespace berth::agents
