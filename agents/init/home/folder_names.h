// The names in a folder, for code that touches no heap (pid1.h).
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <cstring>

namespace berth::init {

// Calls `take` with each name in the open folder but "." and "..", until it returns false. False where the
// folder cannot be read; errno says why.
template <class Take> bool each_name(int folder, Take take) {
  alignas(dirent64) char bytes[8 << 10];
  ssize_t size = 0;
  while ((size = getdents64(folder, bytes, sizeof bytes)) > 0)
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(bytes + at);
      at += entry->d_reclen;
      const bool is_dots = std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0;
      if (!is_dots && !take(entry->d_name)) return true;
    }
  return size == 0;
}

}  // namespace berth::init
