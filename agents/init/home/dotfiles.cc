#include "agents/init/home/dotfiles.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "agents/init/home/folder_names.h"
#include "events/base/files/descriptor.h"

namespace berth::init {
namespace {

constexpr const char* kFiles[] = {".bashrc",       ".bash_profile",  ".profile", ".bash_aliases",
                                  ".bash_history", ".inputrc",       ".vimrc",   ".tmux.conf",
                                  ".gitconfig",    ".python_history"};
constexpr const char* kFolders[] = {".config", ".jupyter", ".ipython", ".vim"};
constexpr const char* kDotfiles = "dotfiles";
constexpr const char* kStaged = ".automatic-link";  // a link in the home, for a moment
constexpr off_t kCopiedMax = 1 << 20;               // bytes of an image's file
constexpr int kNamesMax = 1000;                     // in FOLDER/dotfiles that are looked at
constexpr int kFailuresMax = 3;                     // that are said

bool is_folder(const char* name) {
  for (const char* folder : kFolders)
    if (std::strcmp(name, folder) == 0) return true;
  return false;
}

bool copy_bytes(int from, int to) {
  char bytes[16 << 10];
  for (off_t copied = 0; copied <= kCopiedMax;) {
    const ssize_t size = read(from, bytes, sizeof bytes);
    if (size == 0) return true;
    if (size < 0) return false;
    for (ssize_t written = 0; written < size;) {
      const ssize_t more = write(to, bytes + written, static_cast<std::size_t>(size - written));
      if (more < 0) return false;
      written += more;
    }
    copied += size;
  }
  errno = EFBIG;
  return false;
}

class Dotfiles {
 public:
  Dotfiles(const char* folder, const char* home)
      : path_(folder),
        above_(open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
        home_(open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  void link_all() {
    if (!above_ || !home_) return fail(!above_ ? path_ : "the home");
    if (mkdirat(above_.get(), kDotfiles, 0755) != 0 && errno != EEXIST) return fail(kDotfiles);
    inside_ = Descriptor(openat(above_.get(), kDotfiles, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inside_) return fail(kDotfiles);
    for (const char* name : kFiles) link(name);
    for (const char* name : kFolders) link(name);
    link_the_rest();
  }

 private:
  void fail(const char* what) {
    if (++failures_ <= kFailuresMax) dprintf(2, "berth-init: dotfiles: %s: %s\n", what, std::strerror(errno));
  }

  void link_the_rest() {
    int names = 0;
    const bool read = each_name(inside_.get(), [&](const char* name) {
      if (++names > kNamesMax) return false;
      link(name);
      return true;
    });
    if (!read) fail(kDotfiles);
  }

  void link(const char* name) {
    char target[PATH_MAX];
    const int size = snprintf(target, sizeof target, "%s/%s/%s", path_, kDotfiles, name);
    if (size < 0 || size >= static_cast<int>(sizeof target)) return;
    struct stat at_home {};
    if (fstatat(home_.get(), name, &at_home, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) return fail(name);
      if (!make_folder(name) || symlinkat(target, home_.get(), name) != 0) fail(name);
      return;
    }
    if (S_ISREG(at_home.st_mode))
      replace_file(name, target);
    else if (S_ISDIR(at_home.st_mode))
      replace_folder(name, target);
  }

  // What programs make folders in has to be there: a link to nothing is no folder.
  bool make_folder(const char* name) {
    return !is_folder(name) || mkdirat(inside_.get(), name, 0755) == 0 || errno == EEXIST;
  }

  void replace_file(const char* name, const char* target) {
    if (faccessat(inside_.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && !copy_in(name)) return fail(name);
    unlinkat(home_.get(), kStaged, 0);
    if (symlinkat(target, home_.get(), kStaged) != 0 ||
        renameat(home_.get(), kStaged, home_.get(), name) != 0)
      fail(name);
  }

  // One with something in it is the image's, or a folder that is mounted there.
  void replace_folder(const char* name, const char* target) {
    if (unlinkat(home_.get(), name, AT_REMOVEDIR) != 0) {
      if (errno != ENOTEMPTY && errno != EEXIST && errno != EBUSY) fail(name);
      return;
    }
    if (!make_folder(name) || symlinkat(target, home_.get(), name) != 0) fail(name);
  }

  // By way of a name beside the dotfiles: a kernel that starts at the same time sees the whole file or none.
  bool copy_in(const char* name) {
    const Descriptor from(openat(home_.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat info {};
    if (!from || fstat(from.get(), &info) != 0) return false;
    std::uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) return false;
    char staged[40];
    snprintf(staged, sizeof staged, ".new-%016llx", static_cast<unsigned long long>(random));
    const Descriptor to(
        openat(above_.get(), staged, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, info.st_mode & 0777));
    if (!to) return false;
    const bool copied = copy_bytes(from.get(), to.get()) &&
                        (linkat(above_.get(), staged, inside_.get(), name, 0) == 0 || errno == EEXIST);
    const int error = errno;
    unlinkat(above_.get(), staged, 0);
    errno = error;
    return copied;
  }

  const char* path_;
  Descriptor above_, home_;
  Descriptor inside_;  // FOLDER/dotfiles
  int failures_ = 0;
};

}  // namespace

bool is_mounted(const char* folder) {
  struct statx info {};
  if (statx(AT_FDCWD, folder, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &info) != 0) return false;
  const bool is_told = (info.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
  return S_ISDIR(info.stx_mode) && (!is_told || (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0);
}

void link_dotfiles(const char* folder, const char* home) { Dotfiles(folder, home).link_all(); }

}  // namespace berth::init
