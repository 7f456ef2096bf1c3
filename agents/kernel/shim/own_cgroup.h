// The cgroups of a container. Standard library only.
//
//   KEY          in the hierarchy of the cpu controller: the container's quota and shares, for all below
//   KEY/kernel   the container's own, in every hierarchy, made by the runtime
//   KEY/shim     its shim's, in the hierarchy of the cpu controller
//   shims        beside KEY: for shims whose kernels are gone
//
// So what a shim does for its kernel is taken from the kernel's quota, and the kernel's processes, however
// many they are, leave the shim its half: it has to end them with their lease (P24).
#pragma once

#include <cstdint>

#include "agents/kernel/shim/records.h"

namespace berth::agents::shim {

// REQUIRES: the runtime has made the container.
void enter_own_cgroup(const ShimSpec& spec);
// Leaves the kernel's cgroups, in which nobody forks from then on.
void close_cgroups(const ShimSpec& spec);
// Kills all processes in the kernel's cgroups and removes those that are empty. True: none is left. A killed
// process is gone a moment later, or never: one that waits for a hung mount ends with that.
bool end_cgroups(const ShimSpec& spec);
// The processes that are left in them, for people: "cp (process 812, in nfs_wait)". Empty: none is.
std::string left_in_cgroups(const ShimSpec& spec);
// One process, as above.
std::string name_process(std::int64_t pid);
// Kills every process whose environment has the mark of this process kernel. False: no process has the mark.
bool kill_marked(const std::string& key);
// Ends all processes in this cgroup and in those below, and removes them, or gives up after about two
// seconds. True: it is not there any more.
bool remove_cgroup_tree(const std::string& cgroup);

}  // namespace berth::agents::shim
