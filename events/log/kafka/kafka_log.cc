#include "events/log/kafka/kafka_log.h"

#include <utility>

#include "events/base/checks.h"
#include "events/log/kafka/broker_access.h"
#include "events/log/kafka/kafka_reader.h"
#include "events/log/kafka/producer.h"
#include "events/log/kafka/topics.h"
#include "events/log/kafka/watermarks.h"
#include "events/log/positions.h"

namespace berth {
namespace {

constexpr Duration kExtentTimeout = 5 * kSecond;

class KafkaLog final : public EventLog {
 public:
  KafkaLog(LogLayout layout, kafka::BrokerAccess access, std::unique_ptr<kafka::Producer> producer,
           std::unique_ptr<kafka::Watermarks> watermarks, std::shared_ptr<kafka::Ends> ends)
      : layout_(std::move(layout)),
        access_(std::move(access)),
        producer_(std::move(producer)),
        watermarks_(std::move(watermarks)),
        ends_(std::move(ends)) {}

  const LogLayout& layout() const override { return layout_; }

  void append(Partition partition, std::string_view key, std::string payload, AppendDone done) override {
    BERTH_CHECK(check_partition(layout(), partition).ok(), "append to a partition that is not in the layout");
    producer_->append(partition, key, payload, std::move(done));
  }

  void flush() override {}  // what is queued leaves at once anyway

  Result<Extent> extent(Partition partition) override {
    if (Result<void> known = check_partition(layout(), partition); !known) return known.error();
    return watermarks_->query(layout_.stream_name(partition.stream), partition, kExtentTimeout);
  }

  Result<std::unique_ptr<LogReader>> open_reader(std::vector<ReadFrom> from) override {
    if (Result<void> known = check_partitions(layout(), from); !known) return known.error();
    Result<std::unique_ptr<kafka::KafkaReader>> reader =
        kafka::KafkaReader::open(access_, layout(), from, ends_);
    if (!reader) return reader.error();
    return std::unique_ptr<LogReader>(std::move(*reader));
  }

 private:
  const LogLayout layout_;
  const kafka::BrokerAccess access_;
  const std::unique_ptr<kafka::Producer> producer_;
  const std::unique_ptr<kafka::Watermarks> watermarks_;
  const std::shared_ptr<kafka::Ends> ends_;
};

}  // namespace

Result<std::unique_ptr<EventLog>> open_kafka_log(const KafkaLogOptions& options) {
  Result<kafka::BrokerAccess> access = kafka::read_broker_access(options.brokers, options.config_file);
  if (!access) return access.error();
  if (Result<void> ready = kafka::ensure_topics(*access, options); !ready) return ready.error();
  Result<std::unique_ptr<kafka::Producer>> producer = kafka::Producer::start(*access, options);
  if (!producer) return producer.error();
  const auto ends = std::make_shared<kafka::Ends>();
  Result<std::unique_ptr<kafka::Watermarks>> watermarks = kafka::Watermarks::open(*access, ends);
  if (!watermarks) return watermarks.error();
  return std::unique_ptr<EventLog>(std::make_unique<KafkaLog>(
      options.layout, std::move(*access), std::move(*producer), std::move(*watermarks), ends));
}

Result<void> check_kafka_log(const KafkaLogOptions& options) {
  Result<kafka::BrokerAccess> access = kafka::read_broker_access(options.brokers, options.config_file);
  if (!access) return access.error();
  return kafka::check_topics_again(*access, options);
}

}  // namespace berth
