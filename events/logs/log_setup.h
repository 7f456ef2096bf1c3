// What a program logs, how and where: to stderr, as text for people on a terminal, else as JSON lines.
//
// The level is this process's own and may change while it runs: by SIGUSR1 (one step more) and SIGUSR2 (one
// step less), or set_log_level(). All functions but the first are thread-safe.
#pragma once

#include <optional>
#include <string>

#include "events/base/clock.h"
#include "events/base/result.h"

namespace berth {

// Levels, from the most to the least: trace, debug, info, warning, error.
inline constexpr const char* kLogLevels = "trace, debug, info, warning or error";

struct LogOptions {
  std::string program;          // "berth-agent"
  std::string format = "auto";  // "json", "text", or "auto": text on a terminal
  std::string level = "info";
};

// First in main(), before there are threads. Codes: log-format-invalid, log-level-invalid.
Result<void> set_up_logs(const LogOptions& options);
// Whether lines are JSON.
bool logs_json();

std::string log_level();
// `lasts` 0: until it is changed again; else the level of before comes back after it. Code:
// log-level-invalid.
Result<void> set_log_level(const std::string& level, Duration lasts);

}  // namespace berth
