// The automatic folder of a person: when it is made, what is refused of it, and how it goes.
#include "projections/automatic_folder.h"

#include "tests/support/decide.h"
#include "tests/support/folders.h"

namespace berth::testing::decisions {
namespace {

using projections::AutomaticFolder;
using projections::FolderRow;
using projections::FolderState;

Events volume_world() {
  return definitions() + Events{user_defined("bob"), user_with_role("root", "superadmin")} +
         agent_of_volume("a1");
}
Events agent_with(const std::string& agent, const std::vector<std::string>& volumes) {
  return {agent_enrolled(agent), joined_with(agent, volumes)};
}
v1::Event automatic(const std::string& folder = "auto", const std::string& user = "alice") {
  v1::Event e = folder_created(folder, folder_owner(user));
  e.mutable_folder_created()->set_name(projections::kAutomaticFolder);
  return e;
}
Events ready_automatic(const std::string& user = "alice") {
  return {automatic("auto", user), folder_ready("auto")};
}
v1::SessionSpec without_folder() {
  v1::SessionSpec spec = Spec();
  spec.set_no_automatic_folder(true);
  return spec;
}
const FolderRow* automatic_of(const Case& c, const std::string& user = "alice") {
  return c.state().find_folder(folder_owner(user), projections::kAutomaticFolder);
}
std::string volume_of(const FolderRow& folder) { return std::string(folder.volume.view()); }
AutomaticFolder in_session(const Case& c, const std::string& session) {
  return automatic_folder_in(c.state(), *c.state().sessions.find(session_id(session)));
}

TEST(AutomaticFolder, IsMadeWithTheFirstSessionInItsRecord) {
  Case c = given(volume_world());
  c.when(request_session("s1"));
  ASSERT_EQ(c.decided().size(), 2u);
  EXPECT_TRUE(c.decided()[0].has_session_requested());
  EXPECT_EQ(c.decided()[1].request_id(), "") << "the sessions alone are the answer";
  ASSERT_NE(automatic_of(c), nullptr);
  EXPECT_EQ(automatic_of(c)->state, FolderState::kCreating);
  EXPECT_EQ(volume_of(*automatic_of(c)), wire("local"));
  EXPECT_EQ(automatic_of(c)->user, "alice");
  EXPECT_EQ(automatic_of(c)->project, "");
  c.when(request_session("s2"));
  EXPECT_EQ(c.decided().size(), 1u) << "one a person";
  c.when(sent_by(request_session("s3"), "bob"));
  EXPECT_EQ(c.decided().size(), 2u);
}

TEST(AutomaticFolder, IsNotMadeForASessionThatRefusesIt) {
  const v1::SessionSpec spec = without_folder();
  given(volume_world()).when(request_session("s1", spec)).then({session_requested("s1", spec)});
}

TEST(AutomaticFolder, LiesOnTheOnlyVolumeOrOnTheOnlyHome) {
  given(world()).when(request_session("s1")).then({session_requested("s1")});
  const Events two = definitions() + agent_with("a1", {"local", "scratch"});
  given(two).when(request_session("s1")).then({session_requested("s1")});
  Case c = given(definitions() + agent_with("a1", {"local", "home"}));
  c.when(request_session("s1"));
  ASSERT_EQ(c.decided().size(), 3u);
  EXPECT_EQ(c.decided()[1].volume_agent_named().agent(), "a1");
  EXPECT_EQ(volume_of(*automatic_of(c)), wire("home"));
  // Two agents, each with a disk of its own that it calls home.
  v1::Event other = joined_with("a2", {"other"});
  other.mutable_agent_joined()->mutable_volumes(0)->set_name("home");
  given(definitions() + agent_with("a1", {"home"}) + Events{agent_enrolled("a2"), other})
      .when(request_session("s1"))
      .then({session_requested("s1")});
}

TEST(AutomaticFolder, LiesOnAVolumeThatAnAliveAgentHas) {
  Case c = given(volume_world() + Events{agent_lost("a1")});
  c.when(request_session("s1")).then({session_requested("s1")});
  c.and_given(agent_with("a2", {"local"}));
  c.when(request_session("s2"));
  ASSERT_EQ(c.decided().size(), 3u);
  EXPECT_EQ(c.decided()[1].volume_agent_named().agent(), "a2");
}

TEST(AutomaticFolder, WhereItCannotBeMadeTheSessionIsAcceptedWithoutIt) {
  Events busy, many;
  for (int i = 0; i < projections::kFoldersToDoMax; ++i)
    busy.push_back(folder_created("f" + std::to_string(i), folder_owner("bob")));
  for (int i = 0; i < projections::kFoldersOfOwnerMax; ++i)
    many = std::move(many) + ready_folder("f" + std::to_string(i));
  given(volume_world() + busy).when(request_session("s1")).then({session_requested("s1")});
  given(volume_world() + many).when(request_session("s1")).then({session_requested("s1")});
  v1::Request for_alice = request_session("s1");
  for_alice.set_actor("user:root");
  v1::Event for_her = session_requested("s1");
  for_her.set_actor("user:root");
  given(volume_world() + Events{user_with_role("alice", "monitor")}).when(for_alice).then({for_her});
}

TEST(AutomaticFolder, IsInTheOwnersSessionsThatBeginAfterIt) {
  const Events s1 = {session_requested("s1"), session_scheduled("s1", "a1")};
  Case early = given(volume_world() + s1);
  EXPECT_EQ(in_session(early, "s1"), AutomaticFolder::kNone);
  early.after(kSecond).and_given(ready_automatic());
  EXPECT_EQ(in_session(early, "s1"), AutomaticFolder::kNone) << "its kernels began without";
  Case c = given(volume_world() + ready_automatic() + Events{session_requested("s1")});
  EXPECT_EQ(in_session(c, "s1"), AutomaticFolder::kUnknown);
  c.and_given({session_scheduled("s1", "a1")});
  EXPECT_EQ(in_session(c, "s1"), AutomaticFolder::kMounted);
  c.and_given({session_requested("no", without_folder()), session_scheduled("no", "a1")});
  EXPECT_EQ(in_session(c, "no"), AutomaticFolder::kRefused);
  c.and_given({session_requested("bobs", Spec(), "bob"), session_scheduled("bobs", "a1")});
  EXPECT_EQ(in_session(c, "bobs"), AutomaticFolder::kNone);
  c.and_given(agent("a2") + Events{session_requested("far"), session_scheduled("far", "a2")});
  EXPECT_EQ(in_session(c, "far"), AutomaticFolder::kNotOnThisAgent);
}

TEST(AutomaticFolder, OneThatCouldNotBeMadeIsInNoSession) {
  Case c = given(volume_world() + Events{automatic(), folder_failed("auto"), session_requested("s1"),
                                         session_scheduled("s1", "a1")});
  EXPECT_EQ(in_session(c, "s1"), AutomaticFolder::kNone);
  c.when(request_session("s2")).then({session_requested("s2")});
  c.and_given({folder_purging("auto"), folder_purged("auto")});
  c.when(request_session("s3"));
  EXPECT_EQ(c.decided().size(), 2u) << "once it is gone another one is made";
}

TEST(AutomaticFolder, IsNeitherRenamedNorSharedNorMountedElsewhere) {
  Case c = given(volume_world() + ready_automatic());
  c.when(rename_folder("auto", "mine")).then_refused("folder-automatic");
  c.when(share_folder("auto", "user", "bob")).then_refused("folder-automatic");
  c.when(request_session("s1", mounting(Spec(), "auto", "here"))).then_refused("folder-automatic");
  c.when(create_folder(projections::kAutomaticFolder)).then_refused("invalid-name");
}

TEST(AutomaticFolder, GoesIntoTheTrashWhileASessionStandsOnAnAgentWithoutItsVolume) {
  Case c = given(volume_world() + ready_automatic() + agent("a2") +
                 Events{session_requested("far"), session_scheduled("far", "a2")});
  c.when(trash_folder("auto"));
  ASSERT_EQ(c.decided().size(), 1u);
  EXPECT_TRUE(c.decided()[0].has_folder_trashed());
}

TEST(AutomaticFolder, GoesIntoTheTrashOnceNoKernelHasIt) {
  Case c = given(volume_world() + ready_automatic() +
                 Events{session_requested("s1"), session_scheduled("s1", "a1"), session_requested("waits"),
                        session_requested("no", without_folder()), session_scheduled("no", "a1")});
  c.when(trash_folder("auto")).then_refused("folder-mounted");
  EXPECT_NE(c.decided()[0].request_refused().message().find("session s1"), std::string::npos);
  EXPECT_EQ(c.decided()[0].request_refused().message().find("session no"), std::string::npos);
  c.and_given({kernel_terminated(kernel_name("s1"))});
  c.when(trash_folder("auto"));
  ASSERT_EQ(c.decided().size(), 1u);
  EXPECT_TRUE(c.decided()[0].has_folder_trashed());
  c.when(restore_folder("auto", "mine")).then_refused("folder-automatic");
  c.when(restore_folder("auto")).then({folder_restored("auto")});
  c.when(trash_folder("auto"));
  c.when(request_session("s2"));
  ASSERT_EQ(c.decided().size(), 2u) << "one in the trash is none";
  c.when(restore_folder("auto")).then_refused("folder-exists");
  c.when(purge_folder("auto")).then({folder_purging("auto")});
}

TEST(AutomaticFolder, GoesWithItsUserWhereTheRemovalEndsTheSessions) {
  Case c = given(volume_world() + ready_automatic() +
                 Events{session_requested("s1"), session_scheduled("s1", "a1")});
  c.when(remove("user", "alice"))
      .then_refused("in-use")
      .then_hint("with --end-sessions (end_sessions=true) it goes too");
  c.when(remove("user", "alice", true));
  EXPECT_EQ(c.decided().back().request_refused().code(), "sessions-ending");
  c.and_given({kernel_terminated(kernel_name("s1"))});
  c.when(remove("user", "alice", true));
  ASSERT_EQ(c.decided().size(), 3u);
  EXPECT_TRUE(c.decided()[0].has_folder_trashed());
  EXPECT_TRUE(c.decided()[1].has_folder_purging());
  EXPECT_EQ(c.decided()[2].request_refused().code(), "folder-purging");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(c.decided()[static_cast<std::size_t>(i)].request_id(), "");
  c.when(remove("user", "alice", true)).then_refused("folder-purging");
  c.and_given({folder_purged("auto")});
  c.when(remove("user", "alice", true)).then({definition_removed("user", "alice")});
}

TEST(AutomaticFolder, IsPurgedAlsoWhereAllSessionsOnlyWaited) {
  Case c = given(volume_world() + ready_automatic() + Events{session_requested("s1")});
  c.when(remove("user", "alice", true));
  ASSERT_EQ(c.decided().size(), 2u);
  EXPECT_TRUE(c.decided()[0].has_session_cancelled());
  EXPECT_EQ(c.decided()[1].request_refused().code(), "sessions-ending");
  c.when(remove("user", "alice", true));
  EXPECT_EQ(c.decided().back().request_refused().code(), "folder-purging");
}

TEST(AutomaticFolder, OfAUserWithOtherFoldersStaysWithThem) {
  Case c = given(volume_world() + ready_automatic() + ready_folder("data"));
  c.when(remove("user", "alice", true))
      .then_refused("in-use")
      .then_hint("throw them into the trash and purge them first: berth folder ls --all");
}

TEST(AutomaticFolder, OneThatIsBeingMadeIsWaitedForAndOneThatCouldNotBeRemovedIsToldAgain) {
  Case c = given(volume_world() + Events{automatic()});
  c.when(remove("user", "alice", true)).then_refused("folder-purging");
  c.and_given({folder_ready("auto")});
  c.when(remove("user", "alice", true));
  c.and_given({folder_failed("auto", "volume-failed")});
  c.when(remove("user", "alice", true));
  ASSERT_EQ(c.decided().size(), 2u);
  EXPECT_TRUE(c.decided()[0].has_folder_purging());
}

}  // namespace
}  // namespace berth::testing::decisions
