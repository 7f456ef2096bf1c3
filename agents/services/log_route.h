// Pages of a kernel's output: "GET /kernels/ID/ATTEMPT/log?offset=N&limit=BYTES", where a negative offset
// counts from the end.
//
// The body is the page; headers `berth-next` (the offset to go on from) and `berth-ended` ("true": the kernel
// has ended, and nothing follows). A refusal: ServiceServer.
#pragma once

#include <cstdint>
#include <functional>

#include "agents/services/service_server.h"

namespace berth::agents {

// Any thread may call `done`, once; if it is let go, the asker is told that the agent gave the stream up.
using LogRead = std::function<void(Result<LogPage>)>;
// Must not block.
using ReadLog =
    std::function<void(const KernelKey&, std::int64_t offset, std::size_t max_bytes, LogRead done)>;

KernelRoute log_route(ReadLog read_log);

}  // namespace berth::agents
