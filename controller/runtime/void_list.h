// VoidList: offsets of the journal's void records, so that a page of the journal can leave them out without
// folding it anew.
//
// A file of 8-byte offsets beside the projection. What a crash loses is found again when the journal is read
// on from the projection's last batch. Thread-safe.
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "events/log/event_log.h"

namespace berth::controller {

class VoidList {
 public:
  // An unreadable file counts as empty: it is a cache.
  explicit VoidList(std::string path);
  void add(Offset offset);
  bool contains(Offset offset) const;
  std::size_t size() const;

 private:
  std::string path_;
  mutable std::mutex mutex_;
  std::set<Offset> offsets_;
};

}  // namespace berth::controller
