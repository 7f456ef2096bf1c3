#include "agents/volumes/upload_hashes.h"

#include <algorithm>
#include <utility>

namespace berth::agents {

void UploadHashes::keep(const std::string& upload, HashSoFar so_far) {
  if (so_far.bytes == 0) return;
  const std::lock_guard lock(mutex_);
  if (!uploads_.contains(upload) && uploads_.size() >= kMax)
    uploads_.erase(std::min_element(uploads_.begin(), uploads_.end(), [](const auto& a, const auto& b) {
      return a.second.turn < b.second.turn;
    }));
  uploads_[upload] = {std::move(so_far), ++turns_};
}

HashSoFar UploadHashes::take(const std::string& upload) {
  const std::lock_guard lock(mutex_);
  const auto found = uploads_.find(upload);
  if (found == uploads_.end()) return {};
  HashSoFar so_far = std::move(found->second.so_far);
  uploads_.erase(found);
  return so_far;
}

}  // namespace berth::agents
