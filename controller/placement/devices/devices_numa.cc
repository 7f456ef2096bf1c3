// Device maps: one NUMA node rather than several (tests/BEHAVIOURS.md 10.4).
#include <algorithm>

#include "controller/placement/devices/devices.h"

namespace berth::placement {

MapEnd DeviceMapper::map(const MapPolicy& policy, std::span<const DeviceFree> devices, Amount asked,
                         std::vector<MapShare>* shares) {
  const MapEnd end = map_on(policy, devices, asked, Where::kAnywhere, 0, shares);
  if (end != MapEnd::kDone) return end;
  const bool several_nodes = std::any_of(devices.begin(), devices.end(), [&](const DeviceFree& device) {
    return device.numa != devices.front().numa;
  });
  if (several_nodes && prefer_one_node(policy, devices, asked, shares)) shares->swap(on_node_);
  return MapEnd::kDone;
}

// Among the candidates so far.
std::uint32_t DeviceMapper::turn_of(std::span<const DeviceFree> devices, std::size_t device) const {
  const auto last = std::find_if(candidates_.rbegin(), candidates_.rend(), [&](const Candidate& c) {
    return devices[c.device].numa == devices[device].numa;
  });
  return last == candidates_.rend() ? 0 : last->turn + 1;
}

// True if on_node_ is better than `shares`, which is the map of the device policy: never more devices.
bool DeviceMapper::prefer_one_node(const MapPolicy& policy, std::span<const DeviceFree> devices, Amount asked,
                                   std::vector<MapShare>* shares) {
  const DeviceFree& first = devices[shares->front().device];
  const auto a_near =
      std::find_if(devices.begin(), devices.end(), [](const DeviceFree& d) { return d.near; });
  const bool some_near = a_near != devices.end();
  const bool several_near = std::any_of(
      a_near, devices.end(), [&](const DeviceFree& d) { return d.near && d.numa != a_near->numa; });
  const bool one_node = std::all_of(shares->begin(), shares->end(), [&](const MapShare& share) {
    return devices[share.device].numa == first.numa;
  });
  const bool may_move = policy.largest_node && !some_near;
  if (one_node && !several_near && !may_move && (first.near || !some_near)) return false;
  nodes_.clear();
  for (const DeviceFree& device : devices) {
    auto node =
        std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& n) { return n.numa == device.numa; });
    if (node == nodes_.end()) node = nodes_.insert(node, {device.numa, device.near, 0});
    node->free += std::max<Amount>(device.free, 0);
  }
  std::sort(nodes_.begin(), nodes_.end(), [&](const Node& a, const Node& b) {
    if (a.near != b.near) return a.near;
    if (a.free != b.free) return policy.largest_node ? a.free > b.free : a.free < b.free;
    return a.numa < b.numa;
  });
  const auto does = [&](Where where, std::int32_t numa) {
    return map_on(policy, devices, asked, where, numa, &on_node_) == MapEnd::kDone &&
           on_node_.size() <= shares->size();
  };
  if (some_near && does(Where::kNear, 0)) return true;
  for (const Node& node : nodes_) {
    if (!node.near && (!one_node || may_move) && does(Where::kNode, node.numa)) return true;
  }
  return false;
}

}  // namespace berth::placement
