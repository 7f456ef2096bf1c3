// How many file descriptors this process may open, and how many of them are for clients of the HTTP API. A
// store or log that cannot open a file fails for good, so connections end long before descriptors do.
#pragma once

#include <cstddef>

namespace berth::controller {

struct DescriptorLimit {
  std::size_t before = 0;
  std::size_t now = 0;
};

// Raises this process's soft limit to the hard one. Children that are started from now on inherit it.
DescriptorLimit raise_descriptor_limit();

// A quarter: the store alone keeps up to 256 files open, each log as many, and an agent in the same process
// some for each kernel.
constexpr std::size_t connections_that_fit(std::size_t descriptors) { return descriptors / 4; }

}  // namespace berth::controller
