// IdRanges: which host ids each container of this agent has for its own ids, so that no process and no file
// of one container belongs to another one's users. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "agents/volumes/disk_owner.h"
#include "events/base/result.h"

namespace berth::agents {

// Ids that distributions give to nobody: above those of containers (systemd: up to 1,879,048,191) and of
// directories of users (SSSD: up to 2,000,200,000), below the owners of folders on disk.
inline constexpr std::uint32_t kKernelIdsBase = 2'001'731'584;

// Of files of images, as a rule (host/image_ids.h); and what agents had before, which is the first user's by
// /etc/subuid.
inline constexpr std::uint32_t kImagesIdsBase = kKernelIdsBase - 65'536;
inline constexpr std::uint32_t kOldImagesIdsBase = 100'000;

class IdRanges {
 public:
  // Each has `count` ids.
  explicit IdRanges(std::uint32_t count) : count_(count), ranges_((kDiskBase - kKernelIdsBase) / count) {}

  std::size_t size() const { return ranges_; }
  // The host id of the kernel's id 0. A range that came free is taken again as late as can be.
  // Codes: no-id-range.
  Result<std::uint32_t> take(const std::string& kernel);
  // A kernel that an agent before this one started has the range that begins there. Of others nothing is
  // noted.
  void found(const std::string& kernel, std::uint32_t base);
  void release(const std::string& kernel);
  // Somebody else has the ids from `first` to `last`: no kernel gets a range with one of them.
  void avoid(std::uint64_t first, std::uint64_t last);

 private:
  std::uint32_t base_of(std::uint32_t range) const { return kKernelIdsBase + range * count_; }

  std::uint32_t count_, ranges_;
  std::uint32_t next_ = 0;
  std::set<std::uint32_t> taken_;
  std::map<std::string, std::uint32_t> of_;
};

}  // namespace berth::agents
