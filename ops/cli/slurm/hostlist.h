// Names of agents as Slurm writes lists of nodes. Pure.
#pragma once

#include <string>
#include <vector>

namespace berth::cli::slurm {

// "a[1-3,7],b" of a1, a2, a3, a7 and b; each name once, in order.
std::string hostlist(const std::vector<std::string>& names);

}  // namespace berth::cli::slurm
