#include "events/log/kafka/watermarks.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "events/log/kafka/settings.h"
#include "events/log/log_errors.h"

namespace berth::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kAskFor{500};  // one broker; then who leads is asked anew
constexpr milliseconds kPause{20};    // leaders move; nothing tells us when

class Deadline {
 public:
  explicit Deadline(Duration timeout) : at_(steady_clock::now() + std::chrono::nanoseconds(timeout)) {}
  bool is_over() const { return steady_clock::now() >= at_; }
  // Of one question.
  int share() const {
    const auto left = std::chrono::duration_cast<milliseconds>(at_ - steady_clock::now());
    return static_cast<int>(std::clamp(left, milliseconds(1), kAskFor).count());
  }

 private:
  steady_clock::time_point at_;
};

// `which`: RD_KAFKA_OFFSET_BEGINNING or RD_KAFKA_OFFSET_END.
rd_kafka_resp_err_t ask(rd_kafka_t* handle, const std::string& topic, Partition partition, std::int64_t which,
                        int timeout_ms, Offset& out) {
  const Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_t* const asked = rd_kafka_topic_partition_list_add(
      list.get(), topic.c_str(), static_cast<std::int32_t>(partition.number));
  asked->offset = which;
  const rd_kafka_resp_err_t error = rd_kafka_offsets_for_times(handle, list.get(), timeout_ms);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
  if (asked->err != RD_KAFKA_RESP_ERR_NO_ERROR) return asked->err;
  if (asked->offset < 0) return RD_KAFKA_RESP_ERR__NO_OFFSET;
  out = static_cast<Offset>(asked->offset);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

// Of any broker: the one that led may be the one that does not answer.
void ask_who_leads(rd_kafka_t* handle, const std::string& topic, int timeout_ms) {
  const Owned<rd_kafka_topic_t> named(rd_kafka_topic_new(handle, topic.c_str(), nullptr));
  const rd_kafka_metadata_t* metadata = nullptr;
  if (rd_kafka_metadata(handle, 0, named.get(), &metadata, timeout_ms) == RD_KAFKA_RESP_ERR_NO_ERROR)
    rd_kafka_metadata_destroy(metadata);
}

}  // namespace

// Not rd_kafka_query_watermark_offsets(): up to librdkafka 2.3 that does not keep its deadline and waits for
// the broker that led when it was asked.
Result<Extent> query_watermarks(rd_kafka_t* handle, const std::string& topic, Partition partition,
                                Duration timeout, Ends* ends) {
  const Deadline deadline(timeout);
  while (true) {
    Extent extent;
    rd_kafka_resp_err_t error =
        ask(handle, topic, partition, RD_KAFKA_OFFSET_BEGINNING, deadline.share(), extent.begin);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR)
      error = ask(handle, topic, partition, RD_KAFKA_OFFSET_END, deadline.share(), extent.end);
    const bool answered = error == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (answered && (ends == nullptr || ends->believes(partition, extent.end, steady_clock::now())))
      return extent;
    if (deadline.is_over())
      return make_error(kLogUnavailable,
                        "Kafka does not say the extent of " + to_string(partition) + ": " +
                            (answered ? "the broker that answers ends at " + std::to_string(extent.end) +
                                            ", and more was read"
                                      : std::string(rd_kafka_err2str(error))));
    ask_who_leads(handle, topic, deadline.share());
    std::this_thread::sleep_for(kPause);
  }
}

Result<std::unique_ptr<Watermarks>> Watermarks::open(const BrokerAccess& access, std::shared_ptr<Ends> ends) {
  Result<Owned<rd_kafka_conf_t>> settings = consumer_settings(access);
  if (!settings) return settings.error();
  Result<Owned<rd_kafka_t>> handle = make_handle(RD_KAFKA_CONSUMER, std::move(*settings));
  if (!handle) return handle.error();
  return std::unique_ptr<Watermarks>(new Watermarks(std::move(*handle), std::move(ends)));
}

}  // namespace berth::kafka
