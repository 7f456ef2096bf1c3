// `api`: the HTTP API that ships, over loopback and signed: answers a second, and streams of rows beside
// placements.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

int run_api(const std::vector<std::string>& args);

}  // namespace berth::bench
