// A stream is a topic: makes the missing ones and checks those that are there.
#pragma once

#include <string>

#include "events/log/event_log.h"
#include "events/log/kafka/handles.h"

namespace berth::kafka {

// Blocks up to about `timeout`. Errors as open_kafka_log() says.
Result<void> ensure_topics(rd_kafka_t* handle, const std::string& brokers, const LogLayout& layout,
                           Duration timeout);

}  // namespace berth::kafka
