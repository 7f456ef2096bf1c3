#include "controller/runtime/truncation_note.h"

#include <algorithm>
#include <fstream>
#include <utility>

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
  std::ifstream file(path_);
  if (!(file >> found.read >> found.left)) return;
  if (found.read > found.left) noted_ = found;
  Offset begin = 0;
  if (file >> begin) accepted_begin_ = begin;
}

std::optional<Truncation> TruncationNote::get() const {
  const std::lock_guard lock(mutex_);
  return noted_;
}

Offset TruncationNote::accepted_begin() const {
  const std::lock_guard lock(mutex_);
  return accepted_begin_;
}

// REQUIRES: the lock is held.
Result<void> TruncationNote::write() const {
  if (path_.empty()) return {};
  if (!noted_ && accepted_begin_ == 0) return written(path_, remove_durably(path_));
  const Truncation noted = noted_.value_or(Truncation{});
  const std::string text = std::to_string(noted.read) + " " + std::to_string(noted.left) + " " +
                           std::to_string(accepted_begin_) + "\n";
  return written(path_, write_durably(path_, text, 0600));
}

Result<void> TruncationNote::add(const Truncation& truncation) {
  const std::lock_guard lock(mutex_);
  noted_ = noted_
               ? Truncation{std::max(noted_->read, truncation.read), std::min(noted_->left, truncation.left)}
               : truncation;
  return write();
}

Result<void> TruncationNote::accept(Offset begin) {
  const std::lock_guard lock(mutex_);
  const auto noted = std::exchange(noted_, std::nullopt);
  const Offset accepted = std::exchange(accepted_begin_, begin);
  auto done = write();
  if (done) return done;
  noted_ = noted;
  accepted_begin_ = accepted;
  return done;
}

}  // namespace berth::controller
