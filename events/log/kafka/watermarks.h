// The extent of a partition, asked of its leader.
#pragma once

#include <string>

#include "events/log/event_log.h"
#include "events/log/kafka/handles.h"

namespace berth::kafka {

// Asks again while the partition has no leader, up to `timeout`; then "log-unavailable".
Result<Extent> query_watermarks(rd_kafka_t* handle, const std::string& topic, Partition partition,
                                Duration timeout);

}  // namespace berth::kafka
