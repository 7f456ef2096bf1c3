// What `berth up` says when it is stopped. Pure.
#pragma once

#include <string>
#include <vector>

#include "events/base/clock.h"
#include "ops/cli/up.h"

namespace berth {

// Names of the sessions with a kernel on the agent that stops.
struct HereAtStop {
  std::vector<std::string> staying;
  std::vector<std::string>
      leased;  // requeueable: may run on without the cluster only until their lease is over
  Duration lease = 0;
};

// "berth up --data ~/berth --port 7500": the options that are not the default.
std::string command_of(const UpOptions& options);
// Lines: who goes on, how to come back, how to end them; or that kernels are ended.
std::string stop_words(const UpOptions& options, const HereAtStop& here);

}  // namespace berth
