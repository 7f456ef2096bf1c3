// The refusal of a request that names an agent which the state does not know.
#pragma once

#include <string>

#include "events/base/refusal.h"
#include "events/base/text.h"

namespace berth::controller {

inline Refusal unknown_agent(const std::string& name) {
  return {"unknown-agent", "no agent is named '" + clipped(name) + "'", "berth agent ls"};
}

}  // namespace berth::controller
