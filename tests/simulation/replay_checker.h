// What a run was, read from the log afresh: the fold agrees with the auditor and with each controller's copy,
// and nothing has leaked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "events/base/hash.h"
#include "tests/simulation/checkers.h"
#include "tests/simulation/sim_controller.h"

namespace berth::simulation {

struct Replayed {
  Hash128 events{}, state{};
};

Replayed check_replay(const SimCluster& cluster, const std::vector<SimController*>& controllers,
                      const JournalAuditor& auditor, std::vector<std::string>& failures);

// How the cluster stands, for people.
std::string describe(const SimCluster& cluster, const projections::State& state,
                     const std::vector<std::unique_ptr<SimAgent>>& agents,
                     const std::vector<SimController*>& controllers);

}  // namespace berth::simulation
