// Into a kernel: "POST /kernels/ID/ATTEMPT/inside". The asker's body: a request and what is typed, as frames
// of events/inside; the answer's body: what the kernel's helper says, as frames of which each is an Answer
// (answers.h). Nothing comes behind the last answer.
//
// The answer is 200 as soon as the door is open. A refusal before that: ServiceServer; 404 unknown-kernel;
// 409 kernel-not-open, channel-closed, not-for-this-backend; 503 kernel-busy, agent-busy; 400
// request-missing, frame-too-long, or a code of inside::decode(). Later everything is a Problem: one of the
// helper's, or frame-too-long, request-twice, unknown-frame, input-ended, size-wrong (the asker's fault),
// helper-garbled, channel-closed.
//
// An asker that finishes after kInEnd, or after a request that takes no input, is answered on; one that
// finishes before, or resets, closes the channel. To be gone at once it resets: while a program takes no
// input, nobody reads on to the end of the asker's body.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "agents/services/service_server.h"
#include "events/base/clock.h"

namespace berth::agents {

// Any thread may call `done`, once. Codes: unknown-kernel, kernel-not-open.
using DoorFound = std::function<void(Result<std::string>)>;
// The door of a kernel (KernelBackend::door). Must not block.
using FindDoor = std::function<void(const KernelKey&, DoorFound done)>;

// Code not-for-this-backend: kernels have no network of their own (KernelBackend::has_networks), so that
// apps would listen on the host.
Error no_networks();

inline constexpr std::size_t kChannelsOpenMax = 2048;  // of an agent, at once
inline constexpr Duration kBeginMax = 30 * kSecond;    // for the first answer; then helper-silent

// `has_networks`: KernelBackend::has_networks(); without them no app is started.
KernelRoute inside_route(FindDoor find_door, std::size_t channels_max = kChannelsOpenMax,
                         bool has_networks = true, Duration begin_max = kBeginMax);

}  // namespace berth::agents
