// The partition of an agent's orders and reports: writers and readers must agree on the mapping for ever.
#pragma once

#include <string_view>

#include "events/log/event_log.h"

namespace berth {

// crc32c of the name, mod the number of partitions.
Partition orders_partition(const LogLayout& layout, std::string_view agent);
Partition reports_partition(const LogLayout& layout, std::string_view agent);

}  // namespace berth
