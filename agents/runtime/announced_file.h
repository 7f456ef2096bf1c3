// The devices that this agent announced last, kept over restarts (P8): <data>/announced. The file is written
// aside and renamed. A file that is damaged or of another cluster reads as no devices and never stops a
// start.
#pragma once

#include <string>
#include <vector>

#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/schema/v1/event.pb.h"

namespace berth::agents {

std::vector<v1::Device> read_announced(const std::string& path, const Uuid& cluster);
Result<void> write_announced(const std::string& path, const Uuid& cluster, const v1::AgentJoined& announced);

}  // namespace berth::agents
