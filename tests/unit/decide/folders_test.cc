// What is asked of folders, by whom, and what is refused; what their volume's agent reports; who that agent
// is.
#include "tests/support/folders.h"
#include "projections/folder_access.h"
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

using projections::FolderState;

// Beside alice and bob: pia administers project labs, of which mel is a member; agent "a1" has volume
// "local".
v1::Event member_of(const std::string& user, const std::string& project, bool admin) {
  v1::Event e = user_with_role(user, "user");
  e.mutable_user_defined()->add_projects(project);
  if (admin) e.mutable_user_defined()->add_admin_of(project);
  return e;
}
Events folder_world() {
  return definitions() +
         Events{user_defined("bob"),
                project_defined("default", "labs"),
                member_of("pia", "labs", true),
                member_of("mel", "labs", false),
                user_with_role("root", "superadmin"),
                user_with_role("mona", "monitor")} +
         agent_of_volume("a1");
}
Events join(const std::string& agent, const std::vector<std::string>& volumes) {
  return {agent_enrolled(agent), joined_with(agent, volumes)};
}

v1::Report join_report(const std::string& agent, const v1::Event& joined) {
  v1::Report r;
  r.set_agent(agent);
  r.set_incarnation(joined.agent_joined().incarnation());
  r.set_sent_ms(joined.agent_joined().sent_ms());
  r.mutable_join()->set_nonce(joined.agent_joined().nonce());
  *r.mutable_join()->mutable_agent() = joined.agent_joined();
  return r;
}
v1::Report folder_report(const std::string& agent, const std::string& folder, v1::FolderResult result,
                         const std::string& code = "", const std::string& message = "") {
  v1::Report r;
  r.set_agent(agent);
  r.set_incarnation(incarnation_of(agent, 1));
  auto* fact = r.add_folders();
  fact->set_folder(wire(folder));
  fact->set_result(result);
  fact->set_code(record_code(code));
  fact->set_message(message);
  return r;
}

// ---- CreateFolder ----

TEST(CreateFolder, IsTheActorsOnTheOnlyVolume) {
  given(folder_world()).when(create_folder("data")).then({folder_created("data")});
}

TEST(CreateFolder, IsAProjectsForItsAdminAlone) {
  const v1::Request r = create_folder("data", "", "labs");
  given(folder_world()).when(sent_by(r, "pia")).then({folder_created("data", project_owner("labs"))});
  given(folder_world()).when(sent_by(r, "mel")).then_refused("denied");
  given(folder_world()).when(sent_by(r, "alice")).then_refused("unknown-project");
  given(folder_world())
      .when(sent_by(create_folder("data", "", "none"), "pia"))
      .then_refused("unknown-project");
}

TEST(CreateFolder, IsRefusedToAMonitorAndToNobody) {
  given(folder_world()).when(sent_by(create_folder("data"), "mona")).then_refused("denied");
  v1::Request nobodys = create_folder("data");
  nobodys.set_actor("controller");
  given(folder_world()).when(nobodys).then_refused("denied");
}

TEST(CreateFolder, RefusesWhatIsNoIdOrNoName) {
  for (const std::string& id : {std::string(), std::string("short"), std::string(16, '\0')}) {
    v1::Request r = create_folder("data");
    r.mutable_create_folder()->set_id(id);
    given(folder_world()).when(r).then_refused("invalid-value");
  }
  for (const std::string& name : {std::string(), std::string(".ssh"), std::string(".."), std::string("a/b"),
                                  std::string("a b"), std::string(65, 'a')}) {
    v1::Request r = create_folder("data");
    r.mutable_create_folder()->set_name(name);
    given(folder_world()).when(r).then_refused("invalid-name");
  }
  v1::Request longest = create_folder("data");
  longest.mutable_create_folder()->set_name(std::string(64, 'a'));
  Case c = given(folder_world());
  c.when(longest);
  EXPECT_TRUE(c.decided().at(0).has_folder_created());
}

TEST(CreateFolder, RefusesAnIdOrANameThatIsInUse) {
  Case c = given(folder_world() + ready_folder("data"));
  v1::Request r = create_folder("data");
  c.when(r).then_refused("id-in-use");
  r.mutable_create_folder()->set_id(wire("other"));
  c.when(r).then_refused("folder-exists").then_hint("choose another name");
  c.when(sent_by(r, "bob"));
  EXPECT_TRUE(c.decided().at(0).has_folder_created());
}

TEST(CreateFolder, NamesTheVolumeWhereThereAreSeveral) {
  Case c = given(folder_world() + join("a2", {"shared"}));
  c.when(create_folder("data")).then_refused("volume-required").then_hint("local, shared");
  c.when(create_folder("data", "shared"))
      .then({volume_agent_named("shared", "a2"), folder_created("data", folder_owner("alice"), "shared")});
  c.when(create_folder("more", "none")).then_refused("unknown-volume");
}

TEST(CreateFolder, AVolumeThatNoAgentHasNowIsNoChoice) {
  Case c = given(folder_world() + join("a2", {"shared"}) + Events{agent_lost("a2")});
  c.when(create_folder("data")).then({folder_created("data")});
  c.when(create_folder("more", "shared")).then_refused("volume-unavailable");
  c.and_given({agent_lost("a1")});
  c.when(create_folder("more")).then_refused("volume-unavailable");
  c.when(create_folder("more", "local")).then_refused("volume-unavailable");
}

TEST(CreateFolder, NamesAnotherAgentFirstWhereTheNamedOneIsGone) {
  Case c = given(folder_world() + join("a3", {"local"}) + join("a2", {"local"}) + Events{agent_lost("a1")});
  c.when(create_folder("data")).then({volume_agent_named("local", "a2"), folder_created("data")});
}

TEST(CreateFolder, P13_IsRepeatedAndInConflictEvenIfItNamesAnAgent) {
  Case c = given(folder_world() + join("a2", {"shared"}));
  c.when(keyed(create_folder("data", "shared"), "k"));
  ASSERT_TRUE(c.decided().at(0).has_volume_agent_named());
  c.when(keyed(create_folder("data", "shared"), "k"));
  EXPECT_TRUE(c.decided().at(0).has_request_repeated());
  c.when(keyed(create_folder("other", "shared"), "k")).then_refused("idempotency-conflict");
}

TEST(CreateFolder, HasABoundForEachOwner) {
  Case c = given(folder_world());
  for (int i = 0; i < projections::kFoldersOfOwnerMax; ++i)
    c.and_given(ready_folder("f" + std::to_string(i)));
  c.when(create_folder("data")).then_refused("too-many-folders");
  c.when(sent_by(create_folder("data"), "bob"));
  EXPECT_TRUE(c.decided().at(0).has_folder_created());
}

TEST(CreateFolder, HasABoundOfWhatAVolumesAgentIsStillToDo) {
  Case c = given(folder_world());
  for (int i = 0; i < projections::kFoldersToDoMax; ++i)
    c.and_given({folder_created("f" + std::to_string(i))});
  c.when(create_folder("data")).then_refused("volumes-busy");
  c.and_given({folder_ready("f0")});
  c.when(create_folder("data"));
  EXPECT_TRUE(c.decided().at(0).has_folder_created());
}

// ---- ChangeFolder ----

TEST(ChangeFolder, IsOfAFolderThatWhoeverAsksMaySee) {
  Case c = given(folder_world() + ready_folder("data"));
  c.when(rename_folder("none", "x")).then_refused("unknown-folder");
  c.when(sent_by(rename_folder("data", "x"), "bob")).then_refused("unknown-folder");
  c.when(sent_by(rename_folder("data", "x"), "mona")).then_refused("denied");
  c.when(sent_by(rename_folder("data", "x"), "root")).then_refused("denied");
  c.and_given({folder_shared("data", "user", "bob", "write")});
  c.when(sent_by(trash_folder("data"), "bob")).then_refused("denied");
  c.when(rename_folder("data", "x")).then({folder_renamed("data", "x")});
}

TEST(ChangeFolder, OfAProjectIsItsAdmins) {
  Case c = given(folder_world() + ready_folder("data", project_owner("labs")));
  c.when(sent_by(rename_folder("data", "x"), "mel")).then_refused("denied");
  c.when(sent_by(rename_folder("data", "x"), "pia")).then({folder_renamed("data", "x")});
}

TEST(ChangeFolder, AnAdministratorThrowsAwayAndRestores) {
  Case c = given(folder_world() + ready_folder("data"));
  c.when(sent_by(trash_folder("data"), "root"));
  EXPECT_TRUE(c.decided().at(0).has_folder_trashed());
  c.when(sent_by(restore_folder("data"), "root")).then({folder_restored("data")});
}

TEST(ChangeFolder, ANewNameIsANameAndFree) {
  Case c = given(folder_world() + ready_folder("data") + ready_folder("other"));
  c.when(rename_folder("data", "..")).then_refused("invalid-name");
  c.when(rename_folder("data", "other")).then_refused("folder-exists");
  c.when(rename_folder("data", "data")).then({folder_renamed("data", "data")});
}

TEST(ChangeFolder, TheTrashIsKeptForSevenDays) {
  Case c = given(folder_world() + ready_folder("data"));
  c.when(trash_folder("data"));
  c.then({folder_trashed("data", c.decided_at() + 7 * 24 * kHour)});
  c.when(trash_folder("data")).then_refused("folder-not-ready");
}

TEST(ChangeFolder, WhatSessionsMountIsNotThrownAway) {
  Case c = given(folder_world() + ready_folder("data", project_owner("labs")));
  for (const char* name : {"s3", "s1", "s2"})
    c.and_given({session_requested(name, mounting(Spec(), "data"), "pia")});
  c.and_given({session_requested("secret", mounting(Spec(), "data"), "mel")});
  c.when(sent_by(trash_folder("data"), "root")).then_refused("folder-mounted");
  EXPECT_NE(c.decided()[0].request_refused().message().find("session s1, session s2, session s3"),
            std::string::npos)
      << c.decided()[0].request_refused().message();
}

TEST(ChangeFolder, NamesNoSessionsThatWhoeverAsksMayNotSee) {
  Case c = given(folder_world() + ready_folder("data") +
                 Events{folder_shared("data", "user", "bob"),
                        session_requested("secret", mounting(Spec(), "data", "", true), "bob")});
  c.when(trash_folder("data")).then_refused("folder-mounted");
  EXPECT_EQ(c.decided()[0].request_refused().message().find("secret"), std::string::npos);
  EXPECT_NE(c.decided()[0].request_refused().message().find("1"), std::string::npos);
}

TEST(ChangeFolder, IsRestoredUnderItsOldNameOrANewOne) {
  const Events trashed = ready_folder("data") + Events{folder_trashed("data", kTestStart + 100 * kHour)};
  given(folder_world() + trashed).when(restore_folder("data")).then({folder_restored("data")});
  v1::Event taken = folder_created("other");
  taken.mutable_folder_created()->set_name("data");
  Case c = given(folder_world() + trashed + Events{taken});
  c.when(restore_folder("data")).then_refused("folder-exists").then_hint("restore it under another name");
  c.when(restore_folder("data", "old")).then({folder_renamed("data", "old"), folder_restored("data")});
  c.when(restore_folder("data")).then_refused("folder-not-ready");
}

TEST(ChangeFolder, IsPurgedFromTheTrashOrWhereItCouldNotBeMade) {
  Case c = given(folder_world() + ready_folder("data") + Events{folder_created("bad"), folder_failed("bad")});
  c.when(purge_folder("data")).then_refused("folder-not-ready");
  c.and_given({folder_trashed("data", kTestStart + 100 * kHour)});
  c.when(purge_folder("data")).then({folder_purging("data")});
  c.when(purge_folder("data")).then({folder_purging("data")});
  c.when(purge_folder("bad")).then({folder_purging("bad")});
}

TEST(ChangeFolder, IsPurgedLaterWhereNoAgentHasItsVolumeNow) {
  Case c = given(folder_world() + ready_folder("data") +
                 Events{folder_trashed("data", kTestStart + 100 * kHour), agent_lost("a1")});
  c.when(purge_folder("data")).then({folder_purging("data")});
}

TEST(ChangeFolder, PurgesNoMoreThanAVolumesAgentIsToldAtOnce) {
  Case c = given(folder_world() + ready_folder("data") +
                 Events{folder_trashed("data", kTestStart + 100 * kHour)} + ready_folder("old") +
                 Events{folder_trashed("old", kTestStart + 100 * kHour), folder_purging("old")});
  for (int i = 1; i < projections::kFoldersToDoMax; ++i)
    c.and_given({folder_created("f" + std::to_string(i))});
  c.when(purge_folder("data")).then_refused("volumes-busy");
  c.when(purge_folder("old")).then({folder_purging("old")});
}

TEST(ChangeFolder, KnowsItsChanges) {
  given(folder_world() + ready_folder("data"))
      .when(change_folder("data", v1::FOLDER_CHANGE_UNSPECIFIED))
      .then_refused("invalid-value");
}

// ---- ShareFolder ----

TEST(ShareFolder, IsWithUsersAndProjectsOfItsDomain) {
  Case c = given(folder_world() + ready_folder("data") + Events{domain_defined("other")});
  c.and_given({project_defined("other", "theirs")});
  v1::Event eve = user_with_role("eve", "user");
  eve.mutable_user_defined()->set_domain("other");
  eve.mutable_user_defined()->clear_projects();
  c.and_given({eve});
  c.when(share_folder("data", "user", "bob")).then({folder_shared("data", "user", "bob")});
  c.when(share_folder("data", "project", "default/labs", "write"))
      .then({folder_shared("data", "project", "default/labs", "write")});
  c.when(share_folder("data", "user", "nobody")).then_refused("unknown-user");
  c.when(share_folder("data", "user", "eve")).then_refused("unknown-user");
  c.when(share_folder("data", "project", "default/none")).then_refused("unknown-project");
  c.when(share_folder("data", "project", "other/theirs")).then_refused("unknown-project");
  c.when(share_folder("data", "domain", "default")).then_refused("unknown-scope");
  c.when(share_folder("data", "user", "bob", "own")).then_refused("invalid-value");
}

TEST(ShareFolder, IsNotWithItsOwner) {
  Case c = given(folder_world() + ready_folder("data") + ready_folder("ours", project_owner("labs")));
  c.when(share_folder("data", "user", "alice")).then_refused("invalid-value");
  c.when(sent_by(share_folder("ours", "project", "default/labs"), "pia")).then_refused("invalid-value");
  c.when(sent_by(share_folder("ours", "user", "pia"), "pia")).then({folder_shared("ours", "user", "pia")});
}

TEST(ShareFolder, IsItsManagersAndNoAdministrators) {
  Case c =
      given(folder_world() + ready_folder("data") + Events{folder_shared("data", "user", "bob", "write")});
  c.when(sent_by(share_folder("data", "user", "mel"), "bob")).then_refused("denied");
  c.when(sent_by(share_folder("data", "user", "root"), "root")).then_refused("denied");
  c.when(sent_by(share_folder("data", "user", "mel"), "pia")).then_refused("unknown-folder");
}

TEST(ShareFolder, IsWithdrawn) {
  Case c = given(folder_world() + ready_folder("data") + Events{folder_shared("data", "user", "bob")});
  c.when(share_folder("data", "user", "bob", "none")).then({folder_shared("data", "user", "bob", "none")});
  c.when(share_folder("data", "user", "bob", "none")).then({folder_shared("data", "user", "bob", "none")});
  c.when(share_folder("data", "user", "nobody", "none")).then_refused("unknown-user");
}

TEST(ShareFolder, HasABoundAndFiles) {
  Events users;
  for (int i = 0; i <= projections::kFolderSharesMax; ++i)
    users.push_back(user_defined("u" + std::to_string(i)));
  Case c = given(folder_world() + users + ready_folder("data"));
  for (int i = 0; i < projections::kFolderSharesMax; ++i)
    c.and_given({folder_shared("data", "user", "u" + std::to_string(i))});
  c.when(share_folder("data", "user", "bob")).then_refused("too-many-shares");
  c.when(share_folder("data", "user", "u0", "write")).then({folder_shared("data", "user", "u0", "write")});
  c.and_given({folder_created("bad"), folder_failed("bad")});
  c.when(share_folder("bad", "user", "bob")).then_refused("folder-not-ready");
}

// ---- mounts of sessions ----

std::string answer_to(const Events& history, const v1::Request& r) {
  Case c = given(history);
  c.when(r);
  return word_of(c.decided().at(0).request_refused().code());
}

TEST(Mounts, AreOfTheOwnersFoldersAndTheSpecKeepsThem) {
  v1::SessionSpec spec = mounting(mounting(Spec(), "data"), "data", "again", true);
  spec.set_no_automatic_folder(true);
  given(folder_world() + ready_folder("data"))
      .when(request_session("s1", spec))
      .then({session_requested("s1", spec)});
}

TEST(Mounts, RefuseTargetsThatAreNoneOrGivenTwice) {
  const Events world = folder_world() + ready_folder("data");
  for (const std::string& target :
       {std::string(".ssh"), std::string(".."), std::string("a/b"), std::string("/etc"), std::string("berth"),
        std::string(65, 'a'), std::string("a\n")})
    EXPECT_EQ(answer_to(world, request_session("s1", mounting(Spec(), "data", target))), "invalid-mount")
        << target;
  v1::SessionSpec empty = mounting(Spec(), "data");
  empty.mutable_mounts(0)->clear_target();
  EXPECT_EQ(answer_to(world, request_session("s1", empty)), "invalid-mount");
  EXPECT_EQ(answer_to(world, request_session("s1", mounting(mounting(Spec(), "data", "t"), "data", "t"))),
            "invalid-mount");
  v1::SessionSpec many = Spec();
  for (int i = 0; i <= projections::kMountsMax; ++i) many = mounting(many, "data", "t" + std::to_string(i));
  EXPECT_EQ(answer_to(world, request_session("s1", many)), "invalid-mount");
  many.mutable_mounts()->RemoveLast();
  EXPECT_EQ(answer_to(world, request_session("s1", many)), "");
}

TEST(Mounts, RefuseFoldersThatAreNotThereNotReadyOrNotTheirs) {
  const Events world = folder_world() + ready_folder("data") + Events{folder_created("new")} +
                       ready_folder("old") + Events{folder_trashed("old", kTestStart + 100 * kHour)};
  const auto asked_by = [&](const std::string& user, const std::string& folder) {
    return answer_to(world, sent_by(request_session("s1", mounting(Spec(), folder)), user));
  };
  EXPECT_EQ(asked_by("alice", "none"), "unknown-folder");
  EXPECT_EQ(asked_by("alice", "new"), "folder-not-ready");
  EXPECT_EQ(asked_by("alice", "old"), "folder-not-ready");
  EXPECT_EQ(asked_by("bob", "data"), "unknown-folder");
  EXPECT_EQ(asked_by("root", "data"), "denied");
}

TEST(Mounts, OfAFolderSharedForReadingAreReadOnly) {
  const Events read = folder_world() + ready_folder("data") + Events{folder_shared("data", "user", "bob")};
  const Events write = read + Events{folder_shared("data", "user", "bob", "write")};
  const v1::Request rw = sent_by(request_session("s1", mounting(Spec(), "data")), "bob");
  const v1::Request ro = sent_by(request_session("s1", mounting(Spec(), "data", "", true)), "bob");
  EXPECT_EQ(answer_to(read, rw), "folder-read-only");
  EXPECT_EQ(answer_to(read, ro), "");
  EXPECT_EQ(answer_to(write, rw), "");
}

TEST(Mounts, OpenNoFolderToWhoeverAsksForAnotherUser) {
  v1::Request r = sent_by(request_session("s1", mounting(Spec(), "data")), "root");
  *r.mutable_owner() = owner("alice");
  EXPECT_EQ(answer_to(folder_world() + ready_folder("data"), r), "denied");
  EXPECT_EQ(
      answer_to(
          folder_world() + ready_folder("data") + Events{folder_shared("data", "user", "root", "write")}, r),
      "");
}

TEST(Mounts, P4_CountInTheOrderThatStartsAGang) {
  Spec gang = Spec().kernels(128);
  auto* env = gang.proto().add_env();
  env->set_key("X");
  env->set_value(std::string(5'000, 'x'));
  const Events world = folder_world() + ready_folder("data");
  EXPECT_EQ(answer_to(world, request_session("s1", gang)), "");
  v1::SessionSpec many = gang;
  for (int i = 0; i < projections::kMountsMax; ++i)
    many = mounting(many, "data", std::string(60, 'a') + std::to_string(i));
  EXPECT_EQ(answer_to(world, request_session("s1", many)), "request-too-large");
}

// ---- removal of their owners ----

TEST(Folders, KeepTheirOwnersFromBeingRemoved) {
  Case c = given(folder_world() + ready_folder("data", folder_owner("bob")));
  for (int i = 0; i < 6; ++i) c.and_given({folder_created("f" + std::to_string(i), folder_owner("bob"))});
  for (const bool end_sessions : {false, true}) {
    c.when(remove("user", "bob", end_sessions)).then_refused("in-use");
    EXPECT_EQ(c.decided()[0].request_refused().message(),
              "user bob has 7 folders: data, f0, f1, f2, f3 and 2 more");
  }
  c.and_given({project_defined("default", "arts"), folder_created("p", project_owner("arts"))});
  c.when(remove("project", "default/arts")).then_refused("in-use");
}

// ---- what agents report ----

TEST(FolderFacts, MakeAFolderReadyOnce) {
  Case c = given(folder_world() + Events{folder_created("data")});
  c.when(folder_report("a1", "data", v1::FOLDER_MADE)).then({folder_ready("data")});
  c.when(folder_report("a1", "data", v1::FOLDER_MADE)).then({});
  c.when(folder_report("a1", "data", v1::FOLDER_REMOVED)).then({});
  c.when(folder_report("a1", "data", v1::FOLDER_FAILED, "late")).then({});
  c.when(folder_report("a1", "none", v1::FOLDER_MADE)).then({}).then_snapshot(false);
  c.when(folder_report("a1", "data", v1::FOLDER_RESULT_UNSPECIFIED)).then({});
}

TEST(FolderFacts, PurgeAFolderOnce) {
  Case c = given(folder_world() + ready_folder("data") +
                 Events{folder_trashed("data", kTestStart + 100 * kHour), folder_purging("data")});
  c.when(folder_report("a1", "data", v1::FOLDER_MADE)).then({});
  c.when(folder_report("a1", "data", v1::FOLDER_REMOVED)).then({folder_purged("data")});
  c.when(folder_report("a1", "data", v1::FOLDER_REMOVED)).then({});
}

TEST(FolderFacts, SayOnceThatItFailed) {
  Case c = given(folder_world() + Events{folder_created("data")});
  c.when(folder_report("a1", "data", v1::FOLDER_FAILED, "disk-full", "full"))
      .then({folder_failed("data", "disk-full", "full")});
  c.when(folder_report("a1", "data", v1::FOLDER_FAILED, "disk-full", "full")).then({});
  c.when(folder_report("a1", "data", v1::FOLDER_MADE)).then({});
  c.and_given({folder_purging("data")});
  c.when(folder_report("a1", "data", v1::FOLDER_FAILED)).then({folder_failed("data", "folder-failed", "")});
  c.when(folder_report("a1", "data", v1::FOLDER_FAILED, "other")).then({});
  c.when(purge_folder("data"));
  c.when(folder_report("a1", "data", v1::FOLDER_FAILED, "other")).then({folder_failed("data", "other", "")});
}

TEST(FolderFacts, OfAnyAgentButTheNamedOneAreNotHeard) {
  Case c = given(folder_world() + join("a2", {"local"}) + Events{folder_created("data")});
  c.when(folder_report("a2", "data", v1::FOLDER_MADE)).then({});
  c.and_given({volume_agent_named("local", "a2")});
  c.when(folder_report("a1", "data", v1::FOLDER_MADE)).then({});
  c.when(folder_report("a2", "data", v1::FOLDER_MADE)).then({folder_ready("data")});
}

TEST(FolderFacts, AreClipped) {
  Case c = given(folder_world() + Events{folder_created("data")});
  c.when(folder_report("a1", "data", v1::FOLDER_FAILED, std::string(1'000, 'c'), std::string(9'000, 'm')));
  EXPECT_LE(c.decided().at(0).folder_failed().message().size(), 4'200u);
}

// ---- who makes a volume's folders ----

TEST(VolumeAgent, IsTheFirstThatJoinsWithIt) {
  const v1::Event join1 = joined_with("a1", {"local", "shared"}), join2 = joined_with("a2", {"shared"});
  Case c = given(definitions() + Events{agent_enrolled("a1"), agent_enrolled("a2")});
  c.when(join_report("a2", join2)).then({join2, volume_agent_named("shared", "a2")});
  c.when(join_report("a1", join1));
  ASSERT_EQ(c.decided().size(), 2u);
  EXPECT_EQ(c.decided()[1].volume_agent_named().agent(), "a1");
  EXPECT_EQ(c.decided()[1].volume_agent_named().volume(), wire("local"));
  c.when(join_report("a1", join1)).then({});
}

TEST(VolumeAgent, IsAnotherWhenItIsLostLeavesOrIsFenced) {
  const Events world = folder_world() + join("a3", {"local"}) + join("a2", {"local"});
  given(world)
      .when([](const controller::DecisionContext& c) { return lose_agent(c, *c.state.agents.find("a1")); })
      .then({agent_lost("a1"), volume_agent_named("local", "a2")});
  v1::Report leaving;
  leaving.set_agent("a1");
  leaving.set_incarnation(incarnation_of("a1", 1));
  leaving.set_leaving(true);
  given(world).when(leaving).then({agent_left("a1"), volume_agent_named("local", "a2")});
  given(world).when(fence_agent("a1")).then({agent_fenced("a1"), volume_agent_named("local", "a2")});
  given(folder_world())
      .when([](const controller::DecisionContext& c) { return lose_agent(c, *c.state.agents.find("a1")); })
      .then({agent_lost("a1")});
}

TEST(VolumeAgent, IsAnotherWhenItJoinsWithoutTheVolume) {
  Case c = given(folder_world() + join("a2", {"local"}));
  const v1::Event without = joined_with("a1", {}, 2);
  c.when(join_report("a1", without)).then({without, volume_agent_named("local", "a2")});
}

TEST(VolumeAgent, IsNamedWhenItJoinsAndTheNamedOneIsGone) {
  Case c = given(folder_world() + Events{agent_lost("a1"), agent_enrolled("a2")});
  const v1::Event joined = joined_with("a2", {"local"});
  c.when(join_report("a2", joined)).then({joined, volume_agent_named("local", "a2")});
}

TEST(VolumeAgent, AJoinsUnsoundVolumesAreLeftOut) {
  v1::Event joined = joined_with("a1", {"good"});
  auto* body = joined.mutable_agent_joined();
  *body->add_volumes() = body->volumes(0);
  body->add_volumes()->set_name("no-id");
  body->add_volumes()->set_id(std::string(16, '\0'));
  auto* unnamed = body->add_volumes();
  unnamed->set_id(wire("unnamed"));
  unnamed->set_name("a\nb");
  for (int i = 0; i < 20; ++i) {
    auto* more = body->add_volumes();
    more->set_id(wire("v" + std::to_string(i)));
    more->set_name("v" + std::to_string(i));
  }
  Case c = given(definitions() + Events{agent_enrolled("a1")});
  c.when(join_report("a1", joined));
  const auto& volumes = c.decided().at(0).agent_joined().volumes();
  ASSERT_EQ(volumes.size(), projections::kVolumesOfAgentMax);
  EXPECT_EQ(volumes[0].name(), "good");
  EXPECT_EQ(volumes[1].name(), "v0");
}

}  // namespace
}  // namespace berth::testing::decisions
