// tests/BEHAVIOURS.md 10.4, the cases of one slot; those of several stand in tests/scenario/10.4-*.
#include <gtest/gtest.h>

#include "controller/placement/devices/devices.h"

namespace berth::placement {
namespace {

struct Case {
  const char* row;
  std::vector<DeviceFree> devices;  // capacity and free in tenths
  Spread spread;
  Amount quantum, asked;  // in tenths
  const char* expected;
  bool allow_fragments = false;
};

std::string map(const Case& row) {
  constexpr Amount kTenth = kUnit / 10;
  std::vector<DeviceFree> devices = row.devices;
  for (DeviceFree& device : devices) device.capacity *= kTenth, device.free *= kTenth;
  std::vector<MapShare> shares;
  const MapPolicy policy{SlotKind::kCount, row.spread, row.quantum * kTenth, row.allow_fragments, 0};
  if (DeviceMapper().map(policy, devices, row.asked * kTenth, &shares) != MapEnd::kDone) return "none";
  std::string line;
  for (const MapShare& share : shares)
    line += "a" + std::to_string(share.device) + "=" + std::to_string(share.amount / kTenth) + " ";
  return line;
}

TEST(NumaPreference, OneNodeRatherThanSeveral) {
  const Spread even = Spread::kEven, fill = Spread::kFill;
  const std::vector<Case> cases{
      {"x: 1 -> a0", {{10, 10, 0}, {10, 10, 0}, {10, 10, 1}, {10, 10, 1}}, even, 10, 10, "a0=10 "},
      {"x: next 2 -> a2, a3",
       {{10, 0, 0}, {10, 10, 0}, {10, 10, 1}, {10, 10, 1}},
       even,
       10,
       20,
       "a2=10 a3=10 "},
      {"x: next 2 -> a2, a3, fill",
       {{10, 0, 0}, {10, 10, 0}, {10, 10, 1}, {10, 10, 1}},
       fill,
       10,
       20,
       "a2=10 a3=10 "},
      {"fractions", {{10, 0, 0}, {10, 10, 0}, {10, 10, 1}, {10, 10, 1}}, even, 1, 18, "a2=9 a3=9 "},
      {"fragments", {{10, 3, 0}, {10, 9, 0}, {10, 8, 1}, {10, 8, 1}}, even, 1, 16, "a2=8 a3=8 ", true},
      {"no node has it: as without nodes",
       {{10, 0, 0}, {10, 10, 0}, {10, 10, 1}, {10, 0, 1}},
       even,
       10,
       20,
       "a1=10 a2=10 "},
      {"never more devices for it",
       {{10, 8, 0}, {10, 5, 1}, {10, 5, 1}, {10, 5, 1}, {10, 8, 2}},
       even,
       1,
       15,
       "a0=8 a4=7 "},
      {"the node with least free",
       {{10, 10, 0}, {10, 0, 0}, {10, 10, 1}, {10, 10, 1}, {10, 10, 1}, {10, 10, 2}, {10, 10, 2}},
       fill,
       10,
       20,
       "a5=10 a6=10 "},
      {"one device: the smallest that does, whatever its node (FR6)",
       {{10, 9, 0}, {10, 5, 1}},
       even,
       1,
       5,
       "a1=5 "},
      {"near: where the kernel has a device", {{10, 10, 0}, {10, 10, 1, true}}, even, 10, 10, "a1=10 "},
      {"npu1 taken, cuda 1.5 of 3: gpu1 and two nodes",
       {{10, 10, 0}, {10, 10, 1, true}, {10, 10, 2}},
       fill,
       1,
       15,
       "a0=7 a1=8 "},
      {"near nodes take turns",
       {{10, 10, 0}, {10, 10, 1, true}, {10, 10, 1, true}, {10, 10, 3, true}, {10, 10, 3, true}},
       even,
       10,
       20,
       "a1=10 a3=10 "},
      {"near nodes take turns, fill",
       {{10, 10, 0}, {10, 10, 1, true}, {10, 10, 1, true}, {10, 10, 3, true}, {10, 10, 3, true}},
       fill,
       10,
       30,
       "a1=10 a2=10 a3=10 "},
      {"after x0, x1: both near nodes before others",
       {{10, 10, 2}, {10, 10, 0, true}, {10, 10, 1, true}},
       even,
       10,
       20,
       "a1=10 a2=10 "},
  };
  for (const Case& row : cases) EXPECT_EQ(map(row), row.expected) << row.row;
}

}  // namespace
}  // namespace berth::placement
