// A volume that is gone for good is forgotten with its folders: by whom, when, and what keeps it.
#include "tests/support/decide.h"
#include "tests/support/folders.h"

namespace berth::testing::decisions {
namespace {

// Agent "a1" has volume "local", with alice's folder "data" and, in the trash, "old"; agent "a2" has "other".
Events lost_world() {
  return definitions() +
         Events{user_defined("bob"), user_with_role("root", "superadmin"), user_with_role("mona", "monitor"),
                user_with_role("dora", "domain-admin")} +
         agent_of_volume("a1") + Events{agent_enrolled("a2"), joined_with("a2", {"other"})} +
         ready_folder("data") + ready_folder("old") + Events{folder_trashed("old", kTestStart + kHour)};
}

TEST(ForgetVolume, TakesItsFoldersWithItWhereTheirNumberIsExpected) {
  Case c =
      given(lost_world() + Events{folder_created("kept", folder_owner("bob"), "other"), agent_lost("a1")});
  c.when(forget_volume("local", 2)).then({volume_forgotten("local", 2)});
  EXPECT_EQ(c.state().volumes.find(volume_id("local")), nullptr);
  EXPECT_EQ(c.state().folders.find(folder_id("data")), nullptr);
  EXPECT_EQ(c.state().folders.find(folder_id("old")), nullptr);
  EXPECT_NE(c.state().folders.find(folder_id("kept")), nullptr) << "it lies on another volume";
  EXPECT_TRUE(c.state().trashed().empty());
  c.when(forget_volume("local")).then_refused("unknown-volume");
}

TEST(ForgetVolume, OfAnotherNumberOfFoldersIsRefused) {
  Case c = given(lost_world() + Events{agent_lost("a1")});
  c.when(forget_volume("local")).then_refused("in-use");
  EXPECT_NE(c.decided()[0].request_refused().message().find("2 folders"), std::string::npos);
  c.when(forget_volume("local", 1)).then_refused("count-changed");
  c.when(forget_volume("local", 3)).then_refused("count-changed");
  EXPECT_NE(c.state().folders.find(folder_id("data")), nullptr);
}

TEST(ForgetVolume, OneThatALivingAgentHasIsRefused) {
  Case c = given(lost_world());
  c.when(forget_volume("local", 2)).then_refused("in-use");
  c.when(forget_volume("other")).then_refused("in-use");
  c.and_given({joined_with("a2", {}, 2)});
  c.when(forget_volume("other")).then({volume_forgotten("other")});
}

TEST(ForgetVolume, OneWhoseFoldersLiveSessionsMountIsRefused) {
  Case waits =
      given(lost_world() + Events{session_requested("s1", mounting(Spec(), "data")), agent_lost("a1")});
  waits.when(forget_volume("local", 2)).then_refused("folder-mounted");
  waits.and_given({session_cancelled("s1")});
  waits.when(forget_volume("local", 2)).then({volume_forgotten("local", 2)});

  Case runs = given(lost_world() + Events{session_requested("s1", mounting(Spec(), "data")),
                                          session_scheduled("s1", "a1"), agent_fenced("a1")});
  runs.when(forget_volume("local", 2)).then_refused("folder-mounted");
}

TEST(ForgetVolume, AnAutomaticFolderOfARunningSessionCountsToo) {
  Events automatic = ready_folder(projections::kAutomaticFolder);
  Case c = given(lost_world() + automatic + running("s1", "a1"));
  c.and_given({agent_lost("a1")});
  c.when(forget_volume("local", 3)).then_refused("folder-mounted");
  c.and_given({kernel_terminated(kernel_name("s1"))});
  c.when(forget_volume("local", 3)).then({volume_forgotten("local", 3)});
}

TEST(ForgetVolume, TheSessionsThatMountAreNamed) {
  Case c = given(lost_world() + Events{session_requested("s1", mounting(Spec(), "data")), agent_lost("a1")});
  c.when(forget_volume("local", 2)).then_refused("folder-mounted");
  EXPECT_NE(c.decided()[0].request_refused().message().find("s1 of alice"), std::string::npos)
      << c.decided()[0].request_refused().message();
}

TEST(ForgetVolume, ASessionOnAnAgentWithoutTheVolumeDoesNotHaveTheAutomaticFolder) {
  Case c =
      given(lost_world() + ready_folder(projections::kAutomaticFolder) + agent("a3") + running("far", "a3"));
  c.and_given({agent_lost("a1")});
  c.when(forget_volume("local", 3)).then({volume_forgotten("local", 3)});
}

TEST(ForgetVolume, OneThatIsToldOfAgainIsANewOneWithoutFolders) {
  Case c = given(lost_world() + Events{agent_lost("a1")});
  c.when(forget_volume("local", 2));
  c.and_given({joined_with("a1", {"local"}, 2)});
  ASSERT_NE(c.state().volumes.find(volume_id("local")), nullptr);
  EXPECT_EQ(c.state().volumes.find(volume_id("local"))->agent, "");
  c.when(create_folder("data", "local")).then({volume_agent_named("local", "a1"), folder_created("data")});
}

TEST(ForgetVolume, IsForSuperadmins) {
  const Events lost = lost_world() + Events{agent_lost("a1")};
  for (const char* user : {"alice", "mona", "dora"})
    given(lost).when(sent_by(forget_volume("local", 2), user)).then_refused("denied");
}

TEST(ForgetVolume, AnIdThatIsNoneIsUnknown) {
  v1::Request damaged = forget_volume("local");
  damaged.mutable_forget_volume()->set_volume("short");
  for (const v1::Request& r : {damaged, forget_volume("none")})
    given(lost_world()).when(r).then_refused("unknown-volume");
}

}  // namespace
}  // namespace berth::testing::decisions
