// What a resource group that selects by fragmentation was asked for lately: how many kernels of each class,
// and how many sessions since it last learned (selection_table.h).
//
// When kMostCounted kernels are counted, every count is halved (rounded down; a class with none left is
// dropped), so that older requests weigh less and less. Groups that select in another way are not counted
// (counts_requests).
#pragma once

#include <cstdint>
#include <string>

#include "events/schema/v1/event.pb.h"

namespace berth::projections {

inline constexpr std::int64_t kMostCounted = 10'000;  // part of the rules

// Thousandths of a core, devices, thousandths of each device (controller/placement/fragmentation/node.h).
struct RequestClass {
  std::int32_t cpu_milli = 0;
  std::int32_t gpus = 0;
  std::int32_t gpu_milli = 0;
};

struct ClassCountRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 20;

  std::string group;
  RequestClass asked;
  std::int64_t count = 0;

  Key key() const {
    return group + '\0' + std::to_string(asked.cpu_milli) + '/' + std::to_string(asked.gpus) + '/' +
           std::to_string(asked.gpu_milli);
  }
  template <class V> void fields(V& v) {
    v(1, group);
    v(2, asked.cpu_milli);
    v(3, asked.gpus);
    v(4, asked.gpu_milli);
    v(5, count);
  }
};

struct MixRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 21;

  std::string group;
  std::int64_t counted = 0;   // sum of the counts
  std::int64_t sessions = 0;  // asked for since the last SelectionLearned, if there was one

  Key key() const { return group; }
  template <class V> void fields(V& v) {
    v(1, group);
    v(2, counted);
    v(3, sessions);
  }
};

inline bool counts_requests(const v1::ResourceGroupDefined& group) {
  return group.select() == "fgd" || group.select() == "balanced" || group.select() == "ours";
}

// The class's device slot: of the role's slots other than cpu and mem, the first by the group's slot
// priority, then by name.
RequestClass class_of(const v1::ResourceGroupDefined& group, const v1::RoleSpec& role);

}  // namespace berth::projections
