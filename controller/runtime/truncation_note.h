// TruncationNote: that the journal lost records at its end while this node ran, until an operator accepts it
// (P26); and up to which offset a lost beginning is accepted.
//
// A file beside the projection, so that a restart does not forget either. Thread-safe.
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
  // And a journal that begins at `begin`. Code: state-unwritable.
  Result<void> accept(Offset begin);
  // The journal may begin here, or before.
  Offset accepted_begin() const;

 private:
  Result<void> write() const;

  const std::string path_;
  mutable std::mutex mutex_;
  std::optional<projections::Truncation> noted_;
  Offset accepted_begin_ = 0;
};

}  // namespace berth::controller
