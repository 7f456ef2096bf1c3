#include "tests/contract/kernel_backend_stays.h"

namespace berth::agents::contract {
namespace {

class ProcessStays : public KernelStays {
 protected:
  KernelKey start_hung(const std::string& rest) {
    KernelSpec asked = waiting_spec();
    asked.command = {"sh", "-c", "cat " + hung_->file() + " & " + rest};
    const KernelKey key = start(asked);
    await_hung();
    return key;
  }
};

TEST_P(ProcessStays, P24_AKernelHasEndedWhenItsLastProcessHas) {
  const KernelKey key = start_hung("sleep 300");
  backend_->stop(key, 0);
  expect_that_it_stays(key);
  hung_->let_go();
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

TEST_P(ProcessStays, P24_AlsoWhereItsShimDiesMeanwhileAndItsResultIsKept) {
  const KernelKey key = start_hung("sleep 0.2; exit 7");
  expect_that_it_stays(key);
  rig_->kill_shim(key);
  reopen();
  usleep(1'000'000);  // no end is to come in it
  EXPECT_FALSE(find(key, KernelEvent::What::kEnded).has_value());
  hung_->let_go();
  const KernelEvent end = await_end(key);
  EXPECT_EQ(end.end, KernelEnd::kExited);
  EXPECT_EQ(end.exit_code, 7);
}

TEST_P(ProcessStays, P24_AlsoWhereItsShimDiedBefore) {
  const KernelKey key = start_hung("sleep 300");
  rig_->kill_shim(key);
  await_running(key);
  backend_->stop(key, 0);
  expect_that_it_stays(key);
  hung_->let_go();
  await_end(key);
}

INSTANTIATE_TEST_SUITE_P(Process, ProcessStays, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));

}  // namespace
}  // namespace berth::agents::contract
