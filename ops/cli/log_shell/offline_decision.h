// A past placement, worked out again of a log without its server.
#pragma once

#include <boost/json.hpp>

#include <cstdint>

#include "ops/cli/log_shell/offline_log.h"

namespace berth::cli {

// As GET /v1/decisions/{position} answers a superadmin. Codes: future-moment, before-the-log, no-decision,
// inputs-not-recorded, and those of OfflineLog.
Result<boost::json::value> offline_decision(OfflineLog& log, Offset position,
                                            std::optional<std::uint32_t> index);

}  // namespace berth::cli
