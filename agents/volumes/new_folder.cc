#include "agents/volumes/new_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "events/base/files/descriptor.h"

namespace berth::agents {
namespace {

std::string staged_name() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) return {};
  std::string name(kBeingMade);
  for (const unsigned char byte : bytes) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

void remove_staged(int staging, const std::string& name) {
  const int error = errno;
  unlinkat(staging, name.c_str(), AT_REMOVEDIR);
  errno = error;
}

// A folder of its own, empty, with its owner, that nobody sees yet. Empty: errno says why.
std::string stage_folder(int staging, std::uint32_t owner) {
  const std::string name = staged_name();
  if (name.empty() || mkdirat(staging, name.c_str(), 0700) != 0) return {};
  const Descriptor folder(openat(staging, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder && fchown(folder.get(), owner, owner) == 0 && fchmod(folder.get(), 0770) == 0 &&
      fsync(folder.get()) == 0)
    return name;
  remove_staged(staging, name);
  return {};
}

// ENOENT: another agent took what was staged for a leftover.
bool try_to_make(int folders, int staging, const std::string& name, std::uint32_t owner) {
  if (faccessat(folders, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return true;
  const std::string staged = stage_folder(staging, owner);
  if (staged.empty()) return false;
  if (renameat2(staging, staged.c_str(), folders, name.c_str(), RENAME_NOREPLACE) == 0) return true;
  remove_staged(staging, staged);
  return errno == EEXIST;
}

}  // namespace

bool make_new_folder(int folders, int staging, const std::string& name, std::uint32_t owner) {
  bool made = try_to_make(folders, staging, name, owner);
  if (!made && errno == ENOENT) made = try_to_make(folders, staging, name, owner);
  // Also of one that was there: who made it may have ended before this.
  return made && fsync(folders) == 0;
}

}  // namespace berth::agents
