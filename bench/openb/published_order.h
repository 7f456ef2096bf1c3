// The runs behind the published figures (published.h): which pods came in which order, and which of equal
// nodes was taken. Their simulator draws both from the run's seed, 42 for the first of ten.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "controller/placement/fragmentation/node.h"

namespace berth::placement::fragmentation {

struct PublishedOrder {
  std::vector<std::uint32_t> arrivals;  // places in `classes`
  std::vector<Node> nodes;              // of equal ones the first is taken
};

// `run`: from 1. The lists' order has to be that of their names, as in the published files. As there, pods
// are added until the next one's share of one device would pass 130 % of the capacity; of a list that demands
// more, pods drawn from it are left out.
PublishedOrder published_order(std::span<const std::uint32_t> list, std::span<const Ask> classes,
                               std::span<const Node> nodes, std::uint64_t run);

}  // namespace berth::placement::fragmentation
