// What a shim does for an OCI kernel besides following it: overlay, runtime, cgroups, the init's own record.
#pragma once

#include <optional>
#include <string>

#include "agents/kernel/shim/records.h"

namespace berth::agents::shim {

// Own mount namespace with the overlay at spec.mount_point: the mount goes when the last process in it goes,
// so nothing is left on the host whoever dies. Empty on success, else what failed.
std::string mount_overlay(const ShimSpec& spec, const KernelFiles& files);

// Replaces the calling process by "runc run --detach". Returns only if that failed.
void exec_runtime(const ShimSpec& spec, const KernelFiles& files);
// The container's PID 1 as the runtime wrote it, 0 when it did not.
std::int64_t runtime_pid(const KernelFiles& files);
// The last error that the runtime logged, for people.
std::string runtime_error(const KernelFiles& files);

// What berth-init left: the wait status of the program; `started` alone when it ran but did not write an end.
struct InitRecord {
  bool started = false;
  std::optional<int> wait_status;
};
InitRecord read_init_record(const KernelFiles& files);

// The host's kernel killed something in this kernel's cgroup for memory.
bool out_of_memory(const ShimSpec& spec);
// Ends whatever is left in the cgroups, removes them and the runtime's folder of this kernel.
void remove_container(const ShimSpec& spec, const KernelFiles& files);
void remove_tree(const std::string& path);

}  // namespace berth::agents::shim
