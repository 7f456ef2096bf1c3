// How much an agent's service of files takes on at once.
#pragma once

#include <chrono>
#include <cstddef>

namespace berth::agents {

struct FileLimits {
  std::size_t threads = 4;      // questions that are worked on at once
  std::size_t open_max = 256;   // questions at once, with those that wait and those whose bytes are under way
  std::size_t chunks_max = 64;  // chunks under way at once, each with at most half a MiB in memory
  // Where there is no room for one more, the question that has waited longest for its asker, and at least so
  // long, gives way: for the whole chunk to come, or for a piece of a file to be taken.
  std::chrono::seconds patience{10};
  // A chunk that has waited for its asker for so long gives way to another of the same upload.
  std::chrono::milliseconds lost_after{1'000};
};

}  // namespace berth::agents
