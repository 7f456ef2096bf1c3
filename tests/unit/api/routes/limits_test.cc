// Limits, presets, cluster sessions and dependencies over the API.
#include <gtest/gtest.h>

#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

std::string code(ApiRig& rig, const std::string& method, const std::string& target,
                 const std::string& body = "", const std::string& key = "admin-key") {
  const auto reply = rig.ask({.method = method, .target = target, .body = body, .key = key});
  return reply.status < 300 ? std::to_string(reply.status) : ApiRig::code_of(reply);
}

boost::json::value get(ApiRig& rig, const std::string& target) {
  return ApiRig::json_of(rig.ask({.target = target}));
}

TEST(Limits, AreSetShownAndRemoved) {
  ApiRig rig;
  const std::string path = "/v1/limits/project/default%2Fdefault";
  EXPECT_EQ(code(rig, "GET", path), "unknown-limit");
  ASSERT_EQ(code(rig, "PUT", path,
                 R"({"slots": {"cpu": "10", "mem": null}, "unlisted": "limited", "sessions": 0})"),
            "200");
  const auto limit = get(rig, path);
  EXPECT_EQ(limit.at("id").as_string(), "default/default");
  EXPECT_EQ(limit.at("slots"), boost::json::parse(R"({"cpu": "10", "mem": null})"));
  EXPECT_EQ(limit.at("sessions").as_int64(), 0);
  EXPECT_TRUE(limit.at("pending").is_null());
  EXPECT_EQ(limit.at("using").at("slots").at("cpu").as_string(), "0");
  EXPECT_EQ(get(rig, "/v1/limits").at("limits").as_array().size(), 1u);
  EXPECT_EQ(code(rig, "DELETE", path), "200");
  EXPECT_EQ(code(rig, "DELETE", path), "unknown-limit");
}

TEST(Limits, BadOnesAreRefusedWithTheirPlace) {
  ApiRig rig;
  EXPECT_EQ(code(rig, "PUT", "/v1/limits/planet/x", "{}"), "unknown-scope");
  EXPECT_EQ(code(rig, "PUT", "/v1/limits/project/ml", "{}"), "invalid-definition");
  EXPECT_EQ(code(rig, "PUT", "/v1/limits/user/alise", "{}"), "unknown-owner");
  EXPECT_EQ(code(rig, "PUT", "/v1/limits/user/a", R"({"slots": {"rocks": "1"}})"), "unknown-slot");
  EXPECT_EQ(code(rig, "PUT", "/v1/limits/user/a", R"({"sessions": -1})"), "invalid-value");
  EXPECT_EQ(code(rig, "PUT", "/v1/limits/user/a", R"({"seats": 1})"), "unknown-field");
  EXPECT_EQ(code(rig, "PUT", "/v1/limits/user/a", "{}", "bob-key"), "denied");
}

TEST(Limits, AUserSeesThoseThatBindHim) {
  ApiRig rig;
  for (const char* who : {"alice", "bob"})
    ASSERT_EQ(code(rig, "PUT", std::string("/v1/limits/user/") + who, "{}"), "200");
  const auto seen = ApiRig::json_of(rig.ask({.target = "/v1/limits", .key = "bob-key"}));
  ASSERT_EQ(seen.at("limits").as_array().size(), 1u);
  EXPECT_EQ(seen.at("limits").at(0).at("id").as_string(), "bob");
  EXPECT_EQ(code(rig, "GET", "/v1/limits/user/alice", "", "bob-key"), "unknown-limit");
}

TEST(Limits, WhatWaitsTooMuchIsRefused) {
  ApiRig rig;
  ASSERT_EQ(code(rig, "PUT", "/v1/limits/user/alice", R"({"pending": 1})"), "200");
  const std::string body = R"({"resources": {"cpu": "1", "mem": "1g"}})";
  EXPECT_EQ(code(rig, "POST", "/v1/sessions", body, "alice-key"), "201");
  EXPECT_EQ(code(rig, "POST", "/v1/sessions", body, "alice-key"), "limit-exceeded");
}

TEST(Groups, NamesOfPoliciesAreCheckedWhereTheyAreSet) {
  ApiRig rig;
  EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", "order": "random"})"), "unknown-policy");
  EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", "select": "best"})"), "unknown-policy");
  EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", "head_of_line": {"policy": "x"}})"),
            "unknown-policy");
  EXPECT_EQ(
      code(rig, "POST", "/v1/groups", R"({"name": "g", "head_of_line": {"policy": "strict", "n": -1}})"),
      "invalid-value");
  EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", "devices": {"cuda.shares": {"spread": "x"}}})"),
            "unknown-policy");
  EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", "impossible": "never"})"), "unknown-policy");
  EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", "order": "drf", "select": "dispersed"})"),
            "201");
  EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", "preemption": {"order": "random"}})"),
            "unknown-policy");
  EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", "preemption": {"mode": "pause"}})"),
            "unknown-policy");
  EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", "preemption": {"scope": "planet"}})"),
            "unknown-policy");
  EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", "preemption": {"victims": 3}})"),
            "unknown-field");
  EXPECT_EQ(code(rig, "POST", "/v1/groups",
                 R"({"name": "g", "preemption": {"enabled": true, "min_runtime": "30m"}})"),
            "201");
}

TEST(Groups, OneThatIsNotThereIsRefusedAndNotAnEmptyList) {
  ApiRig rig;
  EXPECT_EQ(code(rig, "GET", "/v1/sessions?group=nope"), "unknown-group");
  EXPECT_EQ(code(rig, "GET", "/v1/agents?group=nope"), "unknown-group");
  EXPECT_EQ(code(rig, "GET", "/v1/agents?group=default"), "200");
  EXPECT_EQ(code(rig, "POST", "/v1/sessions", R"({"group": "nope", "resources": {"cpu": "1", "mem": "1g"}})"),
            "unknown-group");
}

TEST(Images, ASourceOnThisMachineIsLookedForWhereTheLogIsThisMachines) {
  ApiRig rig;
  const char* image = R"({"reference": "x:1", "source": "oci:/nowhere/x:1"})";
  EXPECT_EQ(code(rig, "POST", "/v1/images", image), "201");  // of agents elsewhere nobody here knows
  rig.cell.log_url = "local:/data/log";
  EXPECT_EQ(code(rig, "POST", "/v1/images", image), "image-source-missing");
  EXPECT_EQ(code(rig, "POST", "/v1/images", R"({"reference": "x:1", "source": "docker://host/x:1"})"), "201");
}

TEST(Images, OneThatIsBeingBuiltIsListedAndSessionsWaitForIt) {
  ApiRig rig;
  const char* build = "/v1/images/jupyter:4.6/build";
  const auto image = [&] {
    const auto images = get(rig, "/v1/images");
    for (const auto& one : images.at("images").as_array())
      if (one.at("reference").as_string() == "jupyter:4.6") return one;
    return boost::json::value();
  };
  EXPECT_EQ(code(rig, "POST", build, R"({"percent": 43, "step": "packages", "builder": "up"})"), "200");
  EXPECT_EQ(image().at("building"), boost::json::parse(R"({"percent": 43, "step": "packages"})"));
  EXPECT_TRUE(image().at("build_failed").is_null());
  EXPECT_EQ(code(rig, "POST", build, R"({"percent": 0, "builder": "other"})"), "image-being-built");
  EXPECT_EQ(code(rig, "POST", "/v1/sessions",
                 R"({"name": "asked", "image": "jupyter:4.6", "resources": {"cpu": "1", "mem": "1g"}})"),
            "201");
  rig.cell.append({session_requested("early", Spec().image("jupyter:4.6"), "admin"),
                   session_reason_changed("early", "image-building")});
  const auto reason = boost::json::parse(R"({"code": "image-building", "slot": null, "percent": 43})");
  EXPECT_EQ(get(rig, "/v1/sessions/early").at("reason"), reason);
  const auto sessions = get(rig, "/v1/sessions");
  for (const auto& one : sessions.at("sessions").as_array())
    if (one.at("name").as_string() == "early") { EXPECT_EQ(one.at("reason"), reason); }
  EXPECT_EQ(code(rig, "DELETE", "/v1/images/jupyter:4.6"), "in-use");
  EXPECT_EQ(code(rig, "POST", build, R"({"failed": "no room", "builder": "up"})"), "200");
  EXPECT_TRUE(image().at("building").is_null());
  EXPECT_EQ(image().at("build_failed").as_string(), "no room");
  EXPECT_EQ(code(rig, "POST", "/v1/images", R"({"reference": "jupyter:4.6", "source": "docker://h/j:1"})"),
            "201");
  EXPECT_TRUE(image().at("build_failed").is_null());
}

TEST(Images, HowFarABuildIsIsCheckedFieldByField) {
  ApiRig rig;
  for (const auto& [body, wrong] : {std::pair{R"({})", "missing-field"},
                                    {R"({"percent": 1, "failed": "why"})", "missing-field"},
                                    {R"({"percent": 101})", "invalid-value"},
                                    {R"({"percent": "43"})", "invalid-value"},
                                    {R"({"failed": ""})", "invalid-value"},
                                    {R"({"percent": 1, "step": "a\u001b[2J"})", "invalid-value"},
                                    {R"({"percent": 1, "steps": 3})", "unknown-field"}})
    EXPECT_EQ(code(rig, "POST", "/v1/images/jupyter:4.6/build", body), wrong) << body;
  EXPECT_EQ(code(rig, "POST", "/v1/images/-jupyter/build", R"({"percent": 1})"), "invalid-value");
}

TEST(Groups, SayWhatTheirKernelsReach) {
  ApiRig rig;
  const auto egress = [&](const std::string& body) {
    EXPECT_EQ(code(rig, "POST", "/v1/groups", body.c_str()), "201") << body;
    const auto groups = get(rig, "/v1/groups");
    for (const auto& one : groups.at("groups").as_array())
      if (one.at("name").as_string() == "g") return std::string(one.at("egress").as_string());
    return std::string();
  };
  EXPECT_EQ(egress(R"({"name": "g"})"), "none");
  EXPECT_EQ(egress(R"({"name": "g", "egress": "registries"})"), "registries");
  EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", "egress": "all"})"), "unknown-egress");
  for (const char* word : {"egress", "impossible"})
    EXPECT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "g", ")" + std::string(word) + R"(": ""})"),
              "invalid-value")
        << word;
}

TEST(Presets, AreDefinedListedAndChecked) {
  ApiRig rig;
  EXPECT_EQ(code(rig, "POST", "/v1/presets", R"({"name": "small", "resources": {"rocks": "1"}})"),
            "unknown-slot");
  ASSERT_EQ(code(rig, "POST", "/v1/presets",
                 R"({"name": "small", "resources": {"cpu": "1", "mem": "1g"}, "shm": "64m"})"),
            "201");
  ASSERT_EQ(code(rig, "POST", "/v1/presets", R"({"name": "vast", "resources": {"cpu": "400"}})"), "201");
  EXPECT_EQ(get(rig, "/v1/presets").at("presets").as_array().size(), 2u);
  const auto page = get(rig, "/v1/presets?limit=1");
  EXPECT_EQ(page.at("presets").at(0).at("name").as_string(), "small");
  EXPECT_EQ(get(rig, "/v1/presets?limit=1000&page_token=small").at("presets").at(0).at("name").as_string(),
            "vast");
  const auto report = get(rig, "/v1/resource/check-presets");
  EXPECT_EQ(report.at("remaining").at("cpu").as_string(), "4");
  EXPECT_TRUE(report.at("presets").at(0).at("allocatable").as_bool());
  EXPECT_FALSE(report.at("presets").at(1).at("allocatable").as_bool());
  EXPECT_EQ(code(rig, "GET", "/v1/resource/check-presets?group=nowhere"), "unknown-group");
}

TEST(Removal, TakesWhatNothingUsesAndRetiresItsName) {
  ApiRig rig;
  ASSERT_EQ(code(rig, "POST", "/v1/groups", R"({"name": "gpu"})"), "201");
  ASSERT_EQ(code(rig, "POST", "/v1/presets", R"({"name": "small", "resources": {"cpu": "1"}})"), "201");
  ASSERT_EQ(code(rig, "POST", "/v1/images", R"({"reference": "a/b:1", "source": "docker://h/b:1"})"), "201");
  rig.cell.append({agent_left("a1")});
  for (const auto& [path, again] :
       {std::pair<std::string, std::string>{"/v1/groups/gpu", R"({"name": "gpu"})"},
        {"/v1/presets/small", R"({"name": "small", "resources": {"cpu": "1"}})"},
        {"/v1/images/a%2Fb:1", R"({"reference": "a/b:1", "source": "oci:/b:1"})"},
        {"/v1/agents/a1", ""}}) {
    EXPECT_EQ(code(rig, "DELETE", path, "", "bob-key"), "denied") << path;
    const auto removed = rig.ask({.method = "DELETE", .target = path});
    EXPECT_EQ(removed.status, 200u) << path << removed.body;
    EXPECT_TRUE(ApiRig::json_of(removed).as_object().contains("position"));
    EXPECT_EQ(rig.ask({.method = "DELETE", .target = path}).status, 404u) << path;
    const std::string list = path.substr(0, path.rfind('/'));
    const auto defined = again.empty() ? rig.ask({.method = "POST", .target = path + "/enroll"})
                                       : rig.ask({.method = "POST", .target = list, .body = again});
    EXPECT_EQ(ApiRig::code_of(defined), "name-retired") << path << defined.body;
    EXPECT_EQ(defined.status, 409u);
  }
}

TEST(Removal, OfWhatIsInUseIsRefusedAndNamesWhatLives) {
  ApiRig rig;
  ASSERT_EQ(code(rig, "POST", "/v1/sessions",
                 R"({"name": "s1", "image": "python:3.11", "resources": {"cpu": "1", "mem": "1g"}})"),
            "201");
  for (const auto& [path, named] : {std::pair{"/v1/groups/default", "agent a1"},
                                    {"/v1/images/python:3.11", "session s1"},
                                    {"/v1/agents/a1", "alive"}}) {
    const auto refused = rig.ask({.method = "DELETE", .target = path});
    EXPECT_EQ(refused.status, 409u) << path;
    EXPECT_EQ(ApiRig::code_of(refused), "in-use");
    EXPECT_NE(refused.body.find(named), std::string::npos) << refused.body;
  }
}

TEST(ClusterSessions, AreAskedForByRolesAndShown) {
  ApiRig rig;
  const auto reply =
      rig.ask({.method = "POST", .target = "/v1/sessions", .body = R"({"name": "c", "mode": "multi-node",
      "resources": {"mem": "1g"}, "roles": [{"role": "main", "resources": {"cpu": "2"}},
      {"role": "sub", "count": 2, "resources": {"cpu": "1"}}],
      "designated": {"agents": ["a1"]}})"});
  ASSERT_EQ(reply.status, 201u) << reply.body;
  const auto session = get(rig, "/v1/sessions/c");
  EXPECT_EQ(session.at("mode").as_string(), "multi-node");
  EXPECT_EQ(session.at("cluster_size").to_number<int>(), 3);
  EXPECT_EQ(session.at("resources").at("cpu").as_string(), "4");
  EXPECT_EQ(session.at("designated"), boost::json::parse(R"({"agents": ["a1"], "rule": "strict"})"));
}

TEST(Dependencies, AreAskedForByNameAndShownById) {
  ApiRig rig;
  const auto batch = [](const std::string& more) {
    return R"({"type": "batch", "command": ["true"], "resources": {"cpu": "1", "mem": "1g"}, )" + more + "}";
  };
  ASSERT_EQ(code(rig, "POST", "/v1/sessions", batch(R"("name": "first")")), "201");
  ASSERT_EQ(code(rig, "POST", "/v1/sessions", batch(R"("name": "second", "depends_on": ["first"])")), "201");
  EXPECT_EQ(get(rig, "/v1/sessions/second").at("depends_on").at(0), get(rig, "/v1/sessions/first").at("id"));
  EXPECT_EQ(code(rig, "POST", "/v1/sessions", batch(R"("depends_on": ["nobody"])")), "unknown-dependency");
  EXPECT_EQ(code(rig, "POST", "/v1/sessions", batch(R"("name": "x", "depends_on": ["x"])")),
            "dependency-cycle");
  EXPECT_EQ(code(rig, "POST", "/v1/sessions",
                 R"({"resources": {"cpu": "1", "mem": "1g"}, "depends_on": ["first"]})"),
            "not-for-this-type");
}

}  // namespace
}  // namespace berth::testing
