// How a stream of a session is opened: GET with the switch to a WebSocket, signed as any.
#pragma once

#include <string>

#include "ops/cli/http/web_socket.h"
#include "ops/cli/shell.h"

namespace berth::cli {

// Of a stream: `what` is exec, shell, copy, or shells and what is below them; `kernel` empty: the session's
// first.
std::string inside_target(const std::string& session, const std::string& what, const std::string& kernel);

// How long to wait before it is tried again; `attempt` counts from 0.
std::chrono::milliseconds pause_before_attempt(int attempt);

// It passes by itself: the server or the agent starts again.
bool is_passing(const Failure& failure);

// Asks once. Failures: those of the API, unreachable, reply-timeout, not-berth.
Outcome<bool> connect_inside(WebSocket& socket, const RequestSigner& sign, const std::string& target,
                             WebSocket::Deadline deadline);
// The same; a server that is busy is asked again for a while.
Outcome<bool> open_inside(Shell& shell, WebSocket& socket, const RequestSigner& sign,
                          const std::string& target);

}  // namespace berth::cli
