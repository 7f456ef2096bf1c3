// VoidList: the offsets of the journal's void records. A page of the journal leaves these out without a fold.
//
// A file of 8-byte offsets beside the projection. Offsets that a crash loses are found again when the journal
// is read on from the projection's last batch. Thread-safe.
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "events/log/event_log.h"

namespace berth::controller {

class VoidList {
 public:
  // An unreadable file counts as empty: the list is a cache.
  explicit VoidList(std::string path);
  void add(Offset offset);
  // The journal is read again from here (P12): what is void there is found anew.
  void forget_from(Offset offset);
  bool contains(Offset offset) const;
  std::size_t size() const;

 private:
  std::string path_;
  mutable std::mutex mutex_;
  std::set<Offset> offsets_;
};

}  // namespace berth::controller
