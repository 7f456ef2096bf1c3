// Accelerators: the devices that this agent offers, and the number of shares of each.
//
// There are mock devices only: `mock:GPUSxSHARES[,mem=8g,sm=80]`, e.g. "mock:1x2" is one GPU cut into two
// fGPU. A device has one slot, cuda.shares, of one unit a share: of a device with 5 shares, 1 is a fifth.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "events/base/amount.h"
#include "events/base/result.h"
#include "events/schema/v1/event.pb.h"

namespace berth::agents {

inline constexpr std::uint32_t kDevicesMax = 64;
inline constexpr std::uint32_t kSharesPerDeviceMax = 1000;

struct Accelerator {
  std::string id;            // "gpu0"
  std::string uuid;          // "mock-0"
  std::string model;         // "mock-gpu"
  Amount mem = 8ll << 30;    // bytes on the device
  std::uint32_t sm = 80;     // multiprocessors
  std::uint32_t shares = 0;  // of the device's own description; 0: as configured
};

// `[accelerator]` of the configuration.
struct SharesPolicy {
  std::uint32_t shares_per_device = 1;
  std::map<std::string, std::uint32_t> by_device;  // model or UUID -> shares; a UUID wins over a model
};

// "" and "none" are no devices. Code invalid-accelerator: the message names the fault and the form.
Result<std::vector<Accelerator>> parse_accelerators(std::string_view text);

// The devices as announced at joining. Code invalid-accelerator for 0 shares or too many.
Result<std::vector<v1::Device>> announce_devices(const std::vector<Accelerator>& accelerators,
                                                 const SharesPolicy& policy);

}  // namespace berth::agents
