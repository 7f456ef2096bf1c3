#include "agents/volumes/upload_hashes.h"

#include <algorithm>
#include <utility>

namespace berth::agents {

struct UploadHashes::Turn::Kept {
  std::mutex mutex;
  HashSoFar so_far;  // guarded
};

UploadHashes::Turn::Turn(std::shared_ptr<Kept> kept) : kept_(std::move(kept)), lock_(kept_->mutex) {}

void UploadHashes::Turn::add(std::uint64_t offset, std::string_view bytes) {
  HashSoFar& so_far = kept_->so_far;
  if (offset != so_far.bytes) {
    so_far = {};  // of nothing: all is read at the end, unless it begins anew
    if (offset != 0) return;
  }
  so_far.hash.add(bytes);
  so_far.bytes += bytes.size();
}

UploadHashes::Turn UploadHashes::turn(const std::string& upload) {
  std::shared_ptr<Turn::Kept> kept;
  {
    const std::lock_guard lock(mutex_);
    const auto found = uploads_.find(upload);
    if (found == uploads_.end() && uploads_.size() >= kMax)
      uploads_.erase(std::min_element(uploads_.begin(), uploads_.end(), [](const auto& a, const auto& b) {
        return a.second.told < b.second.told;
      }));
    Place& place = uploads_[upload];
    place.told = ++turns_;
    if (!place.kept) place.kept = std::make_shared<Turn::Kept>();
    kept = place.kept;
  }
  return Turn(std::move(kept));
}

HashSoFar UploadHashes::take(const std::string& upload) {
  std::shared_ptr<Turn::Kept> kept;
  {
    const std::lock_guard lock(mutex_);
    const auto found = uploads_.find(upload);
    if (found == uploads_.end()) return {};
    kept = std::move(found->second.kept);
    uploads_.erase(found);
  }
  const std::lock_guard lock(kept->mutex);
  return std::exchange(kept->so_far, {});
}

}  // namespace berth::agents
