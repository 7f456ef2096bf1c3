// From an order to what the backend starts: the kernel's spec and environment. Pure.
#pragma once

#include <optional>
#include <string>

#include "agents/core/allocation.h"
#include "agents/kernel/backend.h"
#include "events/schema/v1/order.pb.h"

namespace berth::agents {

inline constexpr Amount kShmDefault = 64 << 20;  // of /dev/shm where the order says none

// nullopt when the order's ids are malformed.
std::optional<KernelKey> key_of(const v1::StartKernel& order);

// What the order gives, device slots apart from the machine's own. `why` is set when the order contradicts
// itself (its devices do not add up to its slots).
Given given_by(const v1::StartKernel& order, std::optional<std::string>& why);

// The complete spec. Environment: what the user asked for, then Berth's own, which nobody overrides:
//   BERTH_SESSION_ID, _SESSION_NAME, _ROLE, _INDEX, _RANK (its place in _HOSTS, from 0), _HOSTS
//   ("main1,sub1"), _CLUSTER_SIZE, _DEVICES
//   ("gpu0:cuda.shares=0.5,gpu1:cuda.shares=1"), NVIDIA_VISIBLE_DEVICES (device ids, "void" for none);
// OMP_NUM_THREADS = the cores it was given, rounded up, unless the user says otherwise.
// REQUIRES: key_of(order).
KernelSpec build_spec(const v1::StartKernel& order, std::optional<Timestamp> lease_until);

}  // namespace berth::agents
