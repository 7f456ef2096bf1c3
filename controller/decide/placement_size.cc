#include "controller/decide/placement_size.h"

#include <algorithm>

#include "controller/decide/decision.h"
#include "controller/placement/types.h"
#include "events/base/name.h"
#include "events/log/event_log.h"

namespace berth::controller {
namespace {

using projections::AgentRow;

constexpr std::size_t kFieldBytes = 6;  // tag and length of a string or message, more than enough
constexpr std::size_t kIdBytes = 18;
constexpr std::size_t kNumberBytes = 11;

// A folder in a start: beside its target, its own id, its volume's and two flags.
constexpr std::size_t kMountBytes = 2 * kIdBytes + kFieldBytes + 10;

constexpr std::size_t kPassBytes = kFieldBytes + 3 * kNumberBytes;  // where the pass began

// In the record of a plan its victims stand beside the placement.
constexpr std::size_t kVictimBytes = 128;
constexpr std::size_t kPlacementBytesMax = kDecisionBytesMax - placement::kVictimsMax * kVictimBytes;
// Of an order, less what stands around its kernels.
constexpr std::size_t kStartBytesMax = kPayloadBytesMax - (16u << 10);

// A kernel may get a share of each device of the agent that has a slot it asks for.
std::size_t share_bytes(const AgentRow& agent, const v1::RoleSpec& role) {
  std::size_t bytes = 0;
  for (const auto& device : agent.devices)
    for (const auto& has : device.slots)
      for (const auto& asked : role.slots())
        if (asked.slot() == has.slot && asked.amount() > 0)
          bytes += device.id.size() + has.slot.size() + 3 * kFieldBytes + kNumberBytes;
  return bytes;
}

std::size_t most_share_bytes(const projections::State& state, const std::string& group,
                             const v1::RoleSpec& role) {
  std::size_t most = 0;
  state.agents.for_each_unordered([&](const AgentRow& agent) {
    if (agent.group == group) most = std::max(most, share_bytes(agent, role));
  });
  return most;
}

std::size_t image_bytes(const projections::State& state, const std::string& reference) {
  const auto* image = state.images.find(reference);
  return image == nullptr ? 0 : image->def.ByteSizeLong();
}

std::size_t host_bytes(const v1::SessionSpec& spec) {
  std::size_t bytes = 0;
  for (const auto& role : spec.roles()) bytes += role.count() * (role.role().size() + 3 + kFieldBytes);
  return bytes;
}

std::size_t mount_bytes(const v1::SessionSpec& spec) {
  std::size_t bytes = kMountBytes + std::string_view(projections::kAutomaticFolder).size();
  for (const auto& mount : spec.mounts()) bytes += kMountBytes + mount.target().size();
  return bytes;
}

}  // namespace

std::optional<Refusal> check_placement_size(const projections::State& state, const v1::SessionSpec& spec,
                                            std::size_t environment) {
  const std::uint32_t kernels = projections::kernel_count(spec);
  if (kernels == 1) return std::nullopt;  // an agent whose devices alone fill a record could not have joined
  std::size_t record = kPassBytes, order = 0;
  const std::size_t start =
      spec.ByteSizeLong() + environment + host_bytes(spec) + mount_bytes(spec) + 2 * kIdBytes + kNameMax + 64;
  for (const auto& role : spec.roles()) {
    const std::size_t shares = most_share_bytes(state, spec.group(), role);
    const std::size_t placed = kIdBytes + role.role().size() + kNameMax + shares + 5 * kFieldBytes;
    record += role.count() * placed;
    const std::string& image = role.image().empty() ? spec.image() : role.image();
    order += role.count() * (start + role.ByteSizeLong() + image_bytes(state, image) + shares);
  }
  if (record <= kPlacementBytesMax && order <= kStartBytesMax) return std::nullopt;
  return Refusal{"request-too-large",
                 "the placement of " + std::to_string(kernels) + " kernels would not fit its record or order",
                 "ask for fewer kernels or devices, or shorten env and command"};
}

}  // namespace berth::controller
