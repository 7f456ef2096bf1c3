// The end of all kernels of this machine because the machine stops. Standard library only.
//
// The unit berth-kernels.service stops before the kernels' scopes, the network and remote mounts do. Its
// program writes into each kernel's folder that the machine stops, before any signal, asks the shims, and
// waits until every end is on disk. So a kernel's end has its cause from who made it, never from the signal
// by which it ended: whatever else ends a kernel at that time stays what it was.
#pragma once

#include <cstdint>
#include <string>

#include "agents/kernel/shim/records.h"

namespace berth::agents::shim {

inline constexpr int kMachineStopGraceSeconds = 30;
inline constexpr const char* kMachineStopped = "machine-stopped";

// What `stop` of a kernel's folder holds (records.h): how long after SIGTERM it is killed, and who asks.
struct StopRequest {
  std::int64_t grace = 0;  // ns
  bool machine = false;    // the machine stops
};
std::string encode(const StopRequest& request);
StopRequest decode_stop(const std::string& bytes);

// Writes the request into the kernel's folder. Where there is one already its cause stays, and the shorter
// grace of both: a shim that replaces a dead one has nothing but this file. `aside`: a name of the writer's
// own for the file until it is whole.
void ask_for_stop(const KernelFiles& files, StopRequest request, const char* aside);

// Makes it the record of a kernel that the stop of the machine ended. Its line in `ends` keeps no text.
void be_stopped_by_machine(ExitRecord& record);

// Writes into the kernel's folder that the machine stops, and wakes its shim; `grace` in ns.
void end_for_machine(const KernelFiles& files, std::int64_t grace);

// Whether systemd says that the system runs on: the signal of process 1 then comes of a unit that somebody
// stopped. A systemd that does not answer within 2 s is taken for one that stops.
bool system_goes_on();

// Of every agent of this machine: those whose fast folders lie in /run and /dev/shm. Unless systemd says that
// the system is stopping nothing happens: stopping the unit ends no kernel. The exit code.
int stop_for_machine(int grace_seconds);

}  // namespace berth::agents::shim
