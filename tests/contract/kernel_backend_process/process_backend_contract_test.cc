#include "tests/contract/kernel_backend_contract_tests.h"
#include "tests/contract/kernel_backend_real_rig.h"

namespace berth::agents::contract {

INSTANTIATE_TEST_SUITE_P(Process, KernelBackendContract, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));

}  // namespace berth::agents::contract
