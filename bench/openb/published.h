// The six policies of Weng et al., "Beware of Fragmentation", USENIX ATC'23, section 6, as the openb
// experiment has them.
//
//   random      any node, and any of its devices on which a fraction fits
//   dotprod     most 1 - dot(free, asked), both normalised by the largest node
//   clustering  a node whose pods are all of the same GPU count class as this one, then one that has some,
//   then an idle one,
//               then others; within each the fullest
//   packing     a GPU in use, then a free GPU on a node in use, then an idle node
//   bestfit     least 0.5 * (free CPU - asked) / 128000 + 0.5 * (free GPU - asked) / 8000
//   fgd         most fgd_score of the rise of F (fragments.h), over nodes and, for a fraction, devices
//
// Scores are integers from 0 to 100, as in the scheduler in which they were published; that many ties is a
// part of what they do; of equal nodes the first is taken, in an order of the nodes that is drawn once a run
// (their simulator renames the nodes so). A fraction goes to the tightest device of the node, but for random
// and fgd. Cost = 100 - score.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "controller/placement/fragmentation/class_mix.h"
#include "controller/placement/fragmentation/policy.h"

namespace berth::placement::fragmentation {

enum class Published : std::uint8_t { kRandom, kDotProduct, kClustering, kPacking, kBestFit, kFgd };

// `mix`: the popular classes, for fgd.
std::unique_ptr<Policy> make_published(Published which, const ClassMix& mix);

}  // namespace berth::placement::fragmentation
