// Pages of a kernel's log, as LogWriter (shim/log_writer.h) left it.
#pragma once

#include <cstdint>

#include "agents/kernel/backend.h"
#include "agents/kernel/shim/records.h"

namespace berth::agents {

inline constexpr std::size_t kLogPageMax = 1 << 20;  // bytes

// `ended`: the kernel had ended before the call, so nothing more is written. If older output was dropped to
// keep the log small, the page begins with a line that says how many bytes are missing. Code unknown-kernel.
Result<LogPage> read_log_page(const shim::KernelFiles& files, std::int64_t offset, std::size_t max_bytes,
                              bool ended);

}  // namespace berth::agents
