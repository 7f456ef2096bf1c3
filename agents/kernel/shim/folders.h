// Folders of volumes in a container: clones of them, placed in the kernel's root before the runtime sees it.
//
// Nothing of this has a place on the host: a clone is in the shim's mount namespace, and from there in the
// container's, and ends with them. The shim resolves both paths itself, the folder's beneath its volume and
// the place's beneath the root, and follows no link in either: an image cannot lead a folder anywhere.
#pragma once

#include <string>
#include <vector>

#include "agents/kernel/shim/records.h"
#include "events/base/files/descriptor.h"

namespace berth::agents::shim {

struct FolderTrouble {
  std::string code;  // folder-missing, folder-not-mountable; empty: none
  std::string message;

  explicit operator bool() const { return !code.empty(); }
};

// Clones of the spec's folders in their order; an automatic folder that is not there is made. REQUIRES: the
// mount namespace is the shim's own, and nothing is mounted in it yet that may hide a volume. Here and below:
// no trouble with an automatic folder keeps the kernel from starting; it is left out (no clone), and
// `left_out` says why.
FolderTrouble clone_folders(const ShimSpec& spec, std::vector<Descriptor>& clones, std::string& left_out);

// Gives them their places below kFoldersInside of the root that is mounted at spec.mount_point. Folders on
// the way that the image lacks are made in the kernel's layer; the last belong to its user.
FolderTrouble place_folders(const ShimSpec& spec, const std::vector<Descriptor>& clones,
                            std::string& left_out);

}  // namespace berth::agents::shim
