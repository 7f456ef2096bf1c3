// Device maps: which devices of one agent give a slot, and how much each (BEHAVIOURS.md 10.1 to 10.3). Pure
// functions.
//
// Of the maps that take as few devices it prefers one on devices of a single NUMA node: the near one first
// (where the kernel has a device already; where it has some on several nodes, those nodes in turn), then the
// node with the least free that does (cores: with the most). If no single node does, the map of the device
// policy (near devices before equal ones).
//
// A map works in quanta: what a device has free and what is asked are rounded down to the quantum. Devices
// are named by their place in the list handed in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "controller/placement/types.h"

namespace berth::placement {

struct DeviceFree {
  Amount capacity = 0;
  Amount free = 0;  // may be negative: gives nothing
  std::int32_t numa = 0;
  bool near = false;  // on a node of which this kernel has another device
};

struct MapShare {
  std::uint32_t device = 0;  // place in the list
  Amount amount = 0;
  bool operator==(const MapShare&) const = default;
};

struct MapPolicy {
  SlotKind kind = SlotKind::kCount;
  Spread spread = Spread::kEven;
  Amount quantum = 1;
  bool allow_fragments = false;
  Amount min_unit = 0;  // no device gives less than this
  bool largest_node =
      false;  // of several NUMA nodes that could the one with the most free comes first: cores (10.4)
};

enum class MapEnd : std::uint8_t {
  kDone,
  kInvalid,       // rounds to zero, or more than one of a unique slot
  kInsufficient,  // less in sum than asked
  kFragmented,    // enough in sum, on no set of devices that is allowed
};

// Fills `shares` (by place; empty unless kDone). Keeps its scratch memory between calls.
class DeviceMapper {
 public:
  MapEnd map(const MapPolicy& policy, std::span<const DeviceFree> devices, Amount asked,
             std::vector<MapShare>* shares);

 private:
  struct Candidate {
    std::uint32_t device;
    std::int64_t quanta;
    bool near = false;
    std::uint32_t turn = 0;  // how many of its node come before it, where nodes take turns
  };
  struct Node {
    std::int32_t numa = 0;
    bool near = false;
    std::int64_t free = 0;
  };
  // The map of the device policy on the devices of one node, on near devices, or on all.
  enum class Where : std::uint8_t { kAnywhere, kNear, kNode };
  MapEnd map_on(const MapPolicy& policy, std::span<const DeviceFree> devices, Amount asked, Where where,
                std::int32_t numa, std::vector<MapShare>* shares);
  std::uint32_t turn_of(std::span<const DeviceFree> devices, std::size_t device) const;
  bool prefer_one_node(const MapPolicy& policy, std::span<const DeviceFree> devices, Amount asked,
                       std::vector<MapShare>* shares);
  bool discrete(const MapPolicy& policy, std::int64_t asked);
  bool one_device(const MapPolicy& policy, std::int64_t asked);
  bool fill(const MapPolicy& policy, std::int64_t asked);
  bool even(std::int64_t asked, std::int64_t min_quanta);
  bool guarded(const MapPolicy& policy, std::int64_t asked, std::int64_t largest_capacity);
  bool equal_shares(const MapPolicy& policy, std::int64_t asked, std::int64_t count);
  std::int64_t level(std::size_t count, std::int64_t asked);
  void match_smallest();
  void sort_by_free_descending();

  std::vector<Candidate> candidates_;  // devices with something to give
  std::vector<std::int64_t> shares_;   // being tried, ascending
  std::vector<std::int64_t> best_;
  std::vector<Candidate> given_;  // quanta given
  std::vector<Node> nodes_;
  std::vector<MapShare> on_node_;
};

}  // namespace berth::placement
