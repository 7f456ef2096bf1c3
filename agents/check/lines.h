// The lines of the table, one function each. `folder`: where the agent's data lies, or would lie.
#pragma once

#include <cstdint>
#include <string>

#include "agents/check/machine_check.h"

namespace berth::agents {

CheckLine check_root();
CheckLine check_kernel();
CheckLine check_cgroups();
CheckLine check_runtime(const std::string& asked);
CheckLine check_tools();
CheckLine check_overlay(const std::string& folder);
CheckLine check_user_namespaces();
CheckLine check_id_maps(const std::string& folder);
CheckLine check_id_ranges();
CheckLine check_loop_devices();
CheckLine check_project_quota(const std::string& folder);
CheckLine check_clock();
CheckLine check_room(const std::string& folder);

// The decimal version at the beginning of "6.1.0-18-amd64" is at least this one.
bool is_at_least(const std::string& release, int major, int minor);
// The lines of /etc/subuid or /etc/subgid, as "USER has FIRST-LAST", that have an id in [from, to).
std::string overlapping_ranges(const std::string& text, std::int64_t from, std::int64_t to);

}  // namespace berth::agents
