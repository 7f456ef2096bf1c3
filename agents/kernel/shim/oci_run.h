// The shim's part in an OCI kernel: overlay, runtime, the record of the init.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agents/kernel/shim/records.h"
#include "events/base/files/descriptor.h"

namespace berth::agents::shim {

// Enters a new mount namespace. What is mounted in it ends with the last process of the namespace, so nothing
// is left on the host. Empty on success, else the text of the error.
std::string enter_own_mounts();

// Mounts the overlay at spec.mount_point. `disk`: the file system spec.disk, if it is mounted already. Empty
// on success, else the text of the error. REQUIRES: the mount namespace is the shim's own.
std::string mount_overlay(const ShimSpec& spec, const KernelFiles& files, Descriptor disk);

// Replaces the calling process by "runc run --detach". Returns only if that failed. REQUIRES: kExitFd is
// open; kDoorFd too, if the kernel has a door.
void exec_runtime(const ShimSpec& spec, const KernelFiles& files, bool has_door);
// The container's PID 1 as the runtime wrote it, 0 if the runtime did not.
std::int64_t runtime_pid(const KernelFiles& files);
// The last error that the runtime logged, for people.
std::string runtime_error(const KernelFiles& files, const std::string& runtime, int status);

// The record of berth-init: the wait status of the program; `started` alone if no end was written.
struct InitRecord {
  bool started = false;
  std::optional<int> wait_status;
};
InitRecord read_init_record(const std::string& path);

// Whether the host's kernel killed a process of this kernel for memory: at the kernel's own limit, or where
// what is above it had none left: the machine, or a unit of systemd with a limit (berth.slice).
enum class MemoryKill { kNone, kOwnLimit, kAbove };
MemoryKill memory_kill(const ShimSpec& spec);

}  // namespace berth::agents::shim
