// How questions about files are answered, and refused: each code with its HTTP status.
#pragma once

#include <cstdint>
#include <memory>

#include "agents/services/service_server.h"
#include "events/schema/v1/service.pb.h"

namespace berth::agents {

class Uploads;

using StreamHandle = std::shared_ptr<tunnel::Stream>;

void answer_with(const StreamHandle& stream, const v1::FileAnswer& answer);
v1::FileAnswer offset_answer(std::uint64_t offset);

// `offset`: of offset-differs, where the upload goes on.
void refuse_file(const StreamHandle& stream, const Error& error, std::uint64_t offset = 0);
// Where the upload goes on, if that is what the error is about.
std::uint64_t offset_to_tell(const Error& error, const Uploads& uploads, const v1::FileQuestion& question);
Error agent_busy();

}  // namespace berth::agents
