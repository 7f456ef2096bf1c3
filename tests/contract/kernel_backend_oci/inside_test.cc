#include "tests/contract/kernel_backend_inside.h"
#include "tests/contract/kernel_backend_oci/oci_rig.h"

namespace berth::agents::contract {
namespace {

class OciInside : public KernelInside {};

TEST_P(OciInside, TheKernelsRootReachesNeitherTheHelperNorItsProgram) {
  const KernelKey key = start_long();
  const std::string text =
      said(key,
           "for f in mem environ maps fd/4; do head -c 1 /proc/$PPID/$f >/dev/null 2>&1 && "
           "echo read $f; done; readlink /proc/$PPID/fd/4; "
           "echo x 2>/dev/null >/run/berth/init && echo wrote; rm -f /run/berth/init 2>/dev/null; "
           "mv /bin/true /run/berth/init 2>/dev/null; echo tried");
  EXPECT_EQ(text, "tried\n");
  EXPECT_EQ(said(key, "kill -9 $PPID; sleep 5"), "");
  EXPECT_EQ(await_said(key, "echo again"), "again\n");
}

INSTANTIATE_TEST_SUITE_P(Oci, KernelInside,
                         testing::Values(RigFactory([] { return std::make_unique<OciRig>(); })));
INSTANTIATE_TEST_SUITE_P(Only, OciInside,
                         testing::Values(RigFactory([] { return std::make_unique<OciRig>(); })));

}  // namespace
}  // namespace berth::agents::contract
