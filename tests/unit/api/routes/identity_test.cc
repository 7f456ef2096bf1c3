// Users, projects, domains, memberships and key pairs over the API.
#include <gtest/gtest.h>

#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

std::string code_of(ApiRig& rig, const std::string& method, const std::string& target,
                    const std::string& body = "", const std::string& key = "admin-key") {
  const auto reply = rig.ask({.method = method, .target = target, .body = body, .key = key});
  return reply.status < 300 ? std::to_string(reply.status) : ApiRig::code_of(reply);
}

json::value shown_at(ApiRig& rig, const std::string& target) {
  return ApiRig::json_of(rig.ask({.target = target}));
}

TEST(Users, AreCreatedShownChangedAndRemoved) {
  ApiRig rig;
  EXPECT_EQ(code_of(rig, "POST", "/v1/users?reason=new%20here",
                    R"({"name": "carol", "display_name": "캐럴", "projects": ["default"]})"),
            "201");
  const auto carol = shown_at(rig, "/v1/users/carol");
  EXPECT_EQ(carol,
            json::parse(R"({"name": "carol", "display_name": "캐럴", "domain": "default", "role": "user",
      "disabled": false, "projects": [{"project": "default", "domain": "default", "admin": false}],
      "has_password": false, "link_expires_at": null, "sessions": 0})"));
  EXPECT_EQ(code_of(rig, "PATCH", "/v1/users/carol", R"({"role": "monitor", "disabled": true})"), "200");
  EXPECT_EQ(shown_at(rig, "/v1/users/carol").at("role").as_string(), "monitor");
  EXPECT_EQ(shown_at(rig, "/v1/users").at("users").as_array().size(), 4u);
  EXPECT_EQ(shown_at(rig, "/v1/users?project=default/default&limit=1").at("next_page_token").as_string(),
            "admin");
  EXPECT_EQ(code_of(rig, "DELETE", "/v1/users/carol"), "200");
  EXPECT_EQ(code_of(rig, "GET", "/v1/users/carol"), "unknown-user");
  EXPECT_EQ(code_of(rig, "POST", "/v1/users", R"({"name": "carol"})"), "name-retired");
}

TEST(Users, BadOnesAreRefused) {
  ApiRig rig;
  EXPECT_EQ(code_of(rig, "POST", "/v1/users", R"({"name": "Ca rol"})"), "invalid-name");
  EXPECT_NE(code_of(rig, "POST", "/v1/users", R"({"name": ")" + std::string(10'000, 'x') + R"("})"), "201");
  EXPECT_EQ(code_of(rig, "POST", "/v1/users", R"({"name": "carol", "surname": "x"})"), "unknown-field");
  EXPECT_EQ(code_of(rig, "POST", "/v1/users", R"({"name": "alice"})"), "name-in-use");
  EXPECT_EQ(code_of(rig, "PATCH", "/v1/users/admin", R"({"disabled": true})"), "last-superadmin");
  EXPECT_EQ(code_of(rig, "PATCH", "/v1/users/nobody", "{}"), "unknown-user");
  EXPECT_EQ(code_of(rig, "PATCH", "/v1/users/alice?reason=" + std::string(201, 'x'), "{}"),
            "invalid-parameter");
}

TEST(Users, ARemovalEndsTheSessionsWhereItIsAskedTo) {
  ApiRig rig(small_cluster() + Events{session_requested("s1", Spec(), "bob")});
  EXPECT_EQ(code_of(rig, "DELETE", "/v1/users/bob"), "in-use");
  EXPECT_EQ(code_of(rig, "DELETE", "/v1/users/bob?end_sessions=true"), "200");
  rig.cell.append({session_requested("s2"), session_scheduled("s2", "a1")});
  EXPECT_EQ(code_of(rig, "DELETE", "/v1/users/alice?end_sessions=true"), "sessions-ending");
  rig.cell.append({kernel_terminated(kernel_name("s2"))});
  EXPECT_EQ(code_of(rig, "DELETE", "/v1/users/alice?end_sessions=true"), "200");
}

TEST(Projects, HaveMembers) {
  ApiRig rig;
  EXPECT_EQ(code_of(rig, "POST", "/v1/projects", R"({"name": "vision"})"), "201");
  const std::string path = "/v1/projects/default/vision";
  EXPECT_EQ(code_of(rig, "PUT", path + "/members/alice", R"({"level": "admin"})"), "200");
  EXPECT_EQ(code_of(rig, "PUT", path + "/members/bob", "{}", "alice-key"), "200") << "by its admin";
  EXPECT_EQ(shown_at(rig, path).at("members"),
            json::parse(R"([{"user": "alice", "admin": true}, {"user": "bob", "admin": false}])"));
  EXPECT_EQ(code_of(rig, "PUT", path + "/members/nobody", "{}"), "unknown-user");
  EXPECT_EQ(code_of(rig, "DELETE", path), "in-use");
  EXPECT_EQ(code_of(rig, "DELETE", path + "/members/alice"), "200");
  EXPECT_EQ(code_of(rig, "DELETE", path + "/members/bob"), "200");
  EXPECT_EQ(code_of(rig, "PATCH", path, R"({"display_name": "Vision"})"), "200");
  EXPECT_EQ(shown_at(rig, path).at("display_name").as_string(), "Vision");
  EXPECT_EQ(code_of(rig, "DELETE", path), "200");
  EXPECT_EQ(code_of(rig, "GET", path), "unknown-project");
}

TEST(Domains, AreCreatedShownAndRemoved) {
  ApiRig rig;
  EXPECT_EQ(code_of(rig, "POST", "/v1/domains", R"({"name": "physics"})"), "201");
  EXPECT_EQ(
      shown_at(rig, "/v1/domains/physics"),
      json::parse(R"({"name": "physics", "display_name": "", "users": 0, "projects": 0, "sessions": 0})"));
  EXPECT_EQ(shown_at(rig, "/v1/domains/default").at("users").as_int64(), 3);
  EXPECT_EQ(code_of(rig, "GET", "/v1/domains/physics", "", "alice-key"), "unknown-domain");
  EXPECT_EQ(code_of(rig, "PATCH", "/v1/domains/physics", R"({"display_name": "Physics"})"), "200");
  EXPECT_EQ(code_of(rig, "DELETE", "/v1/domains/default"), "in-use");
  EXPECT_EQ(code_of(rig, "DELETE", "/v1/domains/physics"), "200");
}

TEST(Keys, ANewOneSignsAndItsSecretIsShownToWhoAskedAlone) {
  ApiRig rig;
  const ApiRig::Ask ask{.method = "POST",
                        .target = "/v1/keys",
                        .body = R"({"name": "laptop", "expires_in": "90d"})",
                        .key = "alice-key",
                        .idempotency_key = "once"};
  const auto made = rig.ask(ask);
  ASSERT_EQ(made.status, 201u) << made.body;
  const auto key = ApiRig::json_of(made);
  const std::string id(key.at("key").at("id").as_string()), secret(key.at("secret_key").as_string());
  EXPECT_EQ(secret.size(), 43u);
  auto request = rig.request({.target = "/v1/whoami", .key = id});
  sign_request(request, id, secret);
  EXPECT_EQ(ApiRig::json_of(rig.send(request)).at("user").as_string(), "alice");
  const auto again = rig.ask(ask);
  EXPECT_EQ(again.status, 200u) << "the same answer, though sealed anew";
  EXPECT_EQ(ApiRig::json_of(again).at("secret_key"), key.at("secret_key"));
  const auto list = rig.ask({.target = "/v1/keys", .key = "alice-key"});
  EXPECT_EQ(list.body.find(secret), std::string::npos);
  EXPECT_EQ(ApiRig::json_of(list).at("keys").as_array().size(), 3u);
}

TEST(Keys, TheSameIdempotencyKeyForAnotherBodyIsAConflict) {
  ApiRig rig;
  const auto ask = [&rig](const std::string& body) {
    return ApiRig::code_of(rig.ask(
        {.method = "POST", .target = "/v1/keys", .body = body, .key = "alice-key", .idempotency_key = "k"}));
  };
  EXPECT_EQ(ask(R"({"name": "laptop", "expires_in": "90d"})"), "");
  EXPECT_EQ(ask(R"({"name": "desk", "expires_in": "90d"})"), "idempotency-conflict");
  EXPECT_EQ(ask(R"({"name": "laptop", "expires_in": "91d"})"), "idempotency-conflict");
  EXPECT_EQ(ask(R"({"name": "laptop", "expires_in": "90d", "read_only": true})"), "idempotency-conflict");
  EXPECT_EQ(ask(R"({"name": "laptop", "expires_in": "90d"})"), "");
  EXPECT_EQ(shown_at(rig, "/v1/keys?user=alice").at("keys").as_array().size(), 3u) << "and one key was made";
}

TEST(Keys, ARepeatedRequestShowsTheSecretToWhoMightMakeTheKeyPairNow) {
  ApiRig rig(small_cluster() + Events{user_with_role("bob", "domain-admin")});
  const ApiRig::Ask ask{.method = "POST",
                        .target = "/v1/keys",
                        .body = R"({"name": "laptop", "user": "alice"})",
                        .key = "bob-key",
                        .idempotency_key = "once"};
  ASSERT_EQ(rig.ask(ask).status, 201u);
  EXPECT_EQ(rig.ask(ask).status, 200u);
  rig.cell.append({user_with_role("alice", "superadmin")});
  EXPECT_EQ(ApiRig::code_of(rig.ask(ask)), "denied") << "the role is above";
  rig.cell.append({user_defined("alice")});
  rig.cell.append({user_defined("bob")});
  const auto demoted = rig.ask(ask);
  EXPECT_GE(demoted.status, 400u);
  EXPECT_EQ(demoted.body.find("secret_key"), std::string::npos) << demoted.body;
}

TEST(Keys, AreSwitchedOffAndRemovedByTheirUser) {
  ApiRig rig;
  EXPECT_EQ(code_of(rig, "PATCH", "/v1/keys/bob-key", R"({"active": false})", "alice-key"),
            "unknown-key-pair");
  EXPECT_EQ(code_of(rig, "DELETE", "/v1/keys/bob-key", "", "alice-key"), "unknown-key-pair");
  EXPECT_EQ(code_of(rig, "PATCH", "/v1/keys/off-key", R"({"active": true})", "alice-key"), "200");
  EXPECT_EQ(code_of(rig, "PATCH", "/v1/keys/bob-key", R"({"active": false})"), "200");
  EXPECT_EQ(code_of(rig, "GET", "/v1/whoami", "", "bob-key"), "key-inactive");
  EXPECT_EQ(code_of(rig, "DELETE", "/v1/keys/off-key", "", "alice-key"), "200");
  EXPECT_EQ(code_of(rig, "POST", "/v1/keys", R"({"name": "x", "expires_in": "0s"})"), "invalid-value");
  ApiRig fresh;
  EXPECT_EQ(code_of(fresh, "POST", "/v1/keys", R"({"name": "x", "user": "alice"})", "bob-key"),
            "unknown-user");
}

TEST(Keys, OneThatOnlyReadsEndsItselfAndChangesNothingElse) {
  v1::Event reads = with_secret(key_pair_defined("reads", "alice"), secret_of("reads"));
  reads.mutable_key_pair_defined()->set_read_only(true);
  ApiRig rig(small_cluster() + Events{reads});
  EXPECT_EQ(code_of(rig, "DELETE", "/v1/keys/alice-key", "", "reads"), "key-read-only");
  EXPECT_EQ(code_of(rig, "PATCH", "/v1/keys/reads", R"({"active": false})", "reads"), "key-read-only");
  EXPECT_EQ(code_of(rig, "DELETE", "/v1/keys/reads", "", "reads"), "200") << "as berth logout does";
  EXPECT_EQ(code_of(rig, "GET", "/v1/whoami", "", "reads"), "unknown-key");
}

// Whatever is too long or cannot be shown is refused at its field, and not said again at length.
TEST(Names, OfTenThousandCharactersOrWithControlCharactersAreRefused) {
  ApiRig rig;
  for (const std::string& name : {std::string(10'000, 'x'), std::string("a\\u0000b"), std::string("a\\nb"),
                                  std::string("a\\u001b[2Jb"), std::string("a\\u009b2Jb"),
                                  std::string("a\\u2028b"), std::string("\\u202ea"), std::string("\\u2066a")})
    for (const auto& [target, body] :
         {std::pair<std::string, std::string>{"/v1/users", R"({"name": "NAME"})"},
          {"/v1/users", R"({"name": "zoe", "display_name": "NAME"})"},
          {"/v1/keys", R"({"name": "NAME"})"},
          {"/v1/projects", R"({"name": "NAME"})"},
          {"/v1/domains", R"({"name": "NAME"})"},
          {"/v1/groups", R"({"name": "NAME"})"},
          {"/v1/presets", R"({"name": "NAME", "resources": {"cpu": "1"}})"},
          {"/v1/sessions", R"({"name": "NAME", "resources": {"cpu": "1", "mem": "1g"}})"},
          {"/v1/login", R"({"user": "NAME", "password": "12345678"})"}}) {
      std::string filled = body;
      filled.replace(filled.find("NAME"), 4, name);
      const auto reply = rig.ask({.method = "POST", .target = target, .body = filled});
      EXPECT_GE(reply.status, 400u) << target << " " << name.substr(0, 20);
      EXPECT_LT(reply.status, 500u) << target << " " << name.substr(0, 20) << reply.body;
      EXPECT_LT(reply.body.size(), 1'500u) << target;
    }
}

TEST(Names, AReasonIsPlainTextWhereverItIsGiven) {
  ApiRig rig;
  for (const std::string hidden : {"%0A", "%1B", "%C2%9B", "%E2%80%A8", "%E2%80%AE", "%E2%81%A6"}) {
    EXPECT_EQ(code_of(rig, "POST", "/v1/domains?reason=a" + hidden, R"({"name": "d2"})"),
              "invalid-parameter");
    EXPECT_EQ(code_of(rig, "DELETE", "/v1/domains/d2?reason=a" + hidden), "invalid-parameter");
    EXPECT_EQ(code_of(rig, "DELETE", "/v1/sessions/train?reason=a" + hidden), "invalid-parameter");
  }
  EXPECT_EQ(code_of(rig, "POST", "/v1/sessions/terminate",
                    R"({"filter": {"user": "bob"}, "expected": 0, "reason": "a\u202eb"})"),
            "invalid-value");
  EXPECT_EQ(code_of(rig, "POST", "/v1/domains?reason=%EB%AC%BC%EB%A6%AC", R"({"name": "d2"})"), "201");
}

TEST(Groups, AreOpenToSome) {
  ApiRig rig;
  EXPECT_EQ(code_of(rig, "POST", "/v1/groups",
                    R"({"name": "g", "open_to": [{"scope": "project", "id": "default/default"}]})"),
            "201");
  EXPECT_EQ(code_of(rig, "POST", "/v1/groups", R"({"name": "g", "open_to": [{"scope": "cell", "id": "x"}]})"),
            "unknown-scope");
  EXPECT_EQ(code_of(rig, "POST", "/v1/groups", R"({"name": "g", "open_to": ["x"]})"), "wrong-type");
  const auto groups = shown_at(rig, "/v1/groups");
  EXPECT_EQ(groups.at("groups").at(1).at("open_to"),
            json::parse(R"([{"scope": "project", "id": "default/default"}])"));
}

}  // namespace
}  // namespace berth::testing
