// To a port of a kernel: "POST /kernels/ID/ATTEMPT/app?port=8888", or "?app=NAME" to where the app of this
// name listens. The asker's body goes to whoever listens there, and what it says is the body of the answer:
// raw bytes, as they come. Either way ends by itself.
//
// The answer is 200 as soon as there is a connection; where the app has a token, the header kAppTokenHeader
// brings it. A refusal before that: ServiceServer; 404
// unknown-kernel, no-such-app; 409 not-for-this-backend, kernel-not-open, channel-closed, port-not-open
// (nobody listens), app-ended; 503 kernel-busy, agent-busy, port-busy; 504 helper-silent; 502 helper-garbled,
// or what else the helper says; 400 port-refused, name-wrong, bad-request.
//
// A stream is reset when the connection is cut, and when no byte has gone either way for so long.
#pragma once

#include <cstddef>

#include "agents/services/inside_route.h"
#include "agents/services/service_server.h"
#include "events/base/clock.h"

namespace berth::agents {

// 48 characters of 0-9a-f. The API server shows them to the app with each request, and to nobody else.
inline constexpr char kAppTokenHeader[] = "x-berth-app-token";

struct AppLimits {
  Duration connect_max = 10 * kSecond;  // until the answer
  Duration idle_max = 15 * kMinute;     // without a byte either way
  std::size_t open_max = 2048;          // connections of an agent, at once
};

// `has_networks`: KernelBackend::has_networks(); without them all are refused.
KernelRoute app_route(FindDoor find_door, bool has_networks, AppLimits limits = {});

}  // namespace berth::agents
