// What agents have and what is held there: joins, and every change of a used amount.
#pragma once

#include <span>

#include "controller/placement/cluster/cluster.h"
#include "controller/placement/model/model.h"

namespace berth::placement {

// The agent of that id, made (away, without capacity) if it is new.
AgentIndex agent_for(Model& model, std::string_view id);
DeviceIndex device_for(Agent& agent, std::string_view id);

// Capacity, devices and flags as the spec says; what live sessions hold stays held.
void upsert(Model& model, GroupIndex group, const AgentSpec& spec);

// What the group's agents have together, or which of them take sessions, is not what it was.
void capacity_changed(Group& group);
// After any change of an agent: the group's counters and index follow. `gain`: something may fit now that did
// not.
void agent_changed(Model& model, AgentIndex agent, bool gain);

// One kernel takes its slots and a container, or gives them back.
void take(Model& model, RequirementIndex requirement, AgentIndex agent, std::span<const DeviceShare> devices);
void give_back(Model& model, RequirementIndex requirement, AgentIndex agent,
               std::span<const DeviceShare> devices);
// As if it had never been taken: no gain for those who wait.
void undo_take(Model& model, RequirementIndex requirement, AgentIndex agent,
               std::span<const DeviceShare> devices);

// What was said by names, by indexes; counts one use of its requirement.
Live::Kernel kernel_of(Model& model, const HeldKernel& held);

// The table of who holds what. Each kernel counts one use of its requirement.
Live& live_for(Model& model, const SessionId& id);
// What a user's live kernels hold in a group: +1 more, -1 less.
void count_share(Group& group, std::size_t slot_types, std::uint32_t user, std::span<const SlotAmount> slots,
                 int sign);
void count_for_user(Model& model, std::uint32_t user, const Live::Kernel& kernel, int sign);
// Who has a kernel where: told of every kernel that comes to hold slots there, or no longer does.
void add_holder(Model& model, AgentIndex agent, const Live& live);
void drop_holder(Model& model, AgentIndex agent, const Live& live);
void forget_live(Model& model, LiveIndex live);

}  // namespace berth::placement
