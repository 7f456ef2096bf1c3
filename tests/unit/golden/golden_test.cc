#include <gtest/gtest.h>

#include "projections/fold/projection.h"
#include "tests/golden/golden_journal.h"
#include "tests/support/folders.h"
#include "tests/support/ids.h"
#include "tests/support/journal.h"

namespace berth::testing {
namespace {

// The same bytes fold to the same state on every build and every compiler, for ever (P14, P15).
TEST(GoldenJournal, FoldsToTheStateThatItAlwaysFoldedTo) {
  for (const std::string journal : kGoldenJournals) {
    const auto payloads = read_golden_journal(journal + ".bin");
    ASSERT_FALSE(payloads.empty()) << journal;
    EXPECT_EQ(describe_fold(payloads), read_file(journal + ".txt")) << journal;
  }
}

struct GoldenV1 : ::testing::Test {
  GoldenV1() {
    for (const auto& payload : read_golden_journal("tests/golden/journal-v1.bin"))
      projection.apply(projection.chain().next(), payload);
  }
  projections::Projection projection{test_cluster(), projections::Projection::Tracking::kRows,
                                     golden_trust()};
  const projections::State& state = projection.state();
};

TEST_F(GoldenV1, HoldsWhatDecideRefusesAndTheNetDoesNot) {
  EXPECT_NE(state.find_live("carol", "over-a-limit"), nullptr);
  EXPECT_NE(state.find_live("dave", "beside-the-quantum"), nullptr);
  EXPECT_NE(state.find_live("dave", "-no name-"), nullptr);
  const auto* stays = state.find_live("dave", "stays");
  ASSERT_NE(stays, nullptr);
  EXPECT_EQ(stays->preemptor, session_id("equal"));
}

TEST_F(GoldenV1, HoldsHowPeopleSignIn) {
  EXPECT_NE(state.passwords.find("zoe"), nullptr);
  EXPECT_EQ(state.key_pairs.find("AKzoe")->def.used_ns(), kTestStart + kDay);
  EXPECT_TRUE(state.is_retired(v1::DEFINITION_KIND_USER, "yan"));
  EXPECT_NE(state.unreachable.find("a12"), nullptr);
}

TEST_F(GoldenV1, HoldsWhoOpenedAKernelAndWhoMadeAKeyPair) {
  EXPECT_EQ(state.key_pairs.find("AKxena")->def.made_by(), "alice");
  EXPECT_EQ(state.login_links.find("xena"), nullptr);
  EXPECT_NE(state.requests.find(projections::RequestRow::make_key("user:erin", id_of("opening"))), nullptr);
  const auto* open = state.find_live("erin", "open");
  ASSERT_NE(open, nullptr);
  ASSERT_NE(open->preemptor_owner, nullptr);
  EXPECT_EQ(open->preemptor_owner->owner.user(), "xena");
}

TEST_F(GoldenV1, HoldsWhatAGroupReachesAndHowFarImagesAreBuilt) {
  EXPECT_EQ(state.groups.find("reaching")->def.egress(), "registries");
  const auto* building = state.images.find("jupyter:4.6");
  ASSERT_NE(building, nullptr);
  EXPECT_FALSE(building->is_usable());
  EXPECT_EQ(building->build->percent(), 43u);
  EXPECT_EQ(building->build->builder(), "up");
  EXPECT_NE(state.find_live("erin", "early"), nullptr);
  EXPECT_EQ(state.images.find("torch:2")->build->message(), "no space left");
  EXPECT_TRUE(state.images.find("ready:1")->is_usable());
  EXPECT_EQ(state.images.find("ready:1")->build->step(), "anew");
  EXPECT_TRUE(state.is_retired(v1::DEFINITION_KIND_IMAGE, "gone:1"));
}

TEST_F(GoldenV1, HoldsFoldersInEveryStateTheirSharesAndMounts) {
  using projections::FolderState;
  const std::map<std::string, FolderState> states = {
      {"data", FolderState::kReady},   {"new", FolderState::kCreating}, {"bad", FolderState::kFailed},
      {"ours", FolderState::kReady},   {"old", FolderState::kTrashed},  {"back", FolderState::kReady},
      {"going", FolderState::kPurging}};
  EXPECT_EQ(state.folders.size(), states.size() + 1) << "and erin's automatic one";
  for (const auto& [name, in] : states) EXPECT_EQ(state.folders.find(folder_id(name))->state, in) << name;
  const auto* data = state.find_folder(folder_owner("erin"), "notes");
  ASSERT_NE(data, nullptr);
  ASSERT_EQ(data->shares.size(), 1u);
  EXPECT_EQ(data->shares[0].access, projections::FolderAccess::kWrite);
  EXPECT_EQ(state.mounted_by(data->id), std::set<SessionId>{session_id("mounts")});
  EXPECT_EQ(state.folders.find(folder_id("going"))->code, "disk-full");
  EXPECT_EQ(state.volumes.find(volume_id("shared"))->agent, "a15");
}

TEST_F(GoldenV1, HoldsSharedSessionsAndAnAutomaticFolder) {
  using projections::SessionShare;
  ASSERT_EQ(state.session_shares.size(), 1u);
  EXPECT_EQ(state.session_shares.find(session_id("together"))->shares,
            std::vector<SessionShare>({{v1::SCOPE_KIND_USER, "xena"}}));
  const auto* automatic = state.find_folder(folder_owner("erin"), projections::kAutomaticFolder);
  ASSERT_NE(automatic, nullptr);
  EXPECT_TRUE(automatic->is_automatic());
  EXPECT_EQ(automatic->state, projections::FolderState::kReady);
  EXPECT_TRUE(state.sessions.find(session_id("bare"))->spec->spec.no_automatic_folder());
}

TEST_F(GoldenV1, HoldsProducersAHeadKeyAndARestore) {
  EXPECT_TRUE(state.is_retired(v1::DEFINITION_KIND_PRODUCER, "gone"));
  ASSERT_EQ(state.producers.size(), 1u);
  EXPECT_EQ(state.heads.find("head")->public_key.size(), 32u);
  EXPECT_EQ(state.seal_keys.size(), 2u);
  EXPECT_EQ(state.kept().backup, "ffeeddccbbaa99887766554433221100");
  EXPECT_EQ(state.kept().restored_from.size(), 32u);
  EXPECT_EQ(state.browser_sessions.size(), 0u) << "a restore ends them";
}

TEST_F(GoldenV1, HoldsWhatMachinesStopsEndedAndAnAgentThatIsUnfit) {
  const auto* moves = state.find_live("erin", "moves");
  ASSERT_NE(moves, nullptr);
  EXPECT_EQ(moves->status, projections::SessionStatus::kPending);
  EXPECT_EQ(moves->reason_code, "machine-stopped");
  EXPECT_EQ(state.find_live("erin", "stands"), nullptr);
  EXPECT_EQ(state.agents.find("a22")->unfit, "start-failed: error mounting \"cgroup\"");
}

TEST_F(GoldenV1, IsSigned) {
  EXPECT_EQ(state.find_live("mallory", "forged"), nullptr);
  EXPECT_NE(state.find_live("erin", "env-2")->environment, nullptr);
  EXPECT_TRUE(state.is_retired(v1::DEFINITION_KIND_AGENT, "a11"));
  projections::Projection other(test_cluster(), projections::Projection::Tracking::kRows,
                                JournalSigner(test_cluster(), std::string(32, 'x')));
  EXPECT_EQ(other.apply(0, read_golden_journal("tests/golden/journal-v1.bin").front()).reason,
            projections::VoidReason::kSignature);
}

}  // namespace
}  // namespace berth::testing
