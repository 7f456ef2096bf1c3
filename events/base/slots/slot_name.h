// What the name of a slot alone says, wherever the registered slot types are not at hand.
#pragma once

#include <string_view>

#include "events/base/amount.h"

namespace berth {

// The slot of what a kernel may write beside its folders, in bytes. It counts in capacity alone: the order,
// selection and limits of others skip it, unless a priority or a limit names it.
inline constexpr std::string_view kDiskSlot = "disk";
inline constexpr Amount kDiskMin = 16 << 20;  // a file system of its own needs some
inline constexpr Amount kDiskMax = Amount{64} << 40;

// Of a slot that is not registered: bytes if its name says memory or disk, else a count.
inline SlotKind kind_by_name(std::string_view slot) {
  const bool bytes = slot.find("mem") != std::string_view::npos || slot == kDiskSlot;
  return bytes ? SlotKind::kBytes : SlotKind::kCount;
}

}  // namespace berth
