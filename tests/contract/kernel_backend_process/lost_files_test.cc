#include "tests/contract/kernel_backend_lost_files.h"

namespace berth::agents::contract {

INSTANTIATE_TEST_SUITE_P(Process, LostFiles, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));

}  // namespace berth::agents::contract
