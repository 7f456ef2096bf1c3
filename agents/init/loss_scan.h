// Finds what ends with a kernel: the regular files of its own file system that were changed since it started.
// It goes into no other mount (folders of volumes, /proc, /dev), follows no link and opens no file. Programs
// of the kernel may change everything meanwhile: it walks by descriptors, and what they make of the tree only
// decides what is counted. Standard library and system calls only; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "events/inside/messages.h"

namespace berth::init {

// Where the kernel's own files lie.
struct LossGround {
  std::string root = ".";
  // Folders below the root that are walked before the rest, so that a walk that is cut short has seen what
  // people look for; the first is the home. None: all of the root is the home.
  std::vector<std::string> first = {};
  // Wall clock, ns: of the kernel's start. A file of which nothing changed since then is the image's.
  std::int64_t since = std::numeric_limits<std::int64_t>::min();
};

struct LossLimits {
  std::uint64_t entries = 200'000;    // looked at
  std::int64_t time = 2'000'000'000;  // ns
  std::size_t depth = 512;            // folders within each other, a descriptor each
  std::size_t links = 65'536;         // files with several names that are remembered
  std::size_t named = inside::kLossesNamedMax;
};

struct Losses {
  inside::LossSum sum;
  std::vector<inside::LossEntry> named;  // in the order of LossEntry
};

// By ctime, which programs cannot set. A limit that is reached, and a folder that was changed and cannot be
// read, make the sum incomplete.
Losses find_losses(const LossGround& ground, const LossLimits& limits = {});

}  // namespace berth::init
