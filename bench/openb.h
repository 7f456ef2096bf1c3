// The openb experiment: how much of a cluster's GPUs each policy allocates (Weng et al., USENIX ATC'23).
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

int run_openb(const std::vector<std::string>& args);

}  // namespace berth::bench
