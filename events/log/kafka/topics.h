// A stream is a topic: makes the missing topics of a cluster, and checks those that are there.
#pragma once

#include "events/log/kafka/broker_access.h"
#include "events/log/kafka/kafka_log.h"

namespace berth::kafka {

// Blocks up to about options.open_timeout. Errors: those of open_kafka_log().
Result<void> ensure_topics(const BrokerAccess& access, const KafkaLogOptions& options);

// The same of topics that are there: one look. Errors: those of open_kafka_log().
Result<void> check_topics_again(const BrokerAccess& access, const KafkaLogOptions& options);

}  // namespace berth::kafka
