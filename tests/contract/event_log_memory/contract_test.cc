#include "tests/contract/event_log_contract.h"

#include "events/log/memory_log.h"

namespace berth {
namespace {

class MemoryHarness final : public EventLogHarness {
 public:
  std::unique_ptr<EventLog> open() override {
    if (!server_) server_ = MemoryLogServer::create(layout, MemoryLogMode::kAutomatic);
    return server_->connect();
  }
  bool append_in_transaction(Partition partition, const std::string& payload) override {
    server_->connect()->append(partition, "", payload, {});
    server_->add_gap(partition);
    return true;
  }
  bool threads() override { return false; }

 private:
  std::shared_ptr<MemoryLogServer> server_;
};

INSTANTIATE_TEST_SUITE_P(Memory, EventLogContract,
                         testing::Values([] { return std::make_unique<MemoryHarness>(); }));

}  // namespace
}  // namespace berth
