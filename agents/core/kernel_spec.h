// Turns an order into the kernel's spec and environment, as the backend starts it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/core/allocation.h"
#include "agents/kernel/backend.h"
#include "events/schema/v1/order.pb.h"

namespace berth::agents {

inline constexpr Amount kShmDefault = 64 << 20;  // of /dev/shm where the order says none

// nullopt when the order's ids are malformed.
std::optional<KernelKey> key_of(const v1::StartKernel& order);

// The order's amounts, device slots apart from the machine's own. `why` is set if the order contradicts
// itself (its devices do not add up to its slots).
Given given_by(const v1::StartKernel& order, std::optional<std::string>& why);

// Where a volume lies on this agent.
struct VolumeRoot {
  VolumeId id;
  std::string root;  // absolute path
  bool shared_ids = false;
};

// The order's folders as the backend mounts them; without the automatic one where this agent has not its
// volume. Code folder-missing: this agent has not the volume of one.
Result<std::vector<FolderMount>> mounts_of(const v1::StartKernel& order,
                                           const std::vector<VolumeRoot>& volumes);

// The spec, complete but for its mounts. Environment: the user's variables, then Berth's own, which override
// the user's:
//   BERTH_SESSION_ID, _SESSION_NAME, _ROLE, _INDEX, _CLUSTER_SIZE
//   BERTH_HOSTS ("main1,sub1"), BERTH_RANK (the kernel's place in BERTH_HOSTS, from 0)
//   BERTH_DEVICES ("gpu0:cuda.shares=0.5,gpu1:cuda.shares=1")
//   NVIDIA_VISIBLE_DEVICES (device ids, "void" for none)
// OMP_NUM_THREADS is the kernel's cores, rounded up, unless the user sets it.
// REQUIRES: key_of(order).
KernelSpec build_spec(const v1::StartKernel& order, std::optional<Timestamp> lease_until);

}  // namespace berth::agents
