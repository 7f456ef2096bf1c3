// The refusal of a request that names an agent which the state does not know.
#pragma once

#include <string>

#include "events/base/refusal.h"

namespace berth::controller {

inline Refusal unknown_agent(const std::string& name) {
  return {"unknown-agent", "no agent is named '" + name.substr(0, 80) + "'", "berth agent ls"};
}

}  // namespace berth::controller
