// What `berth app start` and the server say to each other in a WebSocket (controller/api/README.md). Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ops/cli/session/inside_talk.h"

namespace berth::cli {

// How an app stands now.
struct AppNow {
  enum class State { kStarting, kReady, kEnded };
  State state = State::kStarting;
  int exit_code = 0;
  int signal = 0;  // that ended it; 0: it exited
};

// The first message. Failure: usage (what is no UTF-8 is not sent).
Outcome<SocketMessage> start_message(const std::vector<std::string>& arguments,
                                     const std::map<std::string, std::string>& environment);

using AppHeard = std::variant<AppNow, Heard>;
// Failure: not-berth.
Outcome<AppHeard> heard_of_app(SocketMessage message);

}  // namespace berth::cli
