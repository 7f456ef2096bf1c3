// What agents are told of folders (P21), and when the leader empties the trash.
#include "controller/cell/leader/router.h"
#include "tests/support/folders.h"
#include "tests/support/given.h"
#include "tests/unit/cell/leader_fixture.h"

namespace berth::controller {
namespace {

using testing::create_folder;
using testing::Events;
using testing::folder_created;
using testing::folder_purging;
using testing::folder_ready;
using testing::folder_trashed;
using testing::kTestStart;
using testing::mounting;
using testing::operator+;
using testing::Spec;
using testing::volume_agent_named;
using testing::wire;

const Timestamp kLater = kTestStart + 100 * kHour;

// Orders and snapshots to agent a1, which is named for volume "local".
class FolderOrders : public ::testing::Test {
 protected:
  FolderOrders() {
    config.cluster = Rng(1).uuid();
    config.layout.orders = 1;
  }
  v1::Order opened(const Append& append) {
    const Signer agent(config.cluster, "agent:a1", 1, verifier().key_of("agent:a1", 1));
    const auto envelope = open_signed(agent, Channel::kOrder, append.payload);
    v1::Order order;
    EXPECT_TRUE(envelope &&
                order.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())));
    return order;
  }
  // The orders of one record to a1.
  std::vector<v1::Order> when(const Events& events) {
    const v1::Record record = given.journal().next_record(events);
    given.when_record(record).then_applied();
    Verifier keys = verifier();
    std::vector<v1::Order> out;
    for (const auto& [at, append] :
         Router(config, keys, Uuid()).orders(given.state(), record, given.projection().notes()))
      out.push_back(opened(append));
    return out;
  }
  v1::Snapshot snapshot() {
    Verifier keys = verifier();
    const auto orders = Router(config, keys, Uuid()).snapshot(given.state(), "a1");
    return orders.size() == 1 ? opened(orders[0].second).snapshot() : v1::Snapshot();
  }
  Verifier verifier() { return {config.cluster, "secret"}; }

  ControllerConfig config;
  testing::Given given{testing::definitions() + testing::agent_of_volume("a1")};
};

TEST_F(FolderOrders, AFolderIsMadeAndRemovedByOrder) {
  const auto made = when({folder_created("data")});
  ASSERT_EQ(made.size(), 1u);
  ASSERT_EQ(made[0].folders_size(), 1);
  EXPECT_EQ(made[0].folders(0).folder(), wire("data"));
  EXPECT_EQ(made[0].folders(0).volume(), wire("local"));
  EXPECT_FALSE(made[0].folders(0).purge());
  when({folder_ready("data"), folder_trashed("data", kLater)});
  const auto removed = when({folder_purging("data")});
  ASSERT_EQ(removed.size(), 1u);
  EXPECT_TRUE(removed[0].folders(0).purge());
  EXPECT_EQ(when({folder_purging("data")}).size(), 1u) << "it is told again";
}

TEST_F(FolderOrders, ANewlyNamedAgentIsToldAll) {
  when({folder_created("one"), folder_created("two"), folder_created("done"), folder_ready("done")});
  const auto told = when({volume_agent_named("local", "a1")});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].folders_size(), 2);
}

TEST_F(FolderOrders, ASnapshotHasWhatIsStillToBeDone) {
  when({folder_created("one"), folder_created("done"), folder_ready("done")});
  ASSERT_EQ(snapshot().folders_size(), 1);
  EXPECT_EQ(snapshot().folders(0).folder(), wire("one"));
  when({testing::joined_with("a1", {}, 2)});
  EXPECT_EQ(snapshot().folders_size(), 0) << "an agent without the volume can do nothing there";
}

TEST_F(FolderOrders, TheFirstPartOfALargeSnapshotHasTheFolders) {
  given.and_given(
      {testing::agent_enrolled("a2"),
       testing::with_volumes(testing::agent_joined("a1", 4'000, 4'000 * testing::kGiga, {}, 2), {"local"}),
       folder_created("one")});
  for (int first = 0; first < 2'400; first += 100) {
    Events hundred;
    for (int n = first; n < first + 100; ++n) {
      const std::string name = "s" + std::to_string(n);
      hundred.push_back(testing::session_requested(name, Spec().batch(std::string(400, 'x'))));
      hundred.push_back(testing::session_scheduled(name, "a1"));
    }
    given.when(hundred).then_applied();
  }
  Verifier keys = verifier();
  const auto parts = Router(config, keys, Uuid()).snapshot(given.state(), "a1");
  ASSERT_GT(parts.size(), 1u);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(opened(parts[i].second).snapshot().folders_size(), i == 0 ? 1 : 0);
    EXPECT_LE(parts[i].second.payload.size(), kPayloadBytesMax);
  }
}

TEST_F(FolderOrders, AStartNamesItsFoldersVolumes) {
  given.and_given(testing::ready_folder("data"));
  given.and_given({testing::session_requested("s1", mounting(Spec(), "data", "notes", true))});
  const auto orders = when({testing::session_scheduled("s1", "a1")});
  ASSERT_EQ(orders.size(), 1u);
  ASSERT_EQ(orders[0].start(0).mounts_size(), 1);
  const v1::KernelMount& mount = orders[0].start(0).mounts(0);
  EXPECT_EQ(mount.folder(), wire("data"));
  EXPECT_EQ(mount.volume(), wire("local"));
  EXPECT_EQ(mount.target(), "notes");
  EXPECT_TRUE(mount.read_only());
}

// alice's automatic folder.
v1::Event automatic() {
  v1::Event e = folder_created("auto");
  e.mutable_folder_created()->set_name(projections::kAutomaticFolder);
  return e;
}

TEST_F(FolderOrders, AStartHasTheOwnersAutomaticFolderAlsoWhileThatIsMade) {
  given.and_given({automatic(), testing::session_requested("s1")});
  const auto orders = when({testing::session_scheduled("s1", "a1")});
  ASSERT_EQ(orders.size(), 1u);
  ASSERT_EQ(orders[0].start(0).mounts_size(), 1);
  const v1::KernelMount& mount = orders[0].start(0).mounts(0);
  EXPECT_EQ(mount.folder(), wire("auto"));
  EXPECT_EQ(mount.volume(), wire("local"));
  EXPECT_EQ(mount.target(), ".automatic");
  EXPECT_TRUE(mount.automatic());
  EXPECT_FALSE(mount.read_only());
  EXPECT_EQ(snapshot().kernels(0).start().mounts_size(), 1);
}

TEST_F(FolderOrders, AStartIsWithoutAnAutomaticFolderWhereItIsRefusedOrTheVolumeIsNot) {
  testing::Spec refuses;
  refuses.proto().set_no_automatic_folder(true);
  given.and_given({automatic(), folder_ready("auto"), testing::session_requested("s1", refuses),
                   testing::session_requested("s2")});
  EXPECT_EQ(when({testing::session_scheduled("s1", "a1")})[0].start(0).mounts_size(), 0);
  given.and_given({testing::joined_with("a1", {}, 2)});
  EXPECT_EQ(when({testing::session_scheduled("s2", "a1")})[0].start(0).mounts_size(), 0);
}

class Trash : public LeaderTest {
 protected:
  void SetUp() override {
    given_leader();
    given_agent();
    v1::Report again = join();
    again.mutable_join()->set_nonce(std::string(Rng(5).uuid().view()));
    for (const char* name : {"local", "other"}) {
      auto* volume = again.mutable_join()->mutable_agent()->add_volumes();
      volume->set_id(wire(name));
      volume->set_name(name);
    }
    tell(again);
    read_all_back();
  }
  void given_folder(const std::string& name, const std::string& volume, bool made = true) {
    ask(create_folder(name, volume));
    if (made) {
      v1::Report report;
      report.add_folders()->set_folder(wire(name));
      report.mutable_folders(0)->set_result(v1::FOLDER_MADE);
      tell(report);
    }
    read_all_back();
  }
  void throw_away(const std::string& name) {
    ask(testing::trash_folder(name));
    read_all_back();
  }
  const projections::FolderRow& folder(const std::string& name) {
    const auto* row = controller->projection().state().folders.find(testing::folder_id(name));
    EXPECT_NE(row, nullptr);
    return *row;
  }
  std::vector<std::string> purged() {
    std::vector<std::string> folders;
    for (const auto& event : events())
      if (event.has_folder_purging()) folders.push_back(event.folder_purging().folder());
    return folders;
  }
};

TEST_F(Trash, IsEmptiedWhenItsTimeIsOver) {
  given_folder("data", "local");
  throw_away("data");
  ASSERT_EQ(folder("data").state, projections::FolderState::kTrashed);
  pass(projections::kTrashKeptFor - kMinute);
  EXPECT_TRUE(purged().empty());
  read_all_back();
  pass(2 * kMinute);
  EXPECT_EQ(purged(), std::vector<std::string>{wire("data")});
}

TEST_F(Trash, OfABusyVolumeKeepsNothingOfAnother) {
  given_folder("data", "local");
  given_folder("later", "other");
  throw_away("data");
  pass(kSecond);
  throw_away("later");
  for (int i = 0; i < projections::kFoldersToDoMax; ++i)
    given_folder("f" + std::to_string(i), "local", false);
  pass(projections::kTrashKeptFor + kMinute);
  EXPECT_EQ(purged(), std::vector<std::string>{wire("later")});
  EXPECT_EQ(folder("data").state, projections::FolderState::kTrashed);
}

}  // namespace
}  // namespace berth::controller
