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
#include "agents/volumes/new_folder.h"

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

// On an agent that is not named for the volume its folder may be wanted before that agent has made it. Nobody
// holds `root` but this shim, and the rest of its way is as agents made it: root's alone.
bool make_automatic(const Descriptor& root, const FolderRecord& folder, std::uint32_t owner) {
  const auto inner = [&](const char* name) {
    return Descriptor(openat(root.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  };
  const Descriptor folders = inner("folders"), staging = inner("staging");
  return folders && staging && make_new_folder(folders.get(), staging.get(), folder.folder, owner);
}

FolderTrouble clone_one(const FolderRecord& folder, const Descriptor& id_map, std::uint32_t owner,
                        Descriptor& clone) {
  const std::string name = "the folder " + folder.folder + " for " + inside(folder);
  const Descriptor root(open(folder.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return {kMissing, name + ": its volume is not there: " + std::strerror(errno)};
  Descriptor source = open_below(root, "folders/" + folder.folder);
  if (!source && errno == ENOENT && folder.automatic && make_automatic(root, folder, owner))
    source = open_below(root, "folders/" + folder.folder);
  if (!source && errno == ENOENT) return {kMissing, name + " is not on its volume"};
  if (!source) return {kNotMountable, name + ": " + why_not_opened()};
  std::string why;
  clone = clone_folder(source.get(), id_map, folder.read_only, why);
  if (!clone) return {kNotMountable, name + ": " + why};
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

FolderTrouble place_one(const ShimSpec& spec, const FolderRecord& folder, const Descriptor& clone,
                        const Descriptor& home) {
  const Descriptor place = make_below(home, folder.target, spec.uid, spec.gid);
  if (!place) return {kNotMountable, inside(folder) + " in the image: " + why_not_opened()};
  if (move_mount(clone.get(), "", place.get(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
    return {kNotMountable, inside(folder) + ": " + std::strerror(errno)};
  return {};
}

// True: the kernel cannot start with this.
bool is_fatal(const FolderRecord& folder, const FolderTrouble& trouble, std::string& left_out) {
  if (trouble && folder.automatic) left_out = trouble.message;
  return trouble && !folder.automatic;
}

}  // namespace

FolderTrouble clone_folders(const ShimSpec& spec, std::vector<Descriptor>& clones, std::string& left_out) {
  const IdRange ids{kDiskBase, spec.id_base, std::min(kDiskCount, spec.id_count)};
  const Descriptor none;
  Descriptor id_map;
  for (const FolderRecord& folder : spec.folders) {
    Descriptor& clone = clones.emplace_back();
    std::string why;
    if (!folder.shared_ids && !id_map) id_map = make_id_map(ids, why);
    FolderTrouble trouble;
    if (!why.empty())
      trouble = {kNotMountable, inside(folder) + ": " + why};
    else if (folder.shared_ids)
      trouble = clone_one(folder, none, spec.id_base + (kFolderUid - kDiskBase), clone);
    else
      trouble = clone_one(folder, id_map, kFolderUid, clone);
    if (is_fatal(folder, trouble, left_out)) return trouble;
  }
  return {};
}

FolderTrouble place_folders(const ShimSpec& spec, const std::vector<Descriptor>& clones,
                            std::string& left_out) {
  if (spec.folders.empty()) return {};
  const Descriptor root(open(spec.mount_point.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Descriptor above = make_below(root, "home", spec.id_base, spec.id_base);
  const Descriptor home = above ? make_below(above, "work", spec.uid, spec.gid) : Descriptor();
  FolderTrouble no_home;
  if (!home) no_home = {kNotMountable, std::string(kFoldersInside) + " in the image: " + why_not_opened()};
  for (std::size_t i = 0; i < clones.size(); ++i) {
    const FolderRecord& folder = spec.folders[i];
    if (!clones[i]) continue;
    const FolderTrouble trouble = no_home ? no_home : place_one(spec, folder, clones[i], home);
    if (is_fatal(folder, trouble, left_out)) return trouble;
  }
  return {};
}

}  // namespace berth::agents::shim
