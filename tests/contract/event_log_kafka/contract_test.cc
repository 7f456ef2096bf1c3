#include "tests/contract/event_log_contract.h"

#include "events/log/kafka/kafka_log.h"
#include "tests/contract/event_log_kafka/broker.h"

namespace berth {
namespace {

class KafkaHarness final : public EventLogHarness {
 public:
  KafkaHarness() { layout.cluster = fresh_cluster(); }  // topics of its own
  std::string missing() override { return KafkaBroker::shared().missing(); }
  std::unique_ptr<EventLog> open() override {
    Result<std::unique_ptr<EventLog>> log =
        open_kafka_log({.brokers = KafkaBroker::shared().address(), .layout = layout});
    EXPECT_TRUE(log.ok()) << to_string(log.error());
    return log ? std::move(*log) : nullptr;
  }
};

INSTANTIATE_TEST_SUITE_P(Kafka, EventLogContract,
                         testing::Values([] { return std::make_unique<KafkaHarness>(); }));

}  // namespace
}  // namespace berth
