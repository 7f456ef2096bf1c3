#include "events/log/kafka/watermarks.h"

#include <chrono>
#include <thread>

#include "events/log/log_errors.h"

namespace berth::kafka {

Result<Extent> query_watermarks(rd_kafka_t* handle, const std::string& topic, Partition partition,
                                Duration timeout) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout);
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
            .count();
    std::int64_t low = 0;
    std::int64_t high = 0;
    const rd_kafka_resp_err_t error =
        rd_kafka_query_watermark_offsets(handle, topic.c_str(), static_cast<std::int32_t>(partition.number),
                                         &low, &high, left < 1 ? 1 : static_cast<int>(left));
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR)
      return Extent{static_cast<Offset>(low), static_cast<Offset>(high)};
    if (left < 1) {
      return make_error(kLogUnavailable, "Kafka does not say the extent of " + to_string(partition) + ": " +
                                             rd_kafka_err2str(error));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // leaders move; nothing tells us when
  }
}

}  // namespace berth::kafka
