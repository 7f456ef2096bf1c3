// Opens a log by URL: the one place that knows all implementations.
//
//   memory:      empty at each start, for trials and tests
//   local:DIR    embedded (events/log/local)
//   kafka://HOST:PORT[,HOST:PORT][/STREAMS]
//                Apache Kafka (events/log/kafka); not in builds with BERTH_PURE_ONLY. STREAMS names the
//                streams (default: berth), so that one Kafka can have several clusters
#pragma once

#include <cstdint>
#include <memory>

#include "events/log/event_log.h"

namespace berth {

// What to do with an embedded log that ends before its end mark (P26).
enum class Truncated : std::uint8_t { kRefuse, kAccept };

// `clock` outlives the log. Errors: "bad-log-url", "log-not-built", and those of the implementation.
Result<std::unique_ptr<EventLog>> open_log(const OpenLog& options, const Clock& clock,
                                           Truncated truncated = Truncated::kRefuse);
// With the machine's own clock.
Result<std::unique_ptr<EventLog>> open_log(const OpenLog& options, Truncated truncated = Truncated::kRefuse);

// Looks whether the streams of a log that is open are still set so that nothing acknowledged is lost: Kafka's
// topics. Blocks for some seconds at most. Codes: log-settings-unsafe, log-access-refused, log-unavailable.
Result<void> check_log_settings(const OpenLog& options);

}  // namespace berth
