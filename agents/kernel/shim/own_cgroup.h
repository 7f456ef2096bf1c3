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

#include "agents/kernel/shim/records.h"

namespace berth::agents::shim {

// REQUIRES: the runtime has made the container.
void enter_own_cgroup(const ShimSpec& spec);
// Leaves the kernel's cgroups, ends all processes in them and removes them.
void remove_cgroups(const ShimSpec& spec);
// Ends all processes in this cgroup and in those below, and removes them. None is there: nothing happens.
void remove_cgroup_tree(const std::string& cgroup);

}  // namespace berth::agents::shim
