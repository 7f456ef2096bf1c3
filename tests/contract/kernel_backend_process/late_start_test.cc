// P24: a start that waited in the agent for longer than its lease.
#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {
namespace {

class LateStart : public KernelBackendContract {};

TEST_P(LateStart, P24_AStartOfALeaseThatIsOverStaysOverWhenANewLeaseBegins) {
  KernelSpec leased = spec(Program::kCount);
  leased.lease_until = rig_->boottime() + kSecond / 10;
  KernelSpec refused = spec(Program::kLong);  // told at once, by the thread that starts
  refused.disk = 1 << 30;
  {
    const std::lock_guard held(mutex_);  // that thread waits in the first event
    start(refused);
    start(leased);
    while (rig_->boottime() <= *leased.lease_until) rig_->step(*backend_);
    backend_->renew_leases(rig_->boottime() + kMinute);
  }
  EXPECT_EQ(await_end(leased.key).end, KernelEnd::kLeaseOver);
  EXPECT_EQ(count(leased.key, KernelEvent::What::kRunning), 0u);
  EXPECT_EQ(log(leased.key), "");
}

INSTANTIATE_TEST_SUITE_P(Process, LateStart, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));

}  // namespace
}  // namespace berth::agents::contract
