#include "agents/kernel/backends.h"
#include "agents/kernel/shim/id_map.h"
#include "agents/volumes/disk_owner.h"

namespace berth::agents {

Result<void> takes_idmaps(int folder) {
  std::string why;
  const Descriptor map = shim::make_id_map({kDiskBase, BackendConfig().id_base, kDiskCount}, why);
  if (!map) return make_error("no-user-namespaces", "no map of ids can be made: " + why, kUserNamespacesHint);
  const Descriptor clone = shim::clone_folder(folder, map, false, why);
  if (clone) return {};
  return make_error("no-idmaps", "folders cannot be mounted with owners of their own: " + why,
                    "a volume on ext4, xfs or btrfs, or --shared-ids");
}

}  // namespace berth::agents
