// From an order to the backend: images, what is given, the environment, stops on the way.
#include "agents/core/kernel_spec.h"
#include "tests/unit/agent/agent_fixture.h"

namespace berth::agents {
namespace {

class Starts : public AgentTest {
 protected:
  std::string env_of(const std::string& name) const {
    std::string value = "(none)";
    const KernelSpec spec = commands<StartCommand>().at(0).spec;
    for (const auto& [key, text] : spec.env)
      if (key == name) value = text;
    return value;
  }
};

TEST_F(Starts, AnImageIsFetchedFirstAndItsProgressTold) {
  make({}, true);
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  EXPECT_EQ(started(), Keys{});
  EXPECT_EQ(fact_of(kernel(1)).state(), v1::PREPARING);
  const ImageRequest image = commands<EnsureImage>().at(0).request;
  EXPECT_EQ(image.source, "oci:/images/python:3.11");
  when(ImageMoved{{"python:3.11", 40, "copy"}});
  EXPECT_EQ(fact_of(kernel(1)).state(), v1::PULLING);
  EXPECT_EQ(fact_of(kernel(1)).percent(), 40u);
  when(ImageMoved{{"python:3.11", 41, "copy"}});
  EXPECT_TRUE(facts().empty());
  when(ImageDone{image, StoredImage{"python:3.11", "", "/rootfs", 1}});
  EXPECT_EQ(started(), Keys{kernel(1)});
  EXPECT_EQ(fact_of(kernel(1)).state(), v1::PREPARED);
}

TEST_F(Starts, S3_AKernelHasTheBoundOfItsOrder) {
  given_joined();
  v1::StartKernel bounded = start_of(kernel(1));
  bounded.set_disk(10ll << 30);
  obey_start(11, 10, bounded);
  EXPECT_EQ(commands<StartCommand>().at(0).spec.disk, 10ll << 30);
  obey_start(12, 11, start_of(kernel(2)));
  EXPECT_EQ(commands<StartCommand>().at(0).spec.disk, 0);
}

TEST_F(Starts, WhatAKernelHoldsOfTheSlotDiskIsItsBound) {
  add_slot("disk", 30ll << 30);
  agent = std::make_unique<Agent>(profile, AgentTimes{}, std::vector<RecoveredKernel>{});
  given_joined();
  const auto asking = [](std::uint8_t n) {
    v1::StartKernel start = start_of(kernel(n));
    start.set_disk(10ll << 30);
    auto* slot = start.add_slots();
    slot->set_slot("disk");
    slot->set_amount(20ll << 30);
    return start;
  };
  obey_start(11, 10, asking(1));
  const KernelSpec spec = commands<StartCommand>().at(0).spec;
  EXPECT_EQ(spec.disk, 20ll << 30);
  EXPECT_EQ(spec.disk_slot, 20ll << 30);
  obey_start(12, 11, asking(2));
  EXPECT_EQ(started(), Keys{}) << "10 GiB are left";
}

TEST_F(Starts, AKernelReachesWhatItsOrderSaysAndOfNewerOrdersNothing) {
  given_joined();
  v1::StartKernel order = start_of(kernel(1));
  order.set_egress(v1::EGRESS_REGISTRIES);
  obey_start(11, 10, order);
  EXPECT_EQ(commands<StartCommand>().at(0).spec.egress, Egress::kRegistries);
  obey_start(12, 11, start_of(kernel(2)));
  EXPECT_EQ(commands<StartCommand>().at(0).spec.egress, Egress::kNone);
  v1::StartKernel newer = start_of(kernel(3));
  newer.set_egress(static_cast<v1::Egress>(7));
  obey_start(13, 12, newer);
  EXPECT_EQ(commands<StartCommand>().at(0).spec.egress, Egress::kNone);
}

TEST_F(Starts, TwoKernelsShareOnePull) {
  make({}, true);
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  const ImageRequest image = commands<EnsureImage>().at(0).request;
  obey_start(12, 11, start_of(kernel(2)));
  EXPECT_TRUE(commands<EnsureImage>().empty());
  when(ImageDone{image, StoredImage{"python:3.11", "", "/rootfs", 1}});
  EXPECT_EQ(started(), (Keys{kernel(1), kernel(2)}));
}

TEST_F(Starts, AnImageThatCannotBeFetchedEndsTheKernelWithItsCode) {
  make({}, true);
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  when(ImageDone{commands<EnsureImage>().at(0).request, make_error("unknown-image", "no such image")});
  EXPECT_EQ(fact_of(kernel(1)).end(), v1::START_FAILED);
  EXPECT_EQ(fact_of(kernel(1)).code(), "unknown-image");
}

TEST_F(Starts, AKernelStoppedWhileItsImageIsPulledEndsWithoutStarting) {
  make({}, true);
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  const ImageRequest image = commands<EnsureImage>().at(0).request;
  obey_stop(12, 11, kernel(1));
  EXPECT_EQ(fact_of(kernel(1)).end(), v1::NEVER_STARTED);
  EXPECT_EQ(stopped(), Keys{});
  when(ImageDone{image, StoredImage{"python:3.11", "", "/rootfs", 1}});
  EXPECT_EQ(started(), Keys{});
}

TEST_F(Starts, ADeviceThatTheAgentDoesNotHaveIsGivenDiffers) {
  given_joined();
  v1::StartKernel start = start_of(kernel(1), kUnit);
  start.mutable_devices(0)->set_device("gpu7");
  obey_start(11, 10, start);
  EXPECT_EQ(fact_of(kernel(1)).end(), v1::START_FAILED);
  EXPECT_EQ(fact_of(kernel(1)).code(), "given-differs");
  EXPECT_NE(fact_of(kernel(1)).message().find("gpu7"), std::string::npos);
}

TEST_F(Starts, MoreThanADeviceHasIsGivenDiffers) {
  given_joined();
  obey_start(11, 10, start_of(kernel(1), kUnit * 3 / 2));
  EXPECT_EQ(started(), Keys{kernel(1)});
  obey_start(12, 11, start_of(kernel(2), kUnit));  // 1.5 + 1 > 2
  EXPECT_EQ(fact_of(kernel(2)).code(), "given-differs");
  obey_start(13, 12, start_of(kernel(3), kUnit / 2));
  EXPECT_EQ(started(), Keys{kernel(3)});
}

TEST_F(Starts, DevicesThatDoNotAddUpToTheSlotsAreGivenDiffers) {
  given_joined();
  v1::StartKernel start = start_of(kernel(1), kUnit);
  start.mutable_devices(0)->set_amount(kUnit / 2);
  obey_start(11, 10, start);
  EXPECT_EQ(fact_of(kernel(1)).code(), "given-differs");
}

TEST_F(Starts, ADeviceSlotThatNamesNoDeviceIsGivenDiffers) {
  given_joined();
  v1::StartKernel start = start_of(kernel(1), kUnit);
  start.clear_devices();
  obey_start(11, 10, start);
  EXPECT_EQ(fact_of(kernel(1)).code(), "given-differs");
}

TEST_F(Starts, AnEndGivesBackWhatTheKernelHad) {
  given_joined();
  obey_start(11, 10, start_of(kernel(1), 2 * kUnit));
  ends(kernel(1));
  obey_start(12, 11, start_of(kernel(2), 2 * kUnit));
  EXPECT_EQ(started(), Keys{kernel(2)});
}

TEST_F(Starts, AKernelWaitsForOneThatIsBeingStopped) {
  RecoveredKernel old;
  old.key = kernel(1);
  old.what = KernelEvent::What::kRunning;
  make({old});
  join();
  snapshot(10, {desired(start_of(kernel(1), 2 * kUnit), true)});
  snapshot(11, {desired(start_of(kernel(2), 2 * kUnit))});  // fenced meanwhile, and its device given again
  EXPECT_EQ(stopped(), Keys{kernel(1)});
  EXPECT_EQ(started(), Keys{});
  ends(kernel(1), KernelEnd::kStopped);
  EXPECT_EQ(started(), Keys{kernel(2)});
}

TEST_F(Starts, ARunningKernelIsStoppedOnceAndAgainOnlyWithLessGrace) {
  given_joined();
  obey_start(11, 10, start_of(kernel(1)));
  obey_stop(12, 11, kernel(1));
  ASSERT_EQ(commands<StopCommand>().size(), 1u);
  EXPECT_EQ(commands<StopCommand>()[0].grace, 10 * kSecond);
  obey_stop(13, 12, kernel(1));
  EXPECT_EQ(stopped(), Keys{});
  v1::Order force = order(14, 13);
  force.add_stop()->set_kernel_id(bytes(id(1)));
  force.mutable_stop(0)->set_attempt(1);
  when(OrderArrived{force});
  EXPECT_EQ(commands<StopCommand>().at(0).grace, 0);
}

TEST_F(Starts, TheEnvironmentNamesTheTraceUnlessTheUserDid) {
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  given_joined();
  v1::StartKernel start = start_of(kernel(1), kUnit / 2);
  start.set_trace(trace);
  obey_start(11, 10, start);
  EXPECT_EQ(env_of("TRACEPARENT"), trace);
  start = start_of(kernel(2), kUnit / 4);
  start.set_trace(trace);
  auto* own = start.mutable_spec()->add_env();
  own->set_key("TRACEPARENT");
  own->set_value("mine");
  obey_start(12, 11, start);
  EXPECT_EQ(env_of("TRACEPARENT"), "mine");
}

TEST_F(Starts, TheEnvironmentNamesTheSessionAndWhatItHas) {
  given_joined();
  v1::StartKernel start = start_of(kernel(1), kUnit / 2);
  start.add_hosts("sub1");
  start.mutable_slots(0)->set_amount(kUnit * 3 / 2);
  obey_start(11, 10, start);
  EXPECT_EQ(env_of("BERTH_SESSION_ID"), to_string(id(77)));
  EXPECT_EQ(env_of("BERTH_SESSION_NAME"), "demo");
  EXPECT_EQ(env_of("BERTH_SESSION_ROLE"), "main");
  EXPECT_EQ(env_of("BERTH_SESSION_INDEX"), "1");
  EXPECT_EQ(env_of("BERTH_SESSION_HOSTS"), "main1,sub1");
  EXPECT_EQ(env_of("BERTH_SESSION_RANK"), "0");
  EXPECT_EQ(env_of("BERTH_SESSION_CLUSTER_SIZE"), "2");
  EXPECT_EQ(env_of("BERTH_SESSION_DEVICES"), "gpu0:cuda.shares=0.5");
  EXPECT_EQ(env_of("NVIDIA_VISIBLE_DEVICES"), "gpu0");
  EXPECT_EQ(env_of("OMP_NUM_THREADS"), "2");
  EXPECT_EQ(commands<StartCommand>()[0].spec.hostname, "main1");
  EXPECT_EQ(commands<StartCommand>()[0].spec.shm, 64 << 20);
}

TEST_F(Starts, AUserSetsHisOwnVariablesButNotBerths) {
  given_joined();
  v1::StartKernel start = start_of(kernel(1));
  for (const auto& [key, value] :
       {std::pair("BERTH_SESSION_ID", "forged"), std::pair("NVIDIA_VISIBLE_DEVICES", "all"),
        std::pair("OMP_NUM_THREADS", "7"), std::pair("MINE", "1"), std::pair("BAD=NAME", "1")}) {
    auto& entry = *start.mutable_spec()->add_env();
    entry.set_key(key);
    entry.set_value(value);
  }
  obey_start(11, 10, start);
  EXPECT_EQ(env_of("BERTH_SESSION_ID"), to_string(id(77)));
  EXPECT_EQ(env_of("NVIDIA_VISIBLE_DEVICES"), "void");
  EXPECT_EQ(env_of("OMP_NUM_THREADS"), "7");
  EXPECT_EQ(env_of("MINE"), "1");
  EXPECT_EQ(env_of("BAD=NAME"), "(none)");
}

}  // namespace
}  // namespace berth::agents
