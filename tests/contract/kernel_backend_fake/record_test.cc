// The fake backend's own record of what ran and when, by which checkers judge.
#include <gtest/gtest.h>

#include "agents/kernel/fake_backend.h"
#include "events/base/hash.h"

namespace berth::agents {
namespace {

KernelSpec kernel_of(std::vector<std::string> command) {
  KernelSpec spec;
  spec.key = {KernelId(Uuid::from_hash(blake2b_128("k"))), 1};
  spec.devices = {{"gpu0", "cuda.shares", kUnit}};
  spec.command = std::move(command);
  return spec;
}

struct Record : testing::Test {
  void at(Duration time) { fake.pump({time, time}); }
  FakeBackend fake{{.watchdog_delay = 2 * kSecond, .keeps_record = true}};
};

TEST_F(Record, SaysFromWhenUntilWhenAProgramRan) {
  at(kSecond);
  fake.start(kernel_of({"sleep", "3"}), {});
  at(2 * kSecond);
  ASSERT_EQ(fake.ran().size(), 1u);
  EXPECT_EQ(fake.ran()[0].from, kSecond);
  EXPECT_FALSE(fake.ran()[0].until);
  at(9 * kSecond);
  EXPECT_EQ(fake.ran()[0].until, 4 * kSecond);
  EXPECT_EQ(fake.ran()[0].devices[0].device, "gpu0");
}

TEST_F(Record, ASlowWatchdogEndsAKernelSoLongAfterItsLease) {
  at(kSecond);
  KernelSpec kernel = kernel_of({});
  kernel.lease_until = 5 * kSecond;
  fake.start(kernel, {});
  at(9 * kSecond);
  EXPECT_TRUE(fake.ran()[0].leased);
  EXPECT_EQ(fake.ran()[0].until, 7 * kSecond);
}

}  // namespace
}  // namespace berth::agents
