#include "tests/contract/kernel_backend_lost_files.h"
#include "tests/contract/kernel_backend_oci/oci_rig.h"

namespace berth::agents::contract {

INSTANTIATE_TEST_SUITE_P(Oci, LostFiles,
                         testing::Values(RigFactory([] { return std::make_unique<OciRig>(); })));

}  // namespace berth::agents::contract
