#include "agents/kernel/shim/folders.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agents/kernel/shim/id_map.h"
#include "agents/volumes/disk_owner.h"

namespace berth::agents::shim {
namespace {

constexpr const char* kMissing = "folder-missing";
constexpr const char* kNotMountable = "folder-not-mountable";

// A folder below `above`, by a path without links that stays in one file system.
Descriptor open_below(const Descriptor& above, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  return Descriptor(static_cast<int>(syscall(SYS_openat2, above.get(), path.c_str(), &how, sizeof how)));
}

std::string inside(const FolderRecord& folder) { return std::string(kFoldersInside) + "/" + folder.target; }

// `errno` of open_below(), for people.
std::string why_not_opened() {
  if (errno == ELOOP) return "a link lies there";
  if (errno == ENOTDIR) return "what lies there is no folder";
  if (errno == EXDEV) return "another file system is mounted there";
  return std::strerror(errno);
}

FolderTrouble clone_one(const FolderRecord& folder, const Descriptor& id_map,
                        std::vector<Descriptor>& clones) {
  const std::string name = "the folder " + folder.folder + " for " + inside(folder);
  const Descriptor root(open(folder.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return {kMissing, name + ": its volume is not there: " + std::strerror(errno)};
  const Descriptor source = open_below(root, "folders/" + folder.folder);
  if (!source && errno == ENOENT) return {kMissing, name + " is not on its volume"};
  if (!source) return {kNotMountable, name + ": " + why_not_opened()};
  std::string why;
  clones.push_back(clone_folder(source.get(), id_map, folder.read_only, why));
  if (!clones.back()) return {kNotMountable, name + ": " + why};
  return {};
}

// The folder `name` in `above`, made if it is not there.
Descriptor make_below(const Descriptor& above, const std::string& name, std::uint32_t uid,
                      std::uint32_t gid) {
  if (mkdirat(above.get(), name.c_str(), 0755) == 0) {
    if (fchownat(above.get(), name.c_str(), uid, gid, AT_SYMLINK_NOFOLLOW) != 0) return {};
  } else if (errno != EEXIST) {
    return {};
  }
  return open_below(above, name);
}

}  // namespace

FolderTrouble clone_folders(const ShimSpec& spec, std::vector<Descriptor>& clones) {
  const IdRange ids{kDiskBase, spec.id_base, std::min(kDiskCount, spec.id_count)};
  const Descriptor none;
  Descriptor id_map;
  for (const FolderRecord& folder : spec.folders) {
    std::string why;
    if (!folder.shared_ids && !id_map) id_map = make_id_map(ids, why);
    if (!why.empty()) return {kNotMountable, inside(folder) + ": " + why};
    if (auto trouble = clone_one(folder, folder.shared_ids ? none : id_map, clones)) return trouble;
  }
  return {};
}

FolderTrouble place_folders(const ShimSpec& spec, const std::vector<Descriptor>& clones) {
  if (spec.folders.empty()) return {};
  const Descriptor root(open(spec.mount_point.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Descriptor above = make_below(root, "home", spec.id_base, spec.id_base);
  const Descriptor home = above ? make_below(above, "work", spec.uid, spec.gid) : Descriptor();
  if (!home) return {kNotMountable, std::string(kFoldersInside) + " in the image: " + why_not_opened()};
  for (std::size_t i = 0; i < clones.size(); ++i) {
    const FolderRecord& folder = spec.folders[i];
    const Descriptor place = make_below(home, folder.target, spec.uid, spec.gid);
    if (!place) return {kNotMountable, inside(folder) + " in the image: " + why_not_opened()};
    if (move_mount(clones[i].get(), "", place.get(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) !=
        0)
      return {kNotMountable, inside(folder) + ": " + std::strerror(errno)};
  }
  return {};
}

}  // namespace berth::agents::shim
