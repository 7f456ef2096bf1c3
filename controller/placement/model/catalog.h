// Requirements and session classes, interned and counted: equal requests share one object, the last user
// frees it.
#pragma once

#include <span>

#include "controller/placement/model/model.h"

namespace berth::placement {

RequirementIndex intern_requirement(Model& model, Requirement requirement);  // counts one use
void drop_requirement(Model& model, RequirementIndex requirement);

// The class of a request in this group; counts one pending session.
ClassIndex intern_class(Model& model, GroupIndex group, const PendingSpec& spec);
void drop_class(Model& model, ClassIndex session_class);
// Moves one pending session from its class to the one that is the same but for the timeout.
ClassIndex with_timeout(Model& model, ClassIndex session_class, std::uint32_t timeout_s);

// What these kernels have to find together on one agent.
Need need_of(const Model& model, const std::vector<KernelCount>& kernels);
// What one kernel of this requirement has to find on an agent.
Need need_of(const Model& model, RequirementIndex requirement);

// "cuda.shares", not "cpu": such a slot stands on devices and is asked for in multiples of the group's
// quantum.
bool is_accelerator(std::string_view slot_name);

// kNone, or why no agent could ever take such a kernel: unknown-slot, invalid-amount (negative, or more than
// one of a unique slot), exclusive-slots. The slot is the one to blame.
Reason check_shape(const Model& model, const Group& group, std::span<const SlotAmount> slots);

// The group's setting for the slot, or the default.
DevicePolicy device_policy(const Model& model, const Group& group, SlotId slot);

}  // namespace berth::placement
