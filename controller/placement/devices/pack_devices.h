// DevicePacker: several kernels on the devices of one agent: a map for each, all at once, if there is a way
// (one slot type; pure).
//
// It first maps kernel by kernel, as devices.h does. That is enough for whole units, bytes and fragments,
// where only the sum counts, and for equal parts of up to one device. Under the guard against fragments
// kernels can stand in each other's way: then it searches over the devices, each of which takes a set of
// parts. The search is exhaustive for up to 8 kernels of up to one device each, on any number of devices; for
// larger kernels (on several devices) it stops after kMostStates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "controller/placement/devices/devices.h"

namespace berth::placement {

class DevicePacker {
 public:
  static constexpr std::size_t kMostStates = 50'000;

  // `asks` and `shares`: by kernel; a kernel that asks 0 gets none. False if any kernel does not fit;
  // `shares` is undefined then.
  bool pack(const MapPolicy& policy, std::span<const DeviceFree> devices, std::span<const Amount> asks,
            std::vector<std::vector<MapShare>>* shares);

 private:
  // What a kernel still has to get: parts of one quantum more, and plain ones; each on another device.
  struct Parts {
    std::size_t kernel = 0;
    std::int64_t asked = 0;  // quanta
    std::int64_t base = 0;
    std::int64_t more = 0;
    std::int64_t plain = 0;
    auto operator<=>(const Parts&) const = default;
  };
  bool in_order(const MapPolicy& policy, std::span<const Amount> asks,
                std::vector<std::vector<MapShare>>* shares);
  bool search(const MapPolicy& policy, std::span<const Amount> asks);
  bool choose_counts(std::size_t kernel, bool fill);
  bool fill_device(std::size_t device);
  bool give_parts(std::size_t device, std::size_t kernel, std::int64_t room);
  bool known_to_fail(std::size_t device);

  DeviceMapper mapper_;
  std::vector<DeviceFree> left_;
  std::vector<std::int64_t> quanta_;  // free, by device
  std::int64_t largest_ = 0;          // capacity of the largest device
  std::vector<Parts> parts_;          // kernels that ask for something, the largest first
  std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> given_;  // by kernel: device, quanta
  std::set<std::pair<std::size_t, std::vector<Parts>>> failed_;
  std::size_t states_ = 0;
};

}  // namespace berth::placement
