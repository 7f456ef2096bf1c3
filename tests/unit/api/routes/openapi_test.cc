// openapi.json against the routing table, both ways, and against what the routes really answer.
#include "controller/api/routes/openapi.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controller/api/map/time_text.h"
#include "tests/unit/api/support/api_rig.h"
#include "tests/unit/api/support/app_image.h"
#include "tests/unit/api/support/openapi_schema.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

const json::value& document() { return openapi_document(); }

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

TEST(OpenApi, DescribesEveryRoute) {
  const api::RouteTable table = api::RouteTable::make();
  for (const api::Route& route : table.routes()) {
    const auto* path = document().at("paths").as_object().if_contains(route.pattern);
    ASSERT_NE(path, nullptr) << route.pattern;
    const auto* operation = path->as_object().if_contains(lower(route.method));
    ASSERT_NE(operation, nullptr) << route.method << " " << route.pattern;
    EXPECT_EQ(operation->at("operationId").as_string(), route.operation);
    const bool described_open =
        operation->as_object().contains("security") && operation->at("security").as_array().empty();
    const bool open = route.askers.access < api::Route::kAnybody;
    EXPECT_EQ(described_open, open) << route.pattern;
  }
}

TEST(OpenApi, DescribesNothingElse) {
  const api::RouteTable table = api::RouteTable::make();
  const auto& routes = table.routes();
  for (const auto& path : document().at("paths").as_object())
    for (const auto& operation : path.value().as_object()) {
      const bool found = std::any_of(routes.begin(), routes.end(), [&](const api::Route& route) {
        return path.key() == route.pattern && operation.key() == lower(route.method);
      });
      EXPECT_TRUE(found) << operation.key() << " " << path.key();
    }
}

TEST(OpenApi, IsVersionThreePointOneAndItsReferencesLeadSomewhere) {
  EXPECT_EQ(document().at("openapi").as_string(), "3.1.0");
  std::vector<const json::value*> todo = {&document()};
  int references = 0;
  while (!todo.empty()) {
    const json::value& value = *todo.back();
    todo.pop_back();
    if (value.is_array())
      for (const auto& item : value.as_array()) todo.push_back(&item);
    if (!value.is_object()) continue;
    for (const auto& member : value.as_object()) {
      if (member.key() == "$ref") {
        ++references;
        boost::system::error_code error;
        EXPECT_NE(document().find_pointer(std::string(member.value().as_string()).substr(1), error), nullptr)
            << member.value();
      }
      todo.push_back(&member.value());
    }
  }
  EXPECT_GT(references, 50);
}

// The schema of an operation's JSON answer.
const json::value& answer_schema(const std::string& method, const std::string& pattern,
                                 const std::string& status) {
  return document()
      .at("paths")
      .at(pattern)
      .at(method)
      .at("responses")
      .at(status)
      .at("content")
      .at("application/json")
      .at("schema");
}

// Asks the rig, and holds the answer against the schema of that route, method and status.
void expect_fits(ApiRig& rig, const ApiRig::Ask& ask, const std::string& pattern, const std::string& status) {
  const auto reply = rig.ask(ask);
  ASSERT_EQ(std::to_string(reply.status), status) << ask.target << reply.body;
  EXPECT_EQ(misfit(answer_schema(lower(ask.method), pattern, status), ApiRig::json_of(reply), ""), "")
      << ask.target;
}

TEST(OpenApi, DescribesWhatTheRoutesAnswerOfSessionsAndAgents) {
  ApiRig rig;
  const auto fits = [&](const ApiRig::Ask& ask, const std::string& pattern, const std::string& status) {
    expect_fits(rig, ask, pattern, status);
  };
  const std::string body = R"({"name": "demo", "count": 2, "image": "python:3.11", "env": {"A": "b"},)"
                           R"( "resources": {"cpu": "1", "mem": "1g", "cuda.shares": "1"}})";
  fits({.method = "POST", .target = "/v1/sessions", .body = body}, "/v1/sessions", "201");
  Uuid first;
  rig.cell.with_state(
      [&](const controller::StateView& view) { first = view.state.find_live("admin", "demo-1")->id; });
  v1::Event scheduled = session_scheduled("x", {{"a1", {{"gpu0", kUnit}}}});
  scheduled.mutable_session_scheduled()->set_session_id(wire(first));
  rig.cell.append({scheduled});
  rig.cell.append({kernel_running(kernel_name("x"))});
  fits({.target = "/v1/sessions"}, "/v1/sessions", "200");
  fits({.target = "/v1/sessions/demo-1"}, "/v1/sessions/{session}", "200");
  rig.cell.start = controller::StartEstimate{
      {{50, Timestamp{kSecond}, 3, 500, ""}, {90, std::nullopt, 0, 0, "ends-unknown"}}};
  rig.cell.explanation.start = rig.cell.start;
  fits({.target = "/v1/sessions/demo-2?estimate=true"}, "/v1/sessions/{session}", "200");
  fits({.target = "/v1/scenario"}, "/v1/scenario", "200");
  fits({.target = "/v1/sessions/demo-2/why"}, "/v1/sessions/{session}/why", "200");
  rig.cell.dry_run_answer.sessions = {
      {"x", false, {{"main1", "a1", {{"gpu0", "cuda.shares", kUnit}}}}, {"demo-1"}, 1}, {"y", {}, {}, {}, 0}};
  rig.cell.dry_run_answer.why.emplace().code = "no-device";
  fits({.method = "POST", .target = "/v1/sessions?dry_run=true", .body = body}, "/v1/sessions", "200");
  fits({.target = "/v1/agents"}, "/v1/agents", "200");
  fits({.target = "/v1/agents/a1"}, "/v1/agents/{agent}", "200");
  fits({.method = "POST", .target = "/v1/agents/a1/drain"}, "/v1/agents/{agent}/drain", "200");
  fits({.method = "POST", .target = "/v1/agents/a1/undrain", .body = "{}"}, "/v1/agents/{agent}/undrain",
       "200");
  fits({.method = "POST", .target = "/v1/agents/a9/enroll"}, "/v1/agents/{agent}/enroll", "201");
  const std::string expires = format_time(rig.cell.test_clock.now().wall + kMinute);
  fits({.method = "POST",
        .target = "/v1/agents/a9/token",
        .body = R"({"token_hash": "0123456789abcdef0123456789abcdef", "expires_at": ")" + expires + R"("})"},
       "/v1/agents/{agent}/token", "201");
  fits({.method = "DELETE", .target = "/v1/sessions/demo-1"}, "/v1/sessions/{session}", "200");
  fits({.method = "POST", .target = "/v1/agents/a1/fence?force=true"}, "/v1/agents/{agent}/fence", "200");
}

TEST(OpenApi, DescribesWhatTheRoutesAnswerOfSettingsAndTheCluster) {
  ApiRig rig;
  const auto fits = [&](const ApiRig::Ask& ask, const std::string& pattern, const std::string& status) {
    expect_fits(rig, ask, pattern, status);
  };
  fits({.method = "POST",
        .target = "/v1/images",
        .body = R"({"reference": "new:1", "source": "oci:/x:1", "labels": {"a": "b"}})"},
       "/v1/images", "201");
  fits({.method = "POST",
        .target = "/v1/images/next:1/build",
        .body = R"({"percent": 43, "step": "packages"})"},
       "/v1/images/{reference}/build", "200");
  fits({.target = "/v1/images"}, "/v1/images", "200");
  rig.cell.append({image_with_apps()});
  fits({.target = "/v1/images"}, "/v1/images", "200");
  rig.cell.append({session_requested("waits", Spec().image("lab:1"), "admin")});
  fits({.target = "/v1/sessions/waits/apps"}, "/v1/sessions/{session}/apps", "200");
  fits({.method = "POST",
        .target = "/v1/groups",
        .body = R"({"name": "g", "devices": {"cuda.shares": {"quantum": "0.1"}}, "pending_timeout": "5m"})"},
       "/v1/groups", "201");
  fits(
      {.method = "POST",
       .target = "/v1/groups",
       .body =
           R"({"name": "fair", "order": "fair-share", "fair_share": {"lookback_days": 30, "weights": {"user:alice": "2"}}})"},
      "/v1/groups", "201");
  fits({.target = "/v1/fair-share?group=fair"}, "/v1/fair-share", "200");
  fits({.target = "/v1/groups"}, "/v1/groups", "200");
  fits({.target = "/v1/slots"}, "/v1/slots", "200");
  fits({.target = "/v1/resource"}, "/v1/resource", "200");
  fits({.method = "PUT",
        .target = "/v1/limits/user/admin",
        .body = R"({"slots": {"cpu": "3", "mem": null}, "pending": 9})"},
       "/v1/limits/{scope}/{id}", "200");
  fits({.target = "/v1/limits/user/admin"}, "/v1/limits/{scope}/{id}", "200");
  fits({.target = "/v1/limits"}, "/v1/limits", "200");
  fits({.method = "POST", .target = "/v1/presets", .body = R"({"name": "small", "resources": {"cpu": "1"}})"},
       "/v1/presets", "201");
  fits({.target = "/v1/presets"}, "/v1/presets", "200");
  fits({.target = "/v1/resource/check-presets"}, "/v1/resource/check-presets", "200");
  fits({.method = "DELETE", .target = "/v1/limits/user/admin"}, "/v1/limits/{scope}/{id}", "200");
  fits({.target = "/v1/events?limit=1000"}, "/v1/events", "200");
  fits({.target = "/v1/cluster"}, "/v1/cluster", "200");
  fits({.target = "/v1/cluster?newest=true"}, "/v1/cluster", "200");
  rig.cell.truncation = projections::Truncation{90, 80};
  fits({.target = "/v1/cluster"}, "/v1/cluster", "200");
  fits({.method = "POST", .target = "/v1/cluster/accept-truncation"}, "/v1/cluster/accept-truncation", "200");
  fits({.target = "/v1/log-level"}, "/v1/log-level", "200");
  rig.cell.append({internal_error_recorded("session:x")});
  fits({.target = "/v1/quarantine"}, "/v1/quarantine", "200");
  fits({.method = "POST", .target = "/v1/quarantine/release", .body = R"({"subject": "session:x"})"},
       "/v1/quarantine/release", "200");
  fits({.target = "/v1/whoami"}, "/v1/whoami", "200");
}

TEST(OpenApi, DescribesProblems) {
  ApiRig rig;
  const auto& schema = document().at("components").at("schemas").at("Problem");
  for (const ApiRig::Ask& ask :
       {ApiRig::Ask{.target = "/v1/nothing"},
        ApiRig::Ask{.method = "POST", .target = "/v1/sessions", .body = R"({"x": 1})"},
        ApiRig::Ask{.method = "POST", .target = "/v1/sessions", .body = R"({"resources": {"cpu": "1"}})"}})
    EXPECT_EQ(misfit(schema, ApiRig::json_of(rig.ask(ask)), ""), "");
}

TEST(Machines, AreToldLivenessReadinessAndMetrics) {
  ApiRig rig;
  api::HttpRequest open;
  open.method = "GET";
  open.target = "/readyz?verbose";
  EXPECT_EQ(rig.send(open).body, "[+] log: end 5\nready\n");
  rig.cell.ready_now = false;
  EXPECT_EQ(rig.send(open).status, 503u);
  const auto metrics = rig.ask({.target = "/metrics"});
  EXPECT_NE(metrics.body.find("berth_api_requests_total{"), std::string::npos);
  EXPECT_NE(metrics.body.find("berth_agents{state=\"ALIVE\"} 1"), std::string::npos) << metrics.body;
}

TEST(Indicator, IsOfTheCallerAndTheGroup) {
  ApiRig rig;
  const auto reply = ApiRig::json_of(rig.ask({.target = "/v1/resource?group=default"}));
  EXPECT_EQ(reply.at("user").as_string(), "admin");
  EXPECT_EQ(rig.ask({.target = "/v1/resource?group=nowhere"}).status, 404u);
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/resource?user=alice", .key = "bob-key"})),
            "unknown-user");
}

}  // namespace
}  // namespace berth::testing
