// What `berth session exec`, `shell` and `cp` and the server say to each other in a WebSocket
// (controller/api/README.md). Pure.
#pragma once

#include <string>
#include <variant>

#include "events/inside/answers.h"
#include "events/inside/messages.h"
#include "ops/cli/exit_code.h"
#include "ops/cli/http/web_socket.h"

namespace berth::cli {

inline constexpr char kInsideProtocol[] = "berth.session.v1";  // the subprotocol

// Codes of the server's problems that the CLI acts on.
inline constexpr Code kStopping = "stopping";
inline constexpr Code kAgentUnreachable = "agent-unreachable";
inline constexpr Code kNoSuchShell = "no-such-shell";
inline constexpr Code kNoSuchApp = "no-such-app";  // it was not started

// The first message, for kExec, kShell, kPack and kUnpack. Failure: usage (what is no UTF-8 is not sent).
Outcome<SocketMessage> first_message(const inside::Request& request);
SocketMessage size_message(inside::Size size);
SocketMessage end_of_input_message();

// What the server says; a Failure is its problem. Ended and Failure are the last.
using Heard = std::variant<inside::Begun, inside::Out, inside::Err, inside::Lost, inside::Ended, Failure>;
// Failure: not-berth.
Outcome<Heard> heard_in(SocketMessage message);

// The exit code of `berth` for a program that ended so: its own, 128 + signal for one that a signal ended.
int exit_code_of(const inside::Ended& ended);

}  // namespace berth::cli
