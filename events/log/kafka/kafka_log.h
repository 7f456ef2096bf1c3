// The log on Apache Kafka, kafka://host:port[,host:port], by librdkafka. No transactions, no consumer groups.
//
// Producer: idempotent, acks=all; a time-out or a lost connection is an unknown outcome. Appends wait for a
// broker that is away (for ever, or for `producer_timeout`); none is lost meanwhile. A fatal error of
// librdkafka's producer makes all appends under way unknown, and a new producer takes over. Refusals
// (payload-too-large, log-busy) are called back before earlier appends are durable: only accepted appends
// keep order. Readers check themselves that offsets are contiguous.
//
// Not fork-safe: open the log after the launcher process was forked.
#pragma once

#include <memory>
#include <string>

#include "events/log/event_log.h"

namespace berth {

struct KafkaLogOptions {
  std::string brokers;  // host:port[,host:port]
  LogLayout layout;
  std::string config_file = {};  // broker_access.h; empty: plain text
  bool allow_one_replica = false;
  bool makes_streams = true;
  Duration producer_timeout = 0;  // 0 = never give up
  Duration open_timeout = 15 * kSecond;
  Duration close_timeout =
      5 * kSecond;  // the destructor waits so long for queued appends; the rest is reported unknown
};

// Makes missing topics and checks those that are there (topic_settings.h); without `makes_streams` it waits
// until a controller has made those that agents use. Errors: "log-unavailable" (no broker answers in time),
// "log-access-refused" (log-in, certificate or rights), "log-layout-differs" (names both partition counts),
// "log-settings-unsafe" (a topic could lose what was acknowledged), "log-brokers-missing" (too few for the
// replicas), those of the configuration file, "log-io-error".
Result<std::unique_ptr<EventLog>> open_kafka_log(const KafkaLogOptions& options);

// Looks again whether the topics of a log that is open are as they must be. Errors: as open_kafka_log().
Result<void> check_kafka_log(const KafkaLogOptions& options);

}  // namespace berth
