// The catalog: requirements and session classes, interned and counted. Equal requests share one row; dropping
// the last use frees the row.
#pragma once

#include <cstdint>
#include <span>

#include "controller/placement/model/model.h"

namespace berth::placement {

RequirementIndex intern_requirement(Model& model, Requirement requirement);  // counts one use
void drop_requirement(Model& model, RequirementIndex requirement);

// The class of a request in this group; counts one pending session.
// Name indexes, ascending, each once.
std::vector<std::uint32_t> intern_names(Model& model, const std::vector<std::string>& names);

ClassIndex intern_class(Model& model, GroupIndex group, const PendingSpec& spec);
void drop_class(Model& model, ClassIndex session_class);
// Moves one pending session from its class to the one that is the same but for the timeout.
ClassIndex with_timeout(Model& model, ClassIndex session_class, std::uint32_t timeout_s);

// What one agent must have free for all of these kernels together.
Need need_of(const Model& model, const std::vector<KernelCount>& kernels);
// What an agent must have free for one kernel of this requirement.
Need need_of(const Model& model, RequirementIndex requirement);

// True for "cuda.shares", false for "cpu": an accelerator slot stands on devices and is requested in
// multiples of the group's quantum.
bool is_accelerator(std::string_view slot_name);

// Why no agent could ever take such a kernel: unknown-slot, invalid-amount (negative, or more than one of a
// unique slot), exclusive-slots, with the slot to blame. kNone: some agent could.
Reason check_shape(const Model& model, const Group& group, std::span<const SlotAmount> slots);

// Whether the slot bears on orders and selections of the group: all do but `disk`, which counts in capacity
// alone unless the group's slot priority names it.
bool is_rated(const Model& model, const GroupPolicy& policy, SlotId slot);

// The group's setting for the slot, or the default.
DevicePolicy device_policy(const Model& model, const Group& group, SlotId slot);

}  // namespace berth::placement
