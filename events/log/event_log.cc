#include "events/log/event_log.h"

namespace berth {

const char* name_of(Stream stream) {
  static constexpr const char* kNames[kStreamCount] = {"journal", "requests", "reports", "orders",
                                                       "health",  "control",  "usage"};
  return kNames[static_cast<int>(stream)];
}

std::string to_string(const Partition& partition) {
  return std::string(name_of(partition.stream)) + "/" + std::to_string(partition.number);
}

std::uint32_t LogLayout::partitions_of(Stream stream) const {
  switch (stream) {
    case Stream::kRequests: return requests;
    case Stream::kReports: return reports;
    case Stream::kOrders: return orders;
    case Stream::kJournal:
    case Stream::kHealth:
    case Stream::kControl:
    case Stream::kUsage: return 1;
  }
  BERTH_CHECK(false, "unknown stream");
}

std::string LogLayout::stream_name(Stream stream) const {
  return cluster + "." + cell + "." + name_of(stream);
}

}  // namespace berth
