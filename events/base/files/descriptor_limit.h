// How many file descriptors this process may open. For edges only; the lint keeps pure folders from including
// this header.
#pragma once

#include <cstddef>

namespace berth {

struct DescriptorLimit {
  std::size_t before = 0;
  std::size_t now = 0;
};

// Raises this process's soft limit to the hard one. Children that are started from now on inherit it.
DescriptorLimit raise_descriptor_limit();

}  // namespace berth
