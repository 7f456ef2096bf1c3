// The resource indicator as text: two bars a slot, the upper one for the current resource group, the lower
// one overall. Pure.
//
//   cuda.shares  default  [##########..........]  1 / 2
//                all      [##########..........]  1 / 2
//
// With U = the user's slots (reserved and used), Ug = the part of U in the current group and R = the slots
// still allocatable to the user there: upper = Ug / (Ug + R), lower = U / (U + R); 0 / 0 is empty. '#' is
// running, '+' is reserved and not running yet.
#pragma once

#include <string>
#include <vector>

#include "events/base/amount.h"

namespace berth::cli {

struct Bar {
  Amount used = 0;      // running
  Amount reserved = 0;  // placed, not running yet
  Amount total = 0;     // used + reserved + remaining
};

struct SlotBars {
  std::string slot;
  SlotKind kind = SlotKind::kCount;
  Bar group;
  Bar all;
};

struct BarStyle {
  int width = 20;
  bool color = false;
};

// Cells of a bar: all are filled only at `total`, none only at 0.
std::string draw_bar(const Bar& bar, const BarStyle& style);
// "1 / 2", "256m / 3.5g"
std::string bar_figures(const Bar& bar, SlotKind kind);
std::string draw_indicator(const std::string& group, const std::vector<SlotBars>& slots,
                           const BarStyle& style);

// For people: bytes short and rounded down to a tenth ("3.5g"), counts as format_amount.
std::string short_amount(SlotKind kind, Amount amount);

}  // namespace berth::cli
