// librdkafka's settings; settings.cc gives the reasons.
#pragma once

#include "events/base/clock.h"
#include "events/base/result.h"
#include "events/log/kafka/broker_access.h"
#include "events/log/kafka/handles.h"

namespace berth::kafka {

// Error "kafka-config-invalid" names a property of the access that librdkafka refuses, and not its value.
Result<Owned<rd_kafka_conf_t>> producer_settings(const BrokerAccess& access, Duration producer_timeout);
Result<Owned<rd_kafka_conf_t>> consumer_settings(const BrokerAccess& access);

// Takes ownership of `settings`. Error "log-io-error".
Result<Owned<rd_kafka_t>> make_handle(rd_kafka_type_t type, Owned<rd_kafka_conf_t> settings);

}  // namespace berth::kafka
