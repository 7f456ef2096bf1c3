// F: how much of a node's free GPU is of no use to the classes that are expected (Weng et al., "Beware of
// Fragmentation", USENIX ATC'23, section 3).
//
//   F(node, m) = all that is free on its GPUs, if class m cannot run there (model, CPU or GPU) or wants no
//   GPU;
//                else the sum over its GPUs with less than gpu_milli(m) free of what is free there
//   F(node)    = sum over classes of p(m) * F(node, m)
//
// Unit: milli of a GPU times the mix's total (p is count / total, so that the sum is an exact integer).
#pragma once

#include <cstdint>

#include "controller/placement/fragmentation/class_mix.h"

namespace berth::placement::fragmentation {

// Milli of a GPU.
std::int64_t fragments(const Node& node, const Ask& ask);
// Milli times mix.total.
std::int64_t fragments(const Node& node, const ClassMix& mix);

// The integer part of 100 * sigmoid((before - after) / 1000), where `before` and `after` are F of that node:
// FGD's score of a placement, higher is better, 0 to 99.
//
// The coarse score matters: at full precision the published policy packs worse. It is taken from a table of
// the 99 arguments ln(k / (100 - k)) at which the integer part becomes k, in millionths and rounded up, so no
// floating point is needed.
std::int64_t fgd_score(std::int64_t before, std::int64_t after, std::int64_t total);

}  // namespace berth::placement::fragmentation
