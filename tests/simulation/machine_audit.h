// What really ran on the machines, by their own record of time: nothing beyond what a machine has, whatever
// became of the journal.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/sim_agent.h"

namespace berth::simulation {

// Over the whole run: at no time more of a slot or a device than the machine has, and no (kernel, attempt)
// twice, on whatever machines (P35).
void audit_runs(const std::vector<std::unique_ptr<SimAgent>>& agents, std::vector<std::string>& failures);
// Nothing ran that was not placed, and what may be requeued ran with a lease, no two attempts of it at one
// time on whatever machines (P24). `placed`: whether it may be. Not after the journal lost records.
void audit_placed(const std::vector<std::unique_ptr<SimAgent>>& agents,
                  const std::map<agents::KernelKey, bool>& placed, std::vector<std::string>& failures);
// What runs now: nothing twice, nothing beyond what a machine has.
void check_machines(const std::vector<std::unique_ptr<SimAgent>>& agents, std::vector<std::string>& failures);

}  // namespace berth::simulation
