// A stream is a topic: creates missing topics and checks existing ones.
#pragma once

#include <string>

#include "events/log/event_log.h"
#include "events/log/kafka/handles.h"

namespace berth::kafka {

// Blocks up to about `timeout`. Errors: those of open_kafka_log().
Result<void> ensure_topics(rd_kafka_t* handle, const std::string& brokers, const LogLayout& layout,
                           Duration timeout);

}  // namespace berth::kafka
