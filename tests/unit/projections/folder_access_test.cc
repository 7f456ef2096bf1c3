// Who uses a folder's files, who knows of it, and who manages it: three questions with answers of their own.
#include "projections/folder_access.h"

#include <gtest/gtest.h>

#include "tests/support/words.h"

namespace berth::projections {
namespace {

Actor actor(const std::string& user, const std::string& role = "user",
            const std::string& domain = "default") {
  return {user, testing::value_of<v1::Role>(role), domain, {}, {}};
}
Actor member(const std::string& project, bool admin = false) {
  Actor a = actor("max");
  a.projects = {project};
  if (admin) a.admin_of = {project};
  return a;
}

FolderRow of_user(const std::string& user) {
  FolderRow row;
  row.domain = "default";
  row.user = user;
  return row;
}
FolderRow of_project(const std::string& project) {
  FolderRow row;
  row.domain = "default";
  row.project = project;
  return row;
}
FolderRow shared(const std::string& scope, const std::string& id, FolderAccess access) {
  FolderRow row = of_user("alice");
  row.shares = {{testing::value_of<v1::ScopeKind>(scope), id, access}};
  return row;
}

TEST(FolderAccess, AUsersFolderIsTheirsAlone) {
  EXPECT_EQ(access_of(actor("alice"), of_user("alice")), FolderAccess::kOwn);
  for (const char* role : {"user", "monitor", "domain-admin", "superadmin"})
    EXPECT_EQ(access_of(actor("bob", role), of_user("alice")), FolderAccess::kNone) << role;
}

TEST(FolderAccess, AProjectsFolderIsItsMembersAndItsAdmins) {
  EXPECT_EQ(access_of(member("labs"), of_project("labs")), FolderAccess::kWrite);
  EXPECT_EQ(access_of(member("labs", true), of_project("labs")), FolderAccess::kOwn);
  EXPECT_EQ(access_of(member("arts", true), of_project("labs")), FolderAccess::kNone);
  Actor elsewhere = member("labs", true);
  elsewhere.domain = "other";
  EXPECT_EQ(access_of(elsewhere, of_project("labs")), FolderAccess::kNone);
}

TEST(FolderAccess, TheWidestShareCounts) {
  EXPECT_EQ(access_of(actor("bob"), shared("user", "bob", FolderAccess::kRead)), FolderAccess::kRead);
  EXPECT_EQ(access_of(actor("eve"), shared("user", "bob", FolderAccess::kRead)), FolderAccess::kNone);
  EXPECT_EQ(access_of(member("labs"), shared("project", "default/labs", FolderAccess::kWrite)),
            FolderAccess::kWrite);
  EXPECT_EQ(access_of(member("labs"), shared("project", "other/labs", FolderAccess::kWrite)),
            FolderAccess::kNone);
  FolderRow both = shared("project", "default/labs", FolderAccess::kRead);
  both.shares.push_back({v1::SCOPE_KIND_USER, "max", FolderAccess::kWrite});
  EXPECT_EQ(access_of(member("labs"), both), FolderAccess::kWrite);
}

TEST(FolderAccess, ItIsSeenByAccessOrByRight) {
  EXPECT_TRUE(may_see_folder(actor("alice"), of_user("alice")));
  EXPECT_TRUE(may_see_folder(actor("bob"), shared("user", "bob", FolderAccess::kRead)));
  EXPECT_TRUE(may_see_folder(member("labs"), of_project("labs")));
  EXPECT_TRUE(may_see_folder(actor("dora", "domain-admin"), of_user("alice")));
  EXPECT_TRUE(may_see_folder(actor("mona", "monitor"), of_user("alice")));
  EXPECT_FALSE(may_see_folder(actor("bob"), of_user("alice")));
  EXPECT_FALSE(may_see_folder(actor("dora", "domain-admin", "other"), of_user("alice")));
}

TEST(FolderAccess, ItIsManagedByItsOwnerAndTheAdminsAboveThem) {
  for (const Verb verb : {Verb::kChange, Verb::kEnd}) {
    EXPECT_TRUE(may_manage_folder(actor("alice"), of_user("alice"), verb));
    EXPECT_TRUE(may_manage_folder(member("labs", true), of_project("labs"), verb));
    EXPECT_FALSE(may_manage_folder(member("labs"), of_project("labs"), verb))
        << "a member has its files alone";
    EXPECT_FALSE(may_manage_folder(actor("bob"), shared("user", "bob", FolderAccess::kWrite), verb));
    EXPECT_FALSE(may_manage_folder(actor("mona", "monitor"), of_user("alice"), verb));
  }
  for (const auto& [user, role] : {std::pair("dora", "domain-admin"), std::pair("root", "superadmin")}) {
    EXPECT_TRUE(may_manage_folder(actor(user, role), of_user("alice"), Verb::kEnd));
    EXPECT_TRUE(may_manage_folder(actor(user, role), of_project("labs"), Verb::kEnd));
    EXPECT_FALSE(may_manage_folder(actor(user, role), of_user("alice"), Verb::kChange));
  }
  EXPECT_FALSE(may_manage_folder(actor("dora", "domain-admin", "other"), of_user("alice"), Verb::kEnd));
}

TEST(FolderAccess, ItIsMadeForOneselfOrForAProjectThatOneAdministers) {
  const v1::Owner project = of_project("labs").owner();
  EXPECT_TRUE(may_create_folder(actor("alice"), of_user("alice").owner()));
  EXPECT_FALSE(may_create_folder(actor("alice"), of_user("bob").owner()));
  EXPECT_FALSE(may_create_folder(actor("root", "superadmin"), of_user("bob").owner()));
  EXPECT_FALSE(may_create_folder(actor("mona", "monitor"), of_user("mona").owner()));
  EXPECT_TRUE(may_create_folder(member("labs", true), project));
  EXPECT_FALSE(may_create_folder(member("labs"), project));
  EXPECT_FALSE(may_create_folder(member("arts", true), project));
}

}  // namespace
}  // namespace berth::projections
