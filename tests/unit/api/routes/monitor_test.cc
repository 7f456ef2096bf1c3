// The monitor as auditor: every operation of openapi.json, asked by a superadmin and by a monitor. What the
// one may read the other may, but for a few that are named here; nothing that a monitor asks for changes
// anything.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/unit/api/support/openapi_schema.h"
#include "tests/unit/api/support/some_folders.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

// Ways into what is another's: kernels, terminals, apps and files, for which a superadmin's role is no key
// either; and how people signed in.
const std::set<std::string> kNotForMonitors = {
    "openExec", "openShell",  "openCopy",  "listShells", "listApps",
    "startApp", "connectApp", "listFiles", "getFile",    "getUpload",
    "getLosses"  // what would be lost by an end is told to who may end it
};

// A monitor's own: keys, password, browser sessions. And what reads although it is a POST.
const std::set<std::string> kOwnOrReading = {"createKey",      "changeKey",         "deleteKey",
                                             "changePassword", "endBrowserSession", "logout",
                                             "startAudit",     "cancelAudit",       "recordBackup"};

Events audited_world() {
  Events out =
      small_cluster() + Events{preset_defined("small", "cpu", kUnit), project_defined("default", "other")};
  v1::Event monty = user_with_role("monty", "monitor");
  out.push_back(monty);
  out.push_back(with_secret(key_pair_defined("Kmonty", "monty"), secret_of("Kmonty")));
  out.push_back(session_requested("demo", Spec(), "alice"));
  return out;
}

class Auditor : public ::testing::Test {
 protected:
  struct Described {
    std::string id, method, path;
    const json::object* description = nullptr;
  };
  static std::vector<Described> described() {
    std::vector<Described> out;
    for (const auto& path : openapi_document().at("paths").as_object())
      for (const auto& one : path.value().as_object()) {
        const auto& description = one.value().as_object();
        if (description.contains("security") && description.at("security").as_array().empty())
          continue;  // open
        std::string method(one.key());
        for (char& c : method) c = static_cast<char>(std::toupper(c));
        out.push_back({std::string(description.at("operationId").as_string()), method,
                       std::string(path.key()), &description});
      }
    return out;
  }
  // The things of the rig in the path, and the query without which it is refused.
  std::string target(const Described& one) {
    const std::map<std::string, std::string> of_rig = {{"session", to_string(session_id("demo"))},
                                                       {"user", "alice"},
                                                       {"agent", "a1"},
                                                       {"domain", "default"},
                                                       {"project", "default"},
                                                       {"reference", "python%3A3.11"},
                                                       {"name", "default"},
                                                       {"key", "alice-key"},
                                                       {"scope", "user"},
                                                       {"folder", hex_id("f-of-alice")},
                                                       {"kernel", "main1"},
                                                       {"app", "8888"},
                                                       {"producer", "web"},
                                                       {"shell", "s1"},
                                                       {"upload", std::string(32, 'a')},
                                                       {"job", std::string(32, 'a')},
                                                       {"id", "alice"}};
    std::string out = one.path, query;
    if (const auto* list = one.description->if_contains("parameters"))
      for (const auto& reference : list->as_array()) {
        const auto& parameter = resolved(reference).as_object();
        const std::string name(parameter.at("name").as_string());
        if (parameter.at("in").as_string() != "query" || !parameter.contains("required")) continue;
        const auto& example = parameter.at("example");
        query += (query.empty() ? "?" : "&") + name + "=" +
                 (example.is_string() ? std::string(example.as_string()) : json::serialize(example));
      }
    for (const auto& [name, value] : of_rig)
      if (const auto at = out.find("{" + name + "}"); at != std::string::npos)
        out.replace(at, name.size() + 2, value);
    return out + query;
  }
  std::string body(const Described& one) {
    const auto* found = one.description->if_contains("requestBody");
    const auto* as_json =
        found == nullptr ? nullptr : found->at("content").as_object().if_contains("application/json");
    return as_json == nullptr ? "" : json::serialize(as_json->at("example"));
  }
  // "200", or the code of the problem.
  std::string answer(const Described& one, const std::string& key) {
    const auto reply = rig.ask({.method = one.method, .target = target(one), .body = body(one), .key = key});
    return reply.status < 300 ? std::to_string(reply.status) : ApiRig::code_of(reply);
  }
  void SetUp() override {
    rig.cell.append(agent_with_volumes("v1", {"local"}));
    rig.cell.append({folder_of("f-of-alice", "data", "alice", "", "default")});
    rig.cell.append({folder_is_ready("f-of-alice")});
  }
  ApiRig rig{audited_world()};
};

TEST_F(Auditor, ReadsWhateverASuperadminReads) {
  int read = 0;
  for (const Described& one : described()) {
    if (one.method != "GET") continue;
    const std::string by_root = answer(one, "admin-key"), by_monitor = answer(one, "Kmonty");
    if (kNotForMonitors.contains(one.id)) {
      EXPECT_TRUE(by_monitor == "denied" || by_monitor == by_root) << one.id << " " << by_monitor;
      EXPECT_NE(by_monitor, "200") << one.id;
      continue;
    }
    EXPECT_EQ(by_monitor, by_root) << one.id << " " << target(one);
    read += by_monitor == "200" ? 1 : 0;
  }
  EXPECT_GE(read, 35);
}

TEST_F(Auditor, ChangesNothing) {
  int refused = 0;
  for (const Described& one : described()) {
    if (one.method == "GET" || kOwnOrReading.contains(one.id)) continue;
    const Offset before = rig.cell.position();
    const int submitted = rig.cell.submitted;
    EXPECT_EQ(answer(one, "Kmonty"), "denied") << one.id << " " << target(one);
    EXPECT_EQ(rig.cell.position(), before) << one.id;
    EXPECT_EQ(rig.cell.submitted, submitted) << one.id;
    ++refused;
  }
  EXPECT_GE(refused, 45);
}

TEST_F(Auditor, ChangesOfPeopleItsOwnAlone) {
  const auto code = [&](const std::string& method, const std::string& target, const std::string& body) {
    return ApiRig::code_of(rig.ask({.method = method, .target = target, .body = body, .key = "Kmonty"}));
  };
  EXPECT_EQ(code("DELETE", "/v1/keys/alice-key", ""), "denied");
  EXPECT_EQ(code("PATCH", "/v1/keys/alice-key", R"({"active": false})"), "denied");
  EXPECT_EQ(code("POST", "/v1/keys", R"({"user": "alice", "name": "spare", "expires_in": "90d"})"), "denied");
  EXPECT_EQ(code("PUT", "/v1/users/alice/password", R"({"old": "x", "new": "yyyyyyyyyyyy"})"), "denied");
  EXPECT_EQ(code("POST", "/v1/keys", R"({"user": "monty", "name": "spare", "expires_in": "90d"})"), "");
}

// What others typed into an environment, and every box of a secret, stay closed in all that is read.
TEST_F(Auditor, OpensNoSealedValue) {
  const auto reply =
      rig.ask({.method = "POST",
               .target = "/v1/sessions",
               .body = R"({"name": "secretive", "image": "python:3.11", "resources": {"cpu": "1",)"
                       R"( "mem": "1g"}, "env": {"TOKEN": "hunter2-in-clear"}})",
               .key = "alice-key"});
  ASSERT_EQ(reply.status, 201u) << reply.body;
  for (const Described& one : described()) {
    if (one.method != "GET" || kNotForMonitors.contains(one.id) || one.id == "watchRows") continue;
    const auto told = rig.ask({.target = target(one), .key = "Kmonty"});
    EXPECT_EQ(told.body.find("hunter2-in-clear"), std::string::npos) << one.id;
    EXPECT_EQ(told.body.find(secret_of("alice-key")), std::string::npos) << one.id;
  }
}

}  // namespace
}  // namespace berth::testing
