// HttpPart: an app in a container, asked by Berth (API server, tunnel, agent, helper) and by two byte relays
// in the places of API server and agent, in turn.
#pragma once

#include <cstdint>

#include "bench/app/berth_up.h"
#include "bench/report.h"

namespace berth::bench {

struct HttpPartOptions {
  std::uint64_t connections = 16;  // that ask at the same time for small bodies
  double seconds = 3;              // of a turn of small bodies
  std::uint64_t turns = 5;         // of each measurement; medians are told
  std::uint64_t body_mib = 64;     // of a large body
  std::uint64_t trips = 10'000;    // of 64 bytes over one WebSocket, on each way
};

// Adds figures, the ceiling and the ratio of requests.
void measure_http(const HttpPartOptions& options, const BerthUp& up, Report& report);

}  // namespace berth::bench
