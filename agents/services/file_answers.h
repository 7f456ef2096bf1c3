// How questions about files are refused, each code with its HTTP status.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "agents/services/service_server.h"
#include "events/schema/v1/service.pb.h"

namespace berth::agents {

class Uploads;

using StreamHandle = std::shared_ptr<tunnel::Stream>;

// `offset`: of offset-differs, where the upload goes on.
void refuse_file(const StreamHandle& stream, const Error& error, std::uint64_t offset = 0);
// Where the upload goes on, if that is what the error is about.
std::uint64_t offset_to_tell(const Error& error, const Uploads& uploads, const v1::FileQuestion& question);
Error agent_busy();

// One of at most `max` places, held as long as its handle, by whatever thread. Null: all are taken.
std::shared_ptr<void> place_in(const std::shared_ptr<std::atomic<std::size_t>>& taken, std::size_t max);

}  // namespace berth::agents
