#include "tests/contract/kernel_backend_inside.h"

namespace berth::agents::contract {
namespace {

INSTANTIATE_TEST_SUITE_P(Process, KernelInside, testing::Values(RigFactory([] {
                           return std::make_unique<RealRig>(BackendKind::kProcess);
                         })));

}  // namespace
}  // namespace berth::agents::contract
