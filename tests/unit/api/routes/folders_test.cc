// Folders and volumes over the API: what is shown to whom, how a folder is found, and what is asked of the
// controller.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/api/support/api_rig.h"
#include "tests/unit/api/support/some_folders.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

// data and old (in the trash) are alice's, notes bob's; team is of their project, which carol is not in.
Events folders() {
  v1::Event carol = with_secret(key_pair_defined("carol-key", "carol"), secret_of("carol-key"));
  v1::Event of_other = user_defined("carol");
  of_other.mutable_user_defined()->clear_projects();
  of_other.mutable_user_defined()->add_projects("other");
  return small_cluster() + Events{project_defined("default", "other"), of_other, carol} +
         agent_with_volumes("v1", {"local"}) +
         Events{folder_of("f1", "data", "alice"),        folder_is_ready("f1"),
                folder_of("f2", "notes", "bob"),         folder_is_ready("f2"),
                folder_of("f3", "team", "", "default"),  folder_is_ready("f3"),
                folder_of("f4", "old", "alice"),         folder_is_ready("f4"),
                folder_in_trash("f4", kTestStart + kDay)};
}

class Folders : public ::testing::Test {
 protected:
  json::value get(const std::string& target, const std::string& key = "alice-key") {
    const auto reply = rig.ask({.target = target, .key = key});
    EXPECT_EQ(reply.status, 200u) << target << " " << reply.body;
    return ApiRig::json_of(reply);
  }
  std::string code(const std::string& method, const std::string& target, const std::string& body = "",
                   const std::string& key = "alice-key") {
    const auto reply = rig.ask({.method = method, .target = target, .body = body, .key = key});
    return reply.status < 300 ? std::to_string(reply.status) : ApiRig::code_of(reply);
  }
  std::string names(const std::string& query, const std::string& key = "alice-key") {
    std::string out;
    const json::value list = get("/v1/folders" + query, key);
    for (const auto& item : list.at("items").as_array())
      out += (out.empty() ? "" : " ") + std::string(item.at("name").as_string());
    return out;
  }
  // What the call asks of the controller, whatever becomes of it; nothing if nothing.
  v1::Request asked(const std::string& method, const std::string& target, const std::string& body = "",
                    const std::string& key = "alice-key") {
    v1::Request last;
    rig.cell.on_submit = [&](const v1::Request& request) { last = request; };
    rig.ask({.method = method, .target = target, .body = body, .key = key});
    rig.cell.on_submit = [](const v1::Request&) {};
    return last;
  }
  ApiRig rig{folders()};
};

TEST_F(Folders, OfThePastAreNotThoseWhoseShareIsWithdrawn) {
  rig.cell.append({folder_shared_with("f1", "user", "bob", "read")});
  const std::string then = "/v1/folders/data?at=" + std::to_string(rig.cell.position());
  EXPECT_EQ(rig.code(then, "bob-key"), "");
  rig.cell.append({folder_shared_with("f1", "user", "bob", "none")});
  EXPECT_EQ(rig.code(then, "bob-key"), "unknown-folder");
}

TEST_F(Folders, AFolderIsShownWithItsOwnerVolumeStateAndShares) {
  rig.cell.append({folder_shared_with("f1", "user", "bob", "read")});
  json::value shown = get("/v1/folders/data");
  EXPECT_TRUE(shown.at("created_at").as_string().starts_with("2023-11-14T22:13:2"));
  shown.at("created_at") = "AT";
  EXPECT_EQ(shown, json::parse(R"({"id": ")" + hex_id("f1") +
                               R"(", "name": "data", "owner": {"domain": "default", "user": "alice"},
      "automatic": false, "volume": {"id": ")" +
                               hex_id("volume local") +
                               R"(", "name": "local"}, "state": "READY", "created_at": "AT",
      "access": "own", "shares": [{"user": "bob", "access": "read"}], "sessions": []})"));
  const auto of_bob = get("/v1/folders/data", "bob-key");
  EXPECT_EQ(of_bob.at("access").as_string(), "read");
  EXPECT_FALSE(of_bob.as_object().contains("shares"));
}

TEST_F(Folders, SessionsThatMountItAreNamedToWhoMaySeeThem) {
  rig.cell.append({folder_shared_with("f1", "user", "bob", "read")});
  rig.cell.append({session_with_folder("s1", "f1", "alice", "data")});
  rig.cell.append({session_with_folder("s2", "f1", "bob", "data")});
  EXPECT_EQ(get("/v1/folders/data").at("sessions"),
            json::parse(R"([{"id": ")" + to_string(session_id("s1")) + R"(", "name": "s1"}])"));
  EXPECT_EQ(get("/v1/folders/data").at("more_sessions").as_int64(), 1)
      << "bob's, whose share may be withdrawn";
  EXPECT_FALSE(get("/v1/folders/data", "bob-key").as_object().contains("more_sessions"));
  const auto of_admin = get("/v1/folders/" + hex_id("f1"), "admin-key");
  EXPECT_EQ(of_admin.at("sessions").as_array().size(), 2u);
  EXPECT_FALSE(of_admin.as_object().contains("more_sessions"));
}

TEST_F(Folders, AListHasWhatTheCallerMaySeeByName) {
  EXPECT_EQ(names(""), "data team");
  EXPECT_EQ(names("?include=trash"), "data old team");
  EXPECT_EQ(names("?state=TRASHED"), "old");
  EXPECT_EQ(names("?mine=true"), "data");
  EXPECT_EQ(names("?project=default/default"), "team");
  EXPECT_EQ(names("?volume=local&name=team"), "team");
  EXPECT_EQ(names("?volume=" + hex_id("volume local")), "data team");
  EXPECT_EQ(names("?volume=elsewhere"), "");
  EXPECT_EQ(names("", "admin-key"), "data notes team");
  EXPECT_EQ(names("", "carol-key"), "");
  rig.cell.append({folder_shared_with("f1", "project", "default/other", "write")});
  EXPECT_EQ(names("", "carol-key"), "data");
}

TEST_F(Folders, AListComesInPages) {
  const auto first = get("/v1/folders?limit=2&include=trash");
  ASSERT_EQ(first.at("items").as_array().size(), 2u);
  const std::string token(first.at("next_page_token").as_string());
  const auto rest = get("/v1/folders?limit=2&include=trash&page_token=" + token);
  ASSERT_EQ(rest.at("items").as_array().size(), 1u);
  EXPECT_EQ(rest.at("items").at(0).at("name").as_string(), "team");
  EXPECT_EQ(rest.at("next_page_token"), nullptr);
}

TEST_F(Folders, WrongFiltersAreRefused) {
  EXPECT_EQ(code("GET", "/v1/folders?state=LIVE"), "invalid-parameter");
  EXPECT_EQ(code("GET", "/v1/folders?include=all"), "invalid-parameter");
  EXPECT_EQ(code("GET", "/v1/folders?who=me"), "unknown-parameter");
}

TEST_F(Folders, OneIsFoundByItsIdOrName) {
  EXPECT_EQ(get("/v1/folders/" + hex_id("f1")).at("name").as_string(), "data");
  EXPECT_EQ(get("/v1/folders/old").at("state").as_string(), "TRASHED");
  EXPECT_EQ(get("/v1/folders/old").at("purge_at").as_string(), "2023-11-15T22:13:20Z");
  EXPECT_EQ(get("/v1/folders/team").at("access").as_string(), "write");
  EXPECT_EQ(code("GET", "/v1/folders/notes"), "unknown-folder");
  EXPECT_EQ(code("GET", "/v1/folders/" + hex_id("f2")), "unknown-folder");
  EXPECT_EQ(code("GET", "/v1/folders/" + hex_id("nothing")), "unknown-folder");
  EXPECT_EQ(rig.ask({.target = "/v1/folders/notes", .key = "alice-key"}).status, 404u);
}

TEST_F(Folders, AnOwnOneGoesBeforeThoseOfOthersAndTwoOfOthersAreAmbiguous) {
  rig.cell.append({folder_of("f5", "data", "bob")});
  rig.cell.append({folder_is_ready("f5")});
  rig.cell.append({folder_shared_with("f5", "project", "default/other", "read")});
  rig.cell.append({folder_shared_with("f1", "project", "default/other", "read")});
  EXPECT_EQ(get("/v1/folders/data", "bob-key").at("id").as_string(), hex_id("f5"));
  const auto reply = rig.ask({.target = "/v1/folders/data", .key = "carol-key"});
  EXPECT_EQ(reply.status, 409u);
  EXPECT_EQ(ApiRig::code_of(reply), "ambiguous-name");
  const std::string hint(ApiRig::json_of(reply).at("hint").as_string());
  EXPECT_NE(hint.find(hex_id("f1")), std::string::npos) << hint;
  EXPECT_NE(hint.find(hex_id("f5")), std::string::npos) << hint;
}

TEST_F(Folders, VolumesAreShownWithTheAgentsThatHaveThem) {
  rig.cell.append(agent_with_volumes("v2", {"local"}));
  rig.cell.append({agent_lost("v2")});
  const auto items = get("/v1/volumes").at("items");
  EXPECT_EQ(items, json::parse(R"([{"id": ")" + hex_id("volume local") +
                               R"(", "name": "local", "agents": ["v1", "v2"], "available": true}])"));
  rig.cell.append({agent_lost("v1")});
  EXPECT_FALSE(get("/v1/volumes").at("items").at(0).at("available").as_bool());
}

TEST_F(Folders, ANewOneIsAskedForWithAnIdThatFollowsFromTheRequest) {
  const auto mine = asked("POST", "/v1/folders", R"({"name": "new", "volume": "local"})");
  ASSERT_TRUE(mine.has_create_folder());
  EXPECT_EQ(mine.create_folder().name(), "new");
  EXPECT_EQ(mine.create_folder().project(), "");
  EXPECT_EQ(mine.create_folder().volume(), wire("volume local"));
  EXPECT_EQ(mine.create_folder().id().size(), 16u);
  const auto of_project = asked("POST", "/v1/folders", R"({"name": "new", "project": "default"})");
  EXPECT_EQ(of_project.create_folder().project(), "default");
  EXPECT_EQ(of_project.create_folder().volume(), "");
  EXPECT_NE(of_project.create_folder().id(), mine.create_folder().id());
}

TEST_F(Folders, ABadNewOneIsRefusedBeforeItIsAskedFor) {
  EXPECT_EQ(code("POST", "/v1/folders", R"({"volume": "local"})"), "missing-field");
  EXPECT_EQ(code("POST", "/v1/folders", R"({"name": "../x"})"), "invalid-name");
  EXPECT_EQ(code("POST", "/v1/folders", R"({"name": "x", "volume": "elsewhere"})"), "unknown-volume");
  EXPECT_EQ(code("POST", "/v1/folders", R"({"name": "x", "size": 3})"), "unknown-field");
  EXPECT_EQ(rig.cell.submitted, 0);
  rig.cell.append({[] {
    auto joined = agent_with_volumes("v3", {"other"});
    joined[1].mutable_agent_joined()->mutable_volumes(0)->set_name("local");
    return joined[0];
  }()});
  auto joined = agent_with_volumes("v3", {"other"});
  joined[1].mutable_agent_joined()->mutable_volumes(0)->set_name("local");
  rig.cell.append({joined[1]});
  EXPECT_EQ(code("POST", "/v1/folders", R"({"name": "x", "volume": "local"})"), "ambiguous-name");
}

TEST_F(Folders, AVolumeIsForgottenByItsIdAndTheNumberOfItsFolders) {
  const auto forget = asked("DELETE", "/v1/volumes/local?expected=4&reason=burnt", "", "admin-key");
  EXPECT_EQ(forget.forget_volume().volume(), wire("volume local"));
  EXPECT_EQ(forget.forget_volume().expected(), 4u);
  EXPECT_EQ(forget.reason(), "burnt");
  const std::string by_id = "/v1/volumes/" + hex_id("volume local");
  EXPECT_EQ(code("DELETE", by_id + "?expected=4"), "denied");
  EXPECT_EQ(code("DELETE", by_id + "?expected=4", "", "admin-key"), "in-use") << "its agent is alive";
  EXPECT_EQ(code("DELETE", by_id + "?expected=-1", "", "admin-key"), "invalid-parameter");
  EXPECT_EQ(code("DELETE", "/v1/volumes/elsewhere", "", "admin-key"), "unknown-volume");
  rig.cell.append({agent_left("v1")});
  EXPECT_EQ(code("DELETE", by_id, "", "admin-key"), "in-use") << "its folders would be lost";
  const ApiRig::Ask call{
      .method = "DELETE", .target = by_id + "?expected=4", .key = "admin-key", .idempotency_key = "once"};
  EXPECT_EQ(rig.ask(call).status, 200u);
  EXPECT_EQ(names("?include=trash"), "");
  EXPECT_EQ(get("/v1/volumes").at("items").as_array().size(), 0u);
  EXPECT_EQ(ApiRig::header_of(rig.ask(call), "Idempotency-Replayed"), "true");
  EXPECT_EQ(code("DELETE", by_id, "", "admin-key"), "unknown-volume");
}

TEST_F(Folders, ChangesAreAskedForByTheFoldersId) {
  const auto rename = asked("PATCH", "/v1/folders/data?reason=tidy", R"({"name": "raw"})");
  EXPECT_EQ(rename.change_folder().folder(), wire("f1"));
  EXPECT_EQ(rename.change_folder().change(), v1::FOLDER_RENAME);
  EXPECT_EQ(rename.change_folder().name(), "raw");
  EXPECT_EQ(rename.reason(), "tidy");
  EXPECT_EQ(asked("POST", "/v1/folders/raw/trash").change_folder().change(), v1::FOLDER_TRASH);
  const auto restore = asked("POST", "/v1/folders/old/restore", R"({"name": "older"})");
  EXPECT_EQ(restore.change_folder().folder(), wire("f4"));
  EXPECT_EQ(restore.change_folder().change(), v1::FOLDER_RESTORE);
  EXPECT_EQ(restore.change_folder().name(), "older");
  EXPECT_EQ(asked("DELETE", "/v1/folders/older").change_folder().change(), v1::FOLDER_PURGE);
}

TEST_F(Folders, SharesAreWithAUserOrAProject) {
  const auto with_user = asked("PUT", "/v1/folders/data/shares", R"({"user": "bob", "access": "read"})");
  EXPECT_EQ(with_user.share_folder().folder(), wire("f1"));
  EXPECT_EQ(with_user.share_folder().scope(), v1::SCOPE_KIND_USER);
  EXPECT_EQ(with_user.share_folder().id(), "bob");
  EXPECT_EQ(with_user.share_folder().access(), "read");
  const auto with_project =
      asked("PUT", "/v1/folders/data/shares", R"({"project": "other", "access": "none"})");
  EXPECT_EQ(with_project.share_folder().scope(), v1::SCOPE_KIND_PROJECT);
  EXPECT_EQ(with_project.share_folder().id(), "default/other");
  for (const char* body : {R"({"access": "read"})", R"({"user": "bob", "project": "p", "access": "read"})"})
    EXPECT_EQ(code("PUT", "/v1/folders/data/shares", body), "invalid-spec") << body;
  EXPECT_EQ(code("PUT", "/v1/folders/data/shares", R"({"user": "bob", "access": "own"})"), "invalid-value");
  EXPECT_EQ(code("PUT", "/v1/folders/data/shares", R"({"user": "bob"})"), "missing-field");
}

TEST_F(Folders, WhatTheCallerMayNotSeeIsNotThereToBeChanged) {
  for (const auto& [method, path, body] : {std::tuple{"PATCH", "", R"({"name": "x"})"},
                                           {"POST", "/trash", ""},
                                           {"POST", "/restore", ""},
                                           {"DELETE", "", ""},
                                           {"PUT", "/shares", R"({"user": "bob", "access": "read"})"}})
    EXPECT_EQ(code(method, "/v1/folders/" + hex_id("f2") + path, body), "unknown-folder") << method << path;
  EXPECT_EQ(rig.cell.submitted, 5) << "whether there is such a folder is for the log to say";
}

// ---- sessions ----

constexpr const char* kResources = R"("image": "python:3.11", "resources": {"cpu": "1", "mem": "1g"})";

TEST_F(Folders, ASessionMountsFoldersByNameOrId) {
  const auto request =
      asked("POST", "/v1/sessions", std::string("{") + kResources + R"(, "mounts": [{"folder": "data"},
      {"folder": ")" + hex_id("f3") + R"(", "target": "shared", "read_only": true}]})");
  const auto& mounts = request.request_session().spec().mounts();
  ASSERT_EQ(mounts.size(), 2);
  EXPECT_EQ(mounts[0].folder(), wire("f1"));
  EXPECT_EQ(mounts[0].target(), "data");
  EXPECT_FALSE(mounts[0].read_only());
  EXPECT_EQ(mounts[1].folder(), wire("f3"));
  EXPECT_EQ(mounts[1].target(), "shared");
  EXPECT_TRUE(mounts[1].read_only());
}

TEST_F(Folders, ADryRunTriesTheMountsToo) {
  const auto reply = rig.ask({.method = "POST",
                              .target = "/v1/sessions?dry_run=true",
                              .body = std::string("{") + kResources + R"(, "mounts": [{"folder": "data"}]})",
                              .key = "alice-key"});
  EXPECT_EQ(reply.status, 200u) << reply.body;
  ASSERT_EQ(rig.cell.last_dry_run.request_session().spec().mounts_size(), 1);
}

TEST_F(Folders, WrongMountsAreRefusedAtTheirPlace) {
  const auto refused = [&](const std::string& mounts) {
    const auto reply = rig.ask({.method = "POST",
                                .target = "/v1/sessions",
                                .body = std::string("{") + kResources + ", \"mounts\": " + mounts + "}",
                                .key = "alice-key"});
    const auto problem = ApiRig::json_of(reply);
    return std::to_string(reply.status) + " " + std::string(problem.at("code").as_string()) + " " +
           std::string(problem.at("errors").at(0).at("place").as_string());
  };
  EXPECT_EQ(refused(R"([{"folder": "notes"}])"), "404 unknown-folder mounts[0].folder") << "it is bob's";
  EXPECT_EQ(refused(R"([{"folder": "old"}])"), "404 unknown-folder mounts[0].folder") << "it is in the trash";
  EXPECT_EQ(refused(R"([{"folder": "data", "target": ".ssh"}])"), "422 invalid-mount mounts[0].target");
  EXPECT_EQ(refused(R"([{"folder": "data", "target": "a/b"}])"), "422 invalid-mount mounts[0].target");
  EXPECT_EQ(refused(R"([{"folder": "data"}, {"folder": "team", "target": "data"}])"),
            "422 invalid-mount mounts[1].target");
  EXPECT_EQ(refused(R"([{"target": "data"}])"), "400 missing-field mounts[0].folder");
  EXPECT_EQ(refused(R"(["data"])"), "400 invalid-value mounts[0]");
  EXPECT_EQ(rig.cell.submitted, 0);
}

TEST_F(Folders, ASessionShowsItsMountsWithTheNamesThatTheCallerMaySee) {
  rig.cell.append({session_with_folder("s1", "f1", "alice", "set")});
  const auto mounts = [](const std::string& name) {
    return json::parse(R"([{"folder": {"id": ")" + hex_id("f1") + R"(", "name": )" + name +
                       R"(}, "target": "set", "read_only": false}])");
  };
  EXPECT_EQ(get("/v1/sessions/s1").at("mounts"), mounts("\"data\""));
  EXPECT_EQ(get("/v1/sessions").at("sessions").at(0).at("mounts"), mounts("\"data\""));
  v1::Event admin_of = user_defined("bob");
  admin_of.mutable_user_defined()->add_admin_of("default");
  rig.cell.append({admin_of});
  const std::string path = "/v1/sessions/" + to_string(session_id("s1"));
  EXPECT_EQ(get(path, "bob-key").at("mounts"), mounts("null")) << "who may see the session, not the folder";
  EXPECT_EQ(get("/v1/sessions", "bob-key").at("sessions").at(0).at("mounts"), mounts("null"));
}

TEST_F(Folders, ASessionSaysWhetherItHasItsOwnersAutomaticFolder) {
  rig.cell.append({folder_of("auto", ".automatic", "alice"), folder_is_ready("auto")});
  EXPECT_TRUE(get("/v1/folders/.automatic").at("automatic").as_bool());
  rig.cell.append({session_requested("s1")});
  EXPECT_TRUE(get("/v1/sessions/s1").at("automatic_folder").is_null()) << "it has no place yet";
  rig.cell.append({session_scheduled("s1", "v1")});
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(get("/v1/sessions").at("sessions").at(0).at("automatic_folder").as_string(), "mounted");
  EXPECT_EQ(get("/v1/sessions/s1").at("automatic_folder").as_string(), "mounted");
  const auto request =
      asked("POST", "/v1/sessions", std::string("{") + kResources + R"(, "no_automatic_folder": true})");
  EXPECT_TRUE(request.request_session().spec().no_automatic_folder());
}

}  // namespace
}  // namespace berth::testing
