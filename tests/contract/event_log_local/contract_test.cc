#include "tests/contract/event_log_contract.h"

#include "tests/contract/event_log_local/local_fixture.h"

namespace berth {
namespace {

class LocalHarness final : public EventLogHarness {
 public:
  std::unique_ptr<EventLog> open() override {
    Result<std::unique_ptr<EventLog>> log =
        open_local_log({.dir = dir_.path(), .layout = layout, .clock = &clock_});
    EXPECT_TRUE(log.ok()) << to_string(log.error());
    return log ? std::move(*log) : nullptr;
  }

 private:
  TemporaryFolder dir_;
  SystemClock clock_;
};

INSTANTIATE_TEST_SUITE_P(Local, EventLogContract,
                         testing::Values([] { return std::make_unique<LocalHarness>(); }));

}  // namespace
}  // namespace berth
