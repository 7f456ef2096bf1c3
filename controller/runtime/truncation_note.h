// TruncationNote: that the journal lost records while this node ran, until an operator accepts it (P26).
//
// A file beside the projection, so that a restart does not forget it. Thread-safe.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "events/base/result.h"
#include "projections/store/journal_follower.h"

namespace berth::controller {

class TruncationNote {
 public:
  // An unreadable file counts as none. An empty path: nothing is kept over a restart.
  explicit TruncationNote(std::string path);
  std::optional<projections::Truncation> get() const;
  // Adds to what is noted already. Code: state-unwritable; then it is noted in memory alone.
  Result<void> add(const projections::Truncation& truncation);
  // Code: state-unwritable.
  Result<void> accept();

 private:
  const std::string path_;
  mutable std::mutex mutex_;
  std::optional<projections::Truncation> noted_;
};

}  // namespace berth::controller
