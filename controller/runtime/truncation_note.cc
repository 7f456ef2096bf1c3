#include "controller/runtime/truncation_note.h"

#include <algorithm>
#include <fstream>

#include "events/base/files/durable_file.h"

namespace berth::controller {

using projections::Truncation;

namespace {

Result<void> written(const std::string& path, const std::error_code& failed) {
  if (!failed) return {};
  return make_error("state-unwritable", "cannot change " + path + ": " + failed.message(),
                    "look at the disk under the state folder");
}

}  // namespace

TruncationNote::TruncationNote(std::string path) : path_(std::move(path)) {
  Truncation found;
  if (std::ifstream(path_) >> found.read >> found.left) noted_ = found;
}

std::optional<Truncation> TruncationNote::get() const {
  const std::lock_guard lock(mutex_);
  return noted_;
}

Result<void> TruncationNote::add(const Truncation& truncation) {
  const std::lock_guard lock(mutex_);
  noted_ = noted_
               ? Truncation{std::max(noted_->read, truncation.read), std::min(noted_->left, truncation.left)}
               : truncation;
  if (path_.empty()) return {};
  const std::string text = std::to_string(noted_->read) + " " + std::to_string(noted_->left) + "\n";
  return written(path_, write_durably(path_, text, 0600));
}

Result<void> TruncationNote::accept() {
  const std::lock_guard lock(mutex_);
  if (!path_.empty())
    if (auto removed = written(path_, remove_durably(path_)); !removed) return removed;
  noted_.reset();
  return {};
}

}  // namespace berth::controller
