// The one feasibility function: whether a need fits on an agent, and on which of its devices.
#pragma once

#include <span>
#include <vector>

#include "controller/placement/devices/devices.h"
#include "controller/placement/devices/pack_devices.h"
#include "controller/placement/model/model.h"

namespace berth::placement {

// The amounts that an agent has of a slot: one cell a device, the agent's own last.
std::span<const SlotCell> cells_of(const Agent& agent, SlotId slot);
bool on_devices(std::span<const SlotCell> cells);
Amount free_of(std::span<const SlotCell> cells);

// Keeps scratch memory between calls; one a strand.
class Fitter {
 public:
  // Returns kNone and the placements (one for each kernel, in order) if `need` fits. Otherwise the stage that
  // stopped it: no-agents (the agent takes no session now), architecture, container-limit, no-capacity,
  // no-device.
  Code fit(const Model& model, const Agent& agent, const Need& need,
           std::vector<KernelPlacement>* placements);
  // The code alone.
  Code fit(const Model& model, const Agent& agent, const Need& need) {
    return fit(model, agent, need, &ignored_);
  }
  // As fit() from no-capacity on: amounts and devices only.
  Code fit_amounts(const Model& model, const Agent& agent, const Need& need,
                   std::vector<KernelPlacement>* placements);
  // The largest amount up to `asked` that the agent could give of this slot if no other slot were requested.
  Amount most(const Model& model, const Agent& agent, SlotId slot, Amount asked);

 private:
  bool place_kernel(const Group& group, std::span<const SlotCell> all, const Requirement& requirement,
                    KernelPlacement* placement);

  void read_devices(std::span<const SlotCell> cells);
  void see_near(std::span<const SlotCell> all, DeviceIndex device);
  bool place_together(const Model& model, const Agent& agent, const Need& need,
                      std::vector<KernelPlacement>* placements);

  DeviceMapper mapper_;
  DevicePacker packer_;
  std::vector<KernelPlacement> ignored_;
  std::vector<DeviceFree> free_;
  std::vector<MapShare> shares_;
  std::vector<Amount> asks_;
  std::vector<std::vector<MapShare>> packed_;
};

// Adds `sign` (1 takes, -1 gives back) times the slots of the kernel to the used amounts of the cells. Makes
// cells that are missing.
void apply_to_cells(std::vector<SlotCell>& cells, const Requirement& requirement,
                    std::span<const DeviceShare> devices, int sign);

}  // namespace berth::placement
