// The ledger of agents: what each has, and what is taken there. All changes of used amounts are made here.
#pragma once

#include <cstdint>
#include <span>

#include "controller/placement/cluster/cluster.h"
#include "controller/placement/model/model.h"

namespace berth::placement {

// The agent of this id. A new agent is away and has no capacity.
AgentIndex agent_for(Model& model, std::string_view id);
DeviceIndex device_for(Agent& agent, std::string_view id);

// Sets capacity, devices and flags as in the spec. Slots that live sessions occupy stay occupied.
void upsert(Model& model, GroupIndex group, const AgentSpec& spec);

// The capacity of the group's agents changed, or which of them take sessions.
void capacity_changed(Group& group);
// REQUIRED after any change of an agent: the group's counters and index follow. `gain`: a request that was
// refused may fit now.
void agent_changed(Model& model, AgentIndex agent, bool gain);

// One kernel takes its slots and a container, or gives them back. Giving back is a gain.
void take(Model& model, RequirementIndex requirement, AgentIndex agent, std::span<const DeviceShare> devices);
void give_back(Model& model, RequirementIndex requirement, AgentIndex agent,
               std::span<const DeviceShare> devices);
// The same without a gain: as if the kernel had never taken them.
void undo_take(Model& model, RequirementIndex requirement, AgentIndex agent,
               std::span<const DeviceShare> devices);

// Turns names into indexes. Counts one use of the kernel's requirement.
Live::Kernel kernel_of(Model& model, const PlacedKernel& placed);

// The row of the live session, made if it is new. Each kernel in it counts one use of its requirement.
Live& live_for(Model& model, const SessionId& id);
// Adds (`sign` 1) or subtracts (-1) slots in what the user's live kernels occupy in the group.
void count_share(Group& group, std::size_t slot_types, std::uint32_t user, std::span<const SlotAmount> slots,
                 int sign);
void count_for_user(Model& model, std::uint32_t user, const Live::Kernel& kernel, int sign);
// The live sessions of each agent. Call for every kernel that occupies slots there, and that releases them.
void add_holder(Model& model, AgentIndex agent, const Live& live);
void drop_holder(Model& model, AgentIndex agent, const Live& live);
void forget_live(Model& model, LiveIndex live);

}  // namespace berth::placement
