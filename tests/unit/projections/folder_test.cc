// Folders: their states, names, shares and mounts, who makes them, and what the fold forbids.
#include <gtest/gtest.h>

#include "tests/support/folders.h"
#include "tests/support/given.h"

namespace berth::testing {
namespace {

using projections::FolderAccess;
using projections::FolderRow;
using projections::FolderState;

Events world() { return definitions() + Events{user_defined("bob")} + agent_of_volume("a1"); }

const FolderRow* folder(const Given& g, const std::string& name) {
  return g.state().folders.find(folder_id(name));
}

FolderState state_of(const Given& g, const std::string& name) {
  const FolderRow* row = folder(g, name);
  EXPECT_NE(row, nullptr);
  return row == nullptr ? FolderState() : row->state;
}

const FolderRow* named(const Given& g, const std::string& name) {
  return g.state().find_folder(folder_owner("alice"), name);
}

std::size_t to_do(const Given& g) { return g.state().folders_to_do(volume_id("local")).size(); }

// Agents that the last record's orders are for.
std::vector<std::string> ordered(Given& g) {
  std::vector<std::string> out;
  for (const auto& note : g.projection().notes()) out.push_back(note.agent);
  return out;
}

const Timestamp kLater = kTestStart + 30 * 24 * kHour;

TEST(Folder, IsMadeReadyTrashedRestoredAndPurged) {
  Given g = given(world());
  g.when({folder_created("data")}).then_applied();
  EXPECT_EQ(state_of(g, "data"), FolderState::kCreating);
  EXPECT_EQ(folder(g, "data")->owner().user(), "alice");
  EXPECT_GT(folder(g, "data")->created_at, 0);
  EXPECT_EQ(to_do(g), 1u);
  g.when({folder_ready("data")}).then_applied();
  EXPECT_EQ(state_of(g, "data"), FolderState::kReady);
  EXPECT_EQ(to_do(g), 0u);
  g.when({folder_trashed("data", kLater)}).then_applied();
  EXPECT_EQ(state_of(g, "data"), FolderState::kTrashed);
  EXPECT_EQ(g.state().trashed().front(), std::pair(kLater, folder_id("data")));
  g.when({folder_restored("data")}).then_applied();
  EXPECT_EQ(state_of(g, "data"), FolderState::kReady);
  EXPECT_EQ(folder(g, "data")->purge_at, 0);
  EXPECT_TRUE(g.state().trashed().empty());
  g.when({folder_trashed("data", kLater)}).when({folder_purging("data")}).then_applied();
  EXPECT_EQ(state_of(g, "data"), FolderState::kPurging);
  EXPECT_TRUE(g.state().trashed().empty());
  EXPECT_EQ(to_do(g), 1u);
  g.when({folder_purged("data")}).then_applied();
  EXPECT_EQ(folder(g, "data"), nullptr);
  EXPECT_EQ(to_do(g), 0u);
  EXPECT_TRUE(g.state().folders_of(folder_owner("alice")).empty());
}

TEST(Folder, ThatCouldNotBeMadeSaysWhyAndIsPurged) {
  Given g = given(world() + Events{folder_created("data")});
  g.when({folder_failed("data")}).then_applied();
  EXPECT_EQ(state_of(g, "data"), FolderState::kFailed);
  EXPECT_EQ(folder(g, "data")->code, "disk-full");
  EXPECT_EQ(named(g, "data"), folder(g, "data"));
  g.when({folder_purging("data")}).then_applied();
  EXPECT_EQ(folder(g, "data")->code, "");
}

TEST(Folder, ThatCouldNotBeRemovedStaysToBeDone) {
  Given g = given(world() + ready_folder("data") + Events{folder_trashed("data", kLater)});
  g.when({folder_purging("data")}).when({folder_failed("data")}).then_applied();
  EXPECT_EQ(state_of(g, "data"), FolderState::kPurging);
  EXPECT_EQ(folder(g, "data")->message, "the disk is full");
  EXPECT_EQ(to_do(g), 1u);
  g.when({folder_purging("data")}).then_applied();
  EXPECT_EQ(folder(g, "data")->code, "");
  EXPECT_EQ(ordered(g), std::vector<std::string>{"a1"});
}

// Each state with the events that it takes; all others are forbidden.
TEST(Folder, ChangesOnlyAsItsStateAllows) {
  const std::map<std::string, v1::Event> changes = {
      {"ready", folder_ready("f")},          {"failed", folder_failed("f")},
      {"renamed", folder_renamed("f", "g")}, {"trashed", folder_trashed("f", kLater)},
      {"restored", folder_restored("f")},    {"purging", folder_purging("f")},
      {"purged", folder_purged("f")},        {"shared", folder_shared("f", "user", "bob")}};
  const Events creating = {folder_created("f")};
  const std::map<std::string, std::pair<Events, std::set<std::string>>> states = {
      {"CREATING", {creating, {"ready", "failed", "renamed", "shared"}}},
      {"READY", {creating + Events{changes.at("ready")}, {"renamed", "trashed", "shared"}}},
      {"FAILED", {creating + Events{changes.at("failed")}, {"purging"}}},
      {"TRASHED",
       {creating + Events{changes.at("ready"), changes.at("trashed")},
        {"renamed", "restored", "purging", "shared"}}},
      {"PURGING",
       {creating + Events{changes.at("ready"), changes.at("trashed"), changes.at("purging")},
        {"failed", "purging", "purged"}}}};
  for (const auto& [state, how] : states)
    for (const auto& [change, event] : changes) {
      SCOPED_TRACE(state + " " + change);
      Given g = given(world() + how.first);
      ASSERT_EQ(name_of(state_of(g, "f")), state);
      g.when({event});
      if (how.second.contains(change))
        g.then_applied();
      else
        g.then_forbidden("a folder that is " + state);
    }
}

TEST(Folder, ItsNameIsItsOwnersOnlyOneOutsideTheTrash) {
  Given g = given(world() + ready_folder("data"));
  v1::Event again = folder_created("other");
  again.mutable_folder_created()->set_name("data");
  g.when({again}).then_forbidden("another folder of its owner").when_elected();
  g.when({folder_created("other"), folder_renamed("other", "data")})
      .then_forbidden("another folder of its owner")
      .when_elected();
  v1::Event bobs = again;
  *bobs.mutable_folder_created()->mutable_owner() = folder_owner("bob");
  g.when({bobs}).then_applied();
  EXPECT_EQ(named(g, "data")->id, folder_id("data"));
}

TEST(Folder, InTheTrashLeavesItsNameAndTakesItBackIfItIsFree) {
  Given g = given(world() + ready_folder("data") + Events{folder_trashed("data", kLater)});
  EXPECT_EQ(named(g, "data"), nullptr);
  v1::Event other = folder_created("other");
  other.mutable_folder_created()->set_name("data");
  g.when({other}).then_applied();
  g.when({folder_restored("data")}).then_forbidden("another folder of its owner").when_elected();
  g.when({folder_renamed("data", "old"), folder_restored("data")}).then_applied();
  EXPECT_EQ(named(g, "old")->id, folder_id("data"));
  EXPECT_EQ(named(g, "data")->id, folder_id("other"));
}

TEST(Folder, AForbiddenRecordLeavesNamesAsTheyWere) {
  Given g = given(world() + ready_folder("data"));
  v1::Event other = folder_created("other");
  other.mutable_folder_created()->set_name("data");
  g.when({folder_renamed("data", "old"), other, folder_trashed("data", kLater), folder_ready("nobody")})
      .then_forbidden("no such folder");
  EXPECT_EQ(named(g, "data")->id, folder_id("data"));
  EXPECT_EQ(named(g, "old"), nullptr);
  EXPECT_TRUE(g.state().trashed().empty());
  EXPECT_EQ(g.state().folders_of(folder_owner("alice")).size(), 1u);
}

TEST(Folder, IsOfAUserOrAProjectThatExists) {
  Given g = given(world());
  g.when({folder_created("f", project_owner("default"))}).then_applied();
  g.when({folder_created("g", folder_owner("nobody"))}).then_forbidden("does not exist").when_elected();
  g.when({folder_created("g", project_owner("none"))}).then_forbidden("does not exist").when_elected();
  g.when({folder_created("g", owner("alice"))}).then_forbidden("or of both").when_elected();
  g.when({folder_created("g", v1::Owner())}).then_forbidden("no user and no project").when_elected();
  v1::Owner elsewhere = folder_owner("alice");
  elsewhere.set_domain("other");
  g.when({folder_created("g", elsewhere)}).then_forbidden("another domain").when_elected();
}

TEST(Folder, HasAnIdANameAndAVolume) {
  Given g = given(world());
  const auto forbid = [&](auto change, const std::string& why) {
    v1::Event e = folder_created("f");
    change(*e.mutable_folder_created());
    g.when({e}).then_forbidden(why).when_elected();
  };
  forbid([](auto& e) { e.set_folder(std::string(16, '\0')); }, "without an id");
  forbid([](auto& e) { e.set_folder("short"); }, "without an id");
  forbid([](auto& e) { e.set_volume(""); }, "nobody has had");
  forbid([](auto& e) { e.set_volume(wire("elsewhere")); }, "nobody has had");
  forbid([](auto& e) { e.set_name("../up"); }, "without a name");
  g.when({folder_created("f")}).when({folder_created("f")}).then_forbidden("exists");
}

TEST(Folder, SharesAreInOrderAndOneForEach) {
  Given g = given(world() + ready_folder("data"));
  g.and_given({folder_shared("data", "user", "bob"), folder_shared("data", "project", "default/default"),
               folder_shared("data", "user", "bob", "write")});
  const FolderRow& row = *folder(g, "data");
  ASSERT_EQ(row.shares.size(), 2u);
  EXPECT_EQ(row.shares[0].scope, v1::SCOPE_KIND_PROJECT);
  EXPECT_EQ(row.shares[1].id, "bob");
  EXPECT_EQ(row.shares[1].access, FolderAccess::kWrite);
  g.when({folder_shared("data", "user", "bob", "none")}).then_applied();
  EXPECT_EQ(folder(g, "data")->shares.size(), 1u);
}

TEST(Folder, IsSharedWithThoseThatExist) {
  Given g = given(world() + ready_folder("data"));
  g.when({folder_shared("data", "user", "nobody")}).then_forbidden("does not exist").when_elected();
  g.when({folder_shared("data", "project", "default/none")}).then_forbidden("does not exist").when_elected();
  g.when({folder_shared("data", "domain", "default")}).then_forbidden("nobody").when_elected();
  g.when({folder_shared("data", "user", "bob", "own")}).then_forbidden("access").when_elected();
}

TEST(Folder, HasABoundedNumberOfShares) {
  Events users;
  for (int i = 0; i <= projections::kFolderSharesMax; ++i)
    users.push_back(user_defined("u" + std::to_string(i)));
  Given g = given(world() + users + ready_folder("data"));
  for (int i = 0; i < projections::kFolderSharesMax; ++i)
    g.when({folder_shared("data", "user", "u" + std::to_string(i))}).then_applied();
  g.when({folder_shared("data", "user", "u0", "write")}).then_applied();
  g.when({folder_shared("data", "user", "u" + std::to_string(projections::kFolderSharesMax))})
      .then_forbidden("too many shares");
}

TEST(Folder, SharesEndWithWhomTheyName) {
  Given g = given(world() + Events{project_defined("default", "labs")} + ready_folder("data"));
  g.and_given({folder_shared("data", "user", "bob"), folder_shared("data", "project", "default/labs")});
  g.when({definition_removed("user", "bob"), definition_removed("project", "default/labs")}).then_applied();
  EXPECT_TRUE(folder(g, "data")->shares.empty());
}

TEST(Folder, KeepsItsOwnerFromBeingRemoved) {
  Given g = given(definitions() + Events{user_defined("bob"), project_defined("default", "labs")} +
                  agent_of_volume("a1"));
  g.and_given({folder_created("b", folder_owner("bob")), folder_created("p", project_owner("labs"))});
  g.when({definition_removed("user", "bob")}).then_forbidden("has folders").when_elected();
  g.when({definition_removed("project", "default/labs")}).then_forbidden("has folders").when_elected();
  g.and_given({folder_failed("b"), folder_purging("b"), folder_purged("b")});
  g.when({definition_removed("user", "bob")}).then_applied();
}

TEST(Folder, IsNotTrashedWhileASessionMountsIt) {
  Given g = given(world() + ready_folder("data"));
  g.and_given({session_requested("s1", mounting(Spec(), "data")), session_requested("s2")});
  EXPECT_EQ(g.state().mounted_by(folder_id("data")), std::set<SessionId>{session_id("s1")});
  g.when({folder_trashed("data", kLater)}).then_forbidden("sessions mount").when_elected();
  g.and_given({session_cancelled("s1")});
  EXPECT_TRUE(g.state().mounted_by(folder_id("data")).empty());
  g.when({folder_trashed("data", kLater)}).then_applied();
}

TEST(Folder, IsMountedWhereItIsReadyAndAtATargetOfItsOwn) {
  Given g = given(world() + ready_folder("data") + Events{folder_created("new")});
  g.when({session_requested("s", mounting(Spec(), "new"))}).then_forbidden("not READY").when_elected();
  g.when({session_requested("s", mounting(Spec(), "none"))}).then_forbidden("not READY").when_elected();
  g.when({session_requested("s", mounting(Spec(), "data", "../up"))}).then_forbidden("target").when_elected();
  g.when({session_requested("s", mounting(mounting(Spec(), "data"), "data"))})
      .then_forbidden("two mounts")
      .when_elected();
  v1::SessionSpec many = Spec();
  for (int i = 0; i <= projections::kMountsMax; ++i) many = mounting(many, "data", "t" + std::to_string(i));
  g.when({session_requested("s", many)}).then_forbidden("more mounts").when_elected();
  many.mutable_mounts()->RemoveLast();
  g.when({session_requested("s", many)}).then_applied();
}

TEST(Volume, IsForgottenWithAllItsFolders) {
  Given g = given(world() + ready_folder("data") + Events{folder_created("new"), folder_failed("new")});
  g.when({volume_forgotten("none")}).then_forbidden("nobody has had").when_elected();
  g.when({volume_forgotten("local", 1)}).then_forbidden("another number").when_elected();
  g.and_given({session_requested("s1", mounting(Spec(), "data"))});
  g.when({volume_forgotten("local", 2)}).then_forbidden("sessions mount").when_elected();
  EXPECT_NE(folder(g, "new"), nullptr);
  g.and_given({session_cancelled("s1"), answering(volume_forgotten("local", 2), "user:root", "r1")});
  EXPECT_EQ(g.state().volumes.find(volume_id("local")), nullptr);
  EXPECT_EQ(folder(g, "data"), nullptr);
  EXPECT_EQ(folder(g, "new"), nullptr);
  EXPECT_NE(g.request("user:root", "r1"), nullptr);
}

TEST(Volume, IsKnownByTheJoinsThatTellOfIt) {
  Given g = given(definitions() + Events{agent_enrolled("a1"), joined_with("a1", {"local", "shared"})});
  EXPECT_EQ(g.state().volumes.size(), 2u);
  EXPECT_EQ(g.state().volumes.find(volume_id("local"))->agent, "");
  EXPECT_TRUE(g.agent("a1").has(volume_id("shared")));
  g.and_given({volume_agent_named("local", "a1"), joined_with("a1", {"shared"}, 2)});
  EXPECT_FALSE(g.agent("a1").has(volume_id("local")));
  EXPECT_EQ(g.state().volumes.find(volume_id("local"))->agent, "a1");
}

TEST(Volume, TheLastJoinsNameIsItsName) {
  v1::Event renamed = joined_with("a1", {"local"}, 2);
  renamed.mutable_agent_joined()->mutable_volumes(0)->set_name("disk");
  Given g = given(definitions() + agent_of_volume("a1") + Events{renamed});
  EXPECT_EQ(g.state().volumes.find(volume_id("local"))->name, "disk");
  EXPECT_EQ(g.state().volumes.find(volume_id("local"))->agent, "a1");
}

TEST(Volume, IsOfAnAgentThatHasIt) {
  Given g = given(world() + Events{agent_enrolled("a2"), joined_with("a2", {"other"})});
  g.when({volume_agent_named("local", "a2")}).then_forbidden("does not have").when_elected();
  g.when({volume_agent_named("local", "a9")}).then_forbidden("does not have").when_elected();
  g.when({volume_agent_named("none", "a1")}).then_forbidden("nobody has had").when_elected();
}

TEST(Volume, ItsNewAgentIsToldWhatIsToBeDone) {
  Given g = given(world() + Events{agent_enrolled("a2"), joined_with("a2", {"local"})});
  g.when({volume_agent_named("local", "a2")}).then_applied();
  EXPECT_TRUE(ordered(g).empty());
  g.when({folder_created("data")}).then_applied();
  EXPECT_EQ(ordered(g), std::vector<std::string>{"a2"});
  g.when({volume_agent_named("local", "a1")}).then_applied();
  EXPECT_EQ(ordered(g), std::vector<std::string>{"a1"});
}

TEST(Volume, ARemovedAgentIsNamedForNone) {
  Given g = given(world() + ready_folder("data") + Events{agent_lost("a1"), agent_removed("a1")});
  EXPECT_EQ(g.state().volumes.find(volume_id("local"))->agent, "");
  g.when({folder_trashed("data", kLater), folder_purging("data")}).then_applied();
  EXPECT_EQ(g.state().order_cursors.find("a1"), nullptr);
}

TEST(Folder, AnswersItsRequest) {
  Given g = given(world());
  g.when({answering(volume_agent_named("local", "a1"), "user:alice", "r1"),
          answering(folder_created("data"), "user:alice", "r1")})
      .then_applied();
  EXPECT_NE(g.request("user:alice", "r1"), nullptr);
}

}  // namespace
}  // namespace berth::testing
