#include "tests/contract/event_log_contract.h"

#include <optional>

#include "events/log/kafka/kafka_log.h"
#include "tests/contract/event_log_kafka/broker.h"
#include "tests/contract/event_log_kafka/transaction.h"

namespace berth {
namespace {

class KafkaHarness final : public EventLogHarness {
 public:
  KafkaHarness() { layout.cluster = fresh_cluster(); }  // topics of its own
  std::string missing() override { return KafkaBroker::shared().missing(); }
  std::unique_ptr<EventLog> open() override {
    Result<std::unique_ptr<EventLog>> log = open_kafka_log(
        {.brokers = KafkaBroker::shared().address(), .layout = layout, .allow_one_replica = true});
    EXPECT_TRUE(log.ok()) << to_string(log.error());
    return log ? std::move(*log) : nullptr;
  }
  bool append_in_transaction(Partition partition, const std::string& payload) override {
    if (!producer_) producer_.emplace(KafkaBroker::shared().address(), layout.cluster);
    producer_->append(layout.stream_name(partition.stream), static_cast<int>(partition.number), payload);
    producer_->commit();
    return true;
  }

 private:
  std::optional<TransactionalProducer> producer_;
};

INSTANTIATE_TEST_SUITE_P(Kafka, EventLogContract,
                         testing::Values([] { return std::make_unique<KafkaHarness>(); }));

}  // namespace
}  // namespace berth
