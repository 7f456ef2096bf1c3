#include "agents/kernel/shim/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace berth::agents::shim {
namespace {

constexpr std::size_t kNamesMax = 4096;  // read at once

// Some names of a folder; none: it is empty, or cannot be read.
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  DIR* const listing = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (listing == nullptr) return names;
  while (const dirent* entry = names.size() < kNamesMax ? readdir(listing) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(listing);
  return names;
}

// No path is ever longer than a name: a folder in a folder is first moved up, beside it.
class Remover {
 public:
  Remover(int top, const std::atomic<bool>* stop) : top_(top), stop_(stop) {
    struct stat info {};
    if (fstat(top, &info) == 0) device_ = info.st_dev;
    close_to_others(top);
  }

  void empty() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::string& name : names_in(top_)) {
        if (stop_ != nullptr && *stop_) return;
        changed = remove_below(top_, name) || take_apart(name) || changed;
      }
    }
  }

 private:
  static bool remove_below(int folder, const std::string& name) {
    if (unlinkat(folder, name.c_str(), 0) == 0) return true;
    return errno == EISDIR && unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0;
  }

  // A program that has it open would fill it as fast as it is emptied. Where the folder is not ours to close,
  // that program is no other user's.
  static void close_to_others(int folder) {
    if (fchown(folder, geteuid(), getegid()) == 0) (void)fchmod(folder, 0700);
  }

  // Removes what is in a folder of the top, and moves its folders up. True: something changed.
  bool take_apart(const std::string& name) {
    const int folder = openat(top_, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat info {};
    bool changed = false;
    if (folder >= 0 && fstat(folder, &info) == 0 && info.st_dev == device_) {
      close_to_others(folder);
      for (const std::string& inner : names_in(folder))
        changed = remove_below(folder, inner) || move_up(folder, inner) || changed;
    }
    if (folder >= 0) close(folder);
    return changed;
  }

  bool move_up(int folder, const std::string& name) {
    for (;;) {
      const std::string fresh = ".moved-" + std::to_string(next_++);
      if (renameat(folder, name.c_str(), top_, fresh.c_str()) == 0) return true;
      if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) return false;  // a name that was there
    }
  }

  int top_;
  const std::atomic<bool>* const stop_;
  dev_t device_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace

bool remove_tree(const std::string& path, const std::atomic<bool>* stop) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return true;
  const int top = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (top < 0) return false;
  Remover(top, stop).empty();
  close(top);
  return rmdir(path.c_str()) == 0;
}

}  // namespace berth::agents::shim
