// EventCounts: how many events of each type took effect as the journal was read, for /metrics. Counted by one
// thread, read by any.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "events/schema/v1/record.pb.h"

namespace berth::controller {

class EventCounts {
 public:
  EventCounts();

  void count(const v1::Record& applied);
  std::uint64_t total() const { return total_; }
  // Prometheus' text form. Types are the schema's, and those that never came are left out.
  std::string text() const;

 private:
  std::vector<std::atomic<std::uint64_t>> by_field_;  // of Event's `body`
  std::atomic<std::uint64_t> total_ = 0;
};

}  // namespace berth::controller
