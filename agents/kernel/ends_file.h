// The ends of kernels as their shims appended them: all that is left of a kernel after a power failure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "agents/kernel/shim/records.h"
#include "events/base/result.h"

namespace berth::agents {

// Reads `path` and rewrites it with the ends of `kept` only (aside, then renamed). Code: data-folder.
Result<std::map<std::string, shim::ExitRecord>> open_ends(const std::string& path,
                                                          const std::set<std::string>& kept);

}  // namespace berth::agents
