// Orders about folders, one carried out after the other, and the folders of kernels.
#include "tests/unit/agent/agent_fixture.h"

namespace berth::agents {
namespace {

class Folders : public AgentTest {
 protected:
  Folders() {
    profile.volumes = {{VolumeId(id(0xA0)), "/srv/a", false}, {VolumeId(id(0xB0)), "/srv/b", true}};
    make();
    given_joined();
  }

  static v1::FolderOrder folder_order(std::uint8_t folder, bool purge = false, std::uint8_t volume = 0xA0) {
    v1::FolderOrder order;
    order.set_folder(bytes(id(folder)));
    order.set_volume(bytes(id(volume)));
    order.set_purge(purge);
    return order;
  }
  void obey(std::uint64_t sequence, std::uint64_t previous, const std::vector<v1::FolderOrder>& folders) {
    v1::Order o = order(sequence, previous);
    for (const auto& folder : folders) *o.add_folders() = folder;
    when(OrderArrived{o});
  }
  void told_again(std::uint64_t sequence, const std::vector<v1::FolderOrder>& folders) {
    v1::Order o = order(sequence, sequence);
    o.mutable_snapshot()->set_join_nonce(bytes(nonce));
    for (const auto& folder : folders) *o.mutable_snapshot()->add_folders() = folder;
    when(OrderArrived{o});
  }
  std::vector<FolderWork> work() const { return commands<FolderWork>(); }
  static FolderWork make_of(std::uint8_t folder, std::uint8_t volume = 0xA0) {
    return {VolumeId(id(volume)), FolderId(id(folder)), false};
  }
  static FolderWork purge_of(std::uint8_t folder) { return {VolumeId(id(0xA0)), FolderId(id(folder)), true}; }
  std::vector<v1::FolderFact> folder_facts() const {
    std::vector<v1::FolderFact> all;
    for (const auto& report : out.reports)
      all.insert(all.end(), report.folders().begin(), report.folders().end());
    return all;
  }
};

using Work = std::vector<FolderWork>;

TEST_F(Folders, AreMadeOneAfterTheOtherAndEachIsTold) {
  obey(11, 10, {folder_order(1), folder_order(2)});
  EXPECT_EQ(work(), Work{make_of(1)});
  when(FolderDone{});
  EXPECT_EQ(work(), Work{make_of(2)});
  ASSERT_EQ(folder_facts().size(), 1u);
  EXPECT_EQ(folder_facts()[0].folder(), bytes(id(1)));
  EXPECT_EQ(folder_facts()[0].result(), v1::FOLDER_MADE);
  when(FolderDone{});
  EXPECT_EQ(work(), Work{});
  EXPECT_EQ(folder_facts().at(0).folder(), bytes(id(2)));
  pass(kSecond);
  EXPECT_TRUE(folder_facts().empty());
}

TEST_F(Folders, ARemovalThatFailedIsToldWithItsReason) {
  obey(11, 10, {folder_order(1, true)});
  EXPECT_EQ(work(), Work{purge_of(1)});
  when(FolderDone{make_error("volume-failed", "no")});
  ASSERT_EQ(folder_facts().size(), 1u);
  EXPECT_EQ(folder_facts()[0].result(), v1::FOLDER_FAILED);
  EXPECT_EQ(folder_facts()[0].code(), "volume-failed");
  EXPECT_EQ(folder_facts()[0].message(), "no");
  obey(12, 11, {folder_order(1, true)});
  when(FolderDone{});
  EXPECT_EQ(folder_facts().at(0).result(), v1::FOLDER_REMOVED);
}

TEST_F(Folders, OfAFolderTheNewestOrderCounts) {
  obey(11, 10, {folder_order(1), folder_order(2)});
  obey(12, 11, {folder_order(2, true)});
  EXPECT_EQ(work(), Work{});
  when(FolderDone{});
  EXPECT_EQ(work(), Work{purge_of(2)});
}

TEST_F(Folders, AnOrderThatIsBeingCarriedOutIsNotBegunAgain) {
  obey(11, 10, {folder_order(1)});
  obey(12, 11, {folder_order(1)});
  when(FolderDone{});
  EXPECT_EQ(work(), Work{});
  EXPECT_EQ(folder_facts().size(), 1u);
}

TEST_F(Folders, ASnapshotSaysAllThatIsStillToBeDone) {
  obey(11, 10, {folder_order(1), folder_order(2), folder_order(3)});
  told_again(11, {folder_order(3)});
  when(FolderDone{});
  EXPECT_EQ(work(), Work{make_of(3)});
  when(FolderDone{});
  EXPECT_EQ(work(), Work{});
}

TEST_F(Folders, AFactIsToldAgainWhenALaterJoinsSnapshotAsksAgain) {
  obey(11, 10, {folder_order(1)});
  when(FolderDone{});
  make();
  join(2);
  told_again(11, {folder_order(1)});
  EXPECT_EQ(work(), Work{make_of(1)});
  when(FolderDone{});
  EXPECT_EQ(folder_facts().at(0).result(), v1::FOLDER_MADE);
}

TEST_F(Folders, AnOrderWithMalformedIdsIsLeftOut) {
  v1::FolderOrder broken = folder_order(1);
  broken.set_folder("short");
  obey(11, 10, {broken, folder_order(2)});
  EXPECT_EQ(work(), Work{make_of(2)});
  EXPECT_TRUE(warned_of("malformed"));
}

TEST_F(Folders, ManyFactsAreSpreadOverReports) {
  std::vector<v1::FolderOrder> many;
  for (int i = 1; i < 200; ++i) many.push_back(folder_order(static_cast<std::uint8_t>(i)));
  obey(11, 10, many);
  out = {};
  for (std::size_t i = 0; i < many.size(); ++i) agent->step(FolderDone{}, now, out);
  agent->flush(now, out);
  EXPECT_EQ(folder_facts().size(), many.size());
}

TEST_F(Folders, OfAKernelAreMountedFromWhereTheirVolumesLie) {
  v1::StartKernel order = start_of(kernel(1));
  for (const std::uint8_t volume : {0xA0, 0xB0}) {
    v1::KernelMount& mount = *order.add_mounts();
    mount.set_folder(bytes(id(5)));
    mount.set_volume(bytes(id(volume)));
    mount.set_target(volume == 0xA0 ? "data" : "other");
    mount.set_read_only(volume == 0xB0);
  }
  obey_start(11, 10, order);
  const auto mounts = commands<StartCommand>().at(0).spec.mounts;
  ASSERT_EQ(mounts.size(), 2u);
  EXPECT_EQ(mounts[0].volume_root, "/srv/a");
  EXPECT_EQ(mounts[0].folder, "05050505050505050505050505050505");
  EXPECT_EQ(mounts[0].target, "data");
  EXPECT_FALSE(mounts[0].read_only);
  EXPECT_FALSE(mounts[0].shared_ids);
  EXPECT_EQ(mounts[1].volume_root, "/srv/b");
  EXPECT_TRUE(mounts[1].read_only);
  EXPECT_TRUE(mounts[1].shared_ids);
}

TEST_F(Folders, AKernelWithAFolderOfAnUnknownVolumeFailsToStart) {
  v1::StartKernel order = start_of(kernel(1));
  v1::KernelMount& mount = *order.add_mounts();
  mount.set_folder(bytes(id(5)));
  mount.set_volume(bytes(id(0xC0)));
  mount.set_target("data");
  obey_start(11, 10, order);
  EXPECT_EQ(started(), Keys{});
  const v1::KernelFact fact = fact_of(kernel(1));
  EXPECT_EQ(fact.end(), v1::START_FAILED);
  EXPECT_EQ(fact.code(), "folder-missing");
  EXPECT_NE(fact.message().find("'data'"), std::string::npos);
}

TEST_F(Folders, AnAutomaticOneIsMountedWhereItsVolumeIsAndKeepsNoKernelFromStartingElsewhere) {
  v1::StartKernel order = start_of(kernel(1));
  v1::KernelMount& mount = *order.add_mounts();
  mount.set_folder(bytes(id(5)));
  mount.set_volume(bytes(id(0xA0)));
  mount.set_target(kAutomaticTarget);
  mount.set_automatic(true);
  obey_start(11, 10, order);
  auto mounts = commands<StartCommand>().at(0).spec.mounts;
  ASSERT_EQ(mounts.size(), 1u);
  EXPECT_TRUE(mounts[0].automatic);
  out = {};
  order.set_kernel_id(start_of(kernel(2)).kernel_id());
  order.mutable_mounts(0)->set_volume(bytes(id(0xC0)));
  obey_start(12, 11, order);
  mounts = commands<StartCommand>().at(0).spec.mounts;
  EXPECT_TRUE(mounts.empty());
}

}  // namespace
}  // namespace berth::agents
