#include "tests/contract/kernel_backend_contract_tests.h"
#include "tests/contract/kernel_backend_oci/oci_rig.h"

namespace berth::agents::contract {

INSTANTIATE_TEST_SUITE_P(Oci, KernelBackendContract,
                         testing::Values(RigFactory([] { return std::make_unique<OciRig>(); })));

}  // namespace berth::agents::contract
