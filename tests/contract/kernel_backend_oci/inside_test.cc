#include "tests/contract/kernel_backend_inside.h"
#include "tests/contract/kernel_backend_oci/oci_rig.h"
#include "tests/support/inside_connection.h"

namespace berth::agents::contract {
namespace {

class OciInside : public KernelInside {};

TEST_P(OciInside, TheKernelsUserReachesNeitherTheHelperNorItsProgram) {
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

bool await_ready(Talk& talk) {
  return talk.await([&] { return !talk.apps.empty() && talk.apps.back().state == inside::AppState::kReady; });
}

TEST_P(OciInside, AnAppListensInItsKernelsOwnNetworkAlone) {
  EXPECT_TRUE(backend_->has_networks());
  const KernelKey key = start_long(), other = start_long();
  const inside::Listener of_host;  // a port that is taken here, and free in there
  const inside::Request echo = inside::app("echo", inside::echo_app(), of_host.port());
  Talk talk(door(key), echo);
  ASSERT_TRUE(await_ready(talk)) << talk.out;
  for (const inside::Request& request : {inside::connect_to(of_host.port()), inside::connect_to("echo")}) {
    const auto socket = inside::connection(door(key), request);
    ASSERT_EQ(inside::code_of(socket), "connected");
    EXPECT_TRUE(inside::answer_to_line(*socket, "line").ends_with(" line"));
  }
  EXPECT_EQ(inside::code_of(inside::connection(door(other), inside::connect_to(of_host.port()))),
            "port-not-open");
  pollfd knocked{of_host.socket_itself().get(), POLLIN, 0};
  EXPECT_EQ(poll(&knocked, 1, 0), 0) << "somebody came to the host's port";
}

TEST_P(OciInside, AnAppOnASocketOfItsOwnIsReachedAndEndsWithItsKernel) {
  const KernelKey key = start_long();
  Talk talk(door(key), inside::app("echo", inside::echo_app()));
  ASSERT_TRUE(await_ready(talk)) << talk.out;
  const auto socket = inside::connection(door(key), inside::connect_to("echo"));
  ASSERT_EQ(inside::code_of(socket), "connected");
  EXPECT_TRUE(inside::answer_to_line(*socket, "line").ends_with(" line"));
  backend_->stop(key, 0);
  EXPECT_EQ(talk.await_end(), -1);
  await_end(key);
  char byte = 0;
  EXPECT_EQ(recv(socket->get(), &byte, 1, MSG_DONTWAIT), 0) << "the connection is over";
}

INSTANTIATE_TEST_SUITE_P(Oci, KernelInside,
                         testing::Values(RigFactory([] { return std::make_unique<OciRig>(); })));
INSTANTIATE_TEST_SUITE_P(Only, OciInside,
                         testing::Values(RigFactory([] { return std::make_unique<OciRig>(); }),
                                         RigFactory([] { return std::make_unique<OciRootRig>(); })));

}  // namespace
}  // namespace berth::agents::contract
