#include "events/log/orders_partition.h"

#include "events/base/hash.h"

namespace berth {

Partition orders_partition(const LogLayout& layout, std::string_view agent) {
  return {Stream::kOrders, crc32c(agent) % layout.orders};
}

Partition reports_partition(const LogLayout& layout, std::string_view agent) {
  return {Stream::kReports, crc32c(agent) % layout.reports};
}

}  // namespace berth
