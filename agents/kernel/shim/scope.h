// The scope of systemd in which the launcher and all kernels of an agent stand. Standard library only.
//
//   berth.slice            weight and memory of all kernels of this machine, as its operator says
//     berth-1a2b.scope     of one agent, its subtree delegated: systemd writes none of what is below
//       launcher           the launcher, and shims that have not made their container yet
//       KEY, shims         own_cgroup.h
//
// So kernels have one writer of their cgroups, stand beside no service, and outlive a restart of the service
// that asked for them. The launcher itself asks for the scope (`systemd-run --scope` registers the process
// that calls it and becomes the program): none but its own process has to be there for kernels to go on.
#pragma once

#include <cstdint>
#include <string>

#include "agents/kernel/shim/records.h"

namespace berth::agents::shim {

inline constexpr const char* kSlice = "berth.slice";

struct ScopeSettings {
  std::string name;            // "berth-1a2b.scope"
  std::string unified;         // root of the version 2 tree; empty: limits are set in version 1
  std::int64_t processes = 0;  // that the scope may have; 0: no bound
};

std::string scope_folder(const ScopeSettings& settings);

enum class Scope { kInside, kMustBeMade, kFailed };
// Enters the scope if it is there; waits up to 30 s for the end of one that is being stopped. kFailed: errno
// says why.
Scope enter_scope(const ScopeSettings& settings);
// Replaces this process by `argv` inside a new scope. Returns only where that cannot be: errno says why.
// After 30 s without an answer of systemd the process is ended by SIGALRM; the program calls end_of_wait().
void make_scope(const ScopeSettings& settings, const Folders& folders, char** argv);
void end_of_wait();

}  // namespace berth::agents::shim
