// What openapi.json says of paths, queries and bodies against what the server takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "controller/api/map/time_text.h"
#include "controller/decide/identity/identity_checks.h"
#include "events/base/name.h"
#include "tests/unit/api/support/api_rig.h"
#include "tests/unit/api/support/openapi_schema.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

struct Operation {
  std::string id, method, path;
  const json::object& description;
};

std::vector<Operation> operations() {
  std::vector<Operation> out;
  for (const auto& path : openapi_document().at("paths").as_object())
    for (const auto& one : path.value().as_object()) {
      const auto& description = one.value().as_object();
      std::string method(one.key());
      std::transform(method.begin(), method.end(), method.begin(), ::toupper);
      out.push_back({std::string(description.at("operationId").as_string()), method, std::string(path.key()),
                     description});
    }
  return out;
}

std::vector<const json::object*> parameters(const Operation& operation) {
  std::vector<const json::object*> out;
  if (const auto* list = operation.description.if_contains("parameters"))
    for (const auto& one : list->as_array()) out.push_back(&resolved(one).as_object());
  return out;
}

// Of JSON; a chunk of a file has no fields.
const json::object* body(const Operation& operation) {
  const auto* found = operation.description.if_contains("requestBody");
  const auto* as_json =
      found == nullptr ? nullptr : found->at("content").as_object().if_contains("application/json");
  return as_json == nullptr ? nullptr : &as_json->as_object();
}

std::string text(const json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : json::serialize(value);
}

// The path with the examples of its parameters, of which some are of the rig, and the query without which it
// is refused.
std::string target(const Operation& operation) {
  const std::map<std::string, std::string> of_rig = {{"user", "admin"}, {"project", "default"}};
  std::string out = operation.path;
  for (const json::object* one : parameters(operation)) {
    const std::string name = text(one->at("name")), hole = "{" + name + "}";
    const auto at = out.find(hole);
    if (one->at("in").as_string() == "query" && one->contains("required"))
      out += "?" + name + "=" + text(one->at("example"));
    if (one->at("in").as_string() != "path" || at == std::string::npos) continue;
    const auto known = of_rig.find(name);
    out.replace(at, hole.size(), known == of_rig.end() ? text(one->at("example")) : known->second);
  }
  return out;
}

// "known: a, b" -> {a, b}
std::set<std::string> known_in(const json::value& problem) {
  const auto* hint = problem.as_object().if_contains("hint");
  std::string words = hint == nullptr ? "" : text(*hint);
  std::set<std::string> out;
  if (!words.starts_with("known: ")) return out;
  words = words.substr(7) + ", ";
  for (std::size_t at = 0, end = 0; (end = words.find(", ", at)) != std::string::npos; at = end + 2)
    if (end > at) out.insert(words.substr(at, end - at));
  return out;
}

json::value refusal(ApiRig& rig, const Operation& operation, const std::string& target,
                    const std::string& body = "") {
  auto request = rig.request({.method = operation.method, .target = target, .body = body});
  request.port = 7410;  // a login looks by which name it was reached
  const auto reply = rig.send(request);
  if (ApiRig::code_of(reply).empty()) return {{"code", "none, but status " + std::to_string(reply.status)}};
  return ApiRig::json_of(reply);
}

TEST(OpenApiInputs, TheQueryParametersOfARouteAreThoseThatItTakes) {
  ApiRig rig;
  for (const Operation& operation : operations()) {
    // Pages for people, which look at no query; and one whose path must be a browser session's.
    if (std::set<std::string>{"getConsole", "getAsset", "getDocs", "endBrowserSession"}.contains(
            operation.id))
      continue;
    std::set<std::string> described;
    for (const json::object* one : parameters(operation))
      if (one->at("in").as_string() == "query") described.insert(text(one->at("name")));
    described.erase("min_position");  // every GET's, read before the route
    described.erase("wait");
    described.erase("at");  // of every GET that has a past
    const std::string path = target(operation);
    const char* more = path.find('?') == std::string::npos ? "?" : "&";
    const auto problem = refusal(rig, operation, path + more + "no_such=1");
    EXPECT_EQ(text(problem.at("code")), "unknown-parameter") << operation.id << json::serialize(problem);
    EXPECT_EQ(known_in(problem), described) << operation.id;
  }
}

TEST(OpenApiInputs, TheFieldsOfABodyAreThoseThatTheServerReads) {
  ApiRig rig;
  int bodies = 0;
  for (const Operation& operation : operations()) {
    if (body(operation) == nullptr) continue;
    json::object asked = body(operation)->at("example").as_object();
    asked["no_such"] = 1;
    std::set<std::string> described;
    if (const auto* fields = resolved(body(operation)->at("schema")).as_object().if_contains("properties"))
      for (const auto& field : fields->as_object()) described.insert(std::string(field.key()));
    const auto problem = refusal(rig, operation, target(operation), json::serialize(asked));
    EXPECT_EQ(text(problem.at("code")), "unknown-field") << operation.id << json::serialize(problem);
    EXPECT_EQ(known_in(problem), described) << operation.id;
    ++bodies;
  }
  EXPECT_GT(bodies, 25);
}

TEST(OpenApiInputs, EveryBodyAndPathHasAnExampleThatFits) {
  for (const Operation& operation : operations()) {
    for (const json::object* one : parameters(operation)) {
      const auto* example = one->if_contains("example");
      EXPECT_TRUE(example != nullptr || one->at("in").as_string() != "path") << operation.id;
      if (example == nullptr) continue;
      EXPECT_EQ(misfit(one->at("schema"), *example, ""), "") << operation.id;
    }
    if (body(operation) == nullptr) continue;
    ASSERT_NE(body(operation)->if_contains("example"), nullptr) << operation.id;
    EXPECT_EQ(misfit(body(operation)->at("schema"), body(operation)->at("example"), ""), "") << operation.id;
  }
}

bool has_any(const json::object& schema, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return schema.contains(name); });
}

// Where a schema of a request says nothing of how long, how much or how many; empty: nowhere.
std::string unbounded(const json::value& schema_or_ref, const std::string& place) {
  if (!schema_or_ref.is_object()) return "";
  const json::object& schema = resolved(schema_or_ref).as_object();
  const auto* type = schema.if_contains("type");
  const std::string kind = type == nullptr ? "" : text(*type);
  const auto is = [&kind](const char* name) { return kind.find(name) != std::string::npos; };
  if (is("string") && !has_any(schema, {"pattern", "enum", "format", "maxLength"})) return place;
  if (is("integer") && !(schema.contains("minimum") && schema.contains("maximum"))) return place;
  if (is("array") && !schema.contains("maxItems")) return place;
  std::vector<std::pair<std::string, const json::value*>> inner;
  for (const char* name : {"items", "additionalProperties", "propertyNames"})
    if (const auto* one = schema.if_contains(name)) inner.emplace_back(place + "." + name, one);
  if (const auto* fields = schema.if_contains("properties"))
    for (const auto& field : fields->as_object())
      inner.emplace_back(place + "." + std::string(field.key()), &field.value());
  if (const auto* options = schema.if_contains("oneOf"))
    for (const auto& option : options->as_array()) inner.emplace_back(place, &option);
  for (const auto& [where, one] : inner)
    if (std::string found = unbounded(*one, where); !found.empty()) return found;
  return "";
}

TEST(OpenApiInputs, HaveAPatternALengthOrARangeEach) {
  for (const Operation& operation : operations()) {
    for (const json::object* one : parameters(operation)) {
      if (one->at("in").as_string() == "header") continue;
      EXPECT_EQ(unbounded(one->at("schema"), text(one->at("name"))), "") << operation.id;
    }
    if (body(operation) == nullptr) continue;
    EXPECT_EQ(unbounded(body(operation)->at("schema"), "body"), "") << operation.id;
  }
}

bool fits(const char* schema, const std::string& value) {
  const auto& schemas = openapi_document().at("components").at("schemas");
  return misfit(schemas.at(schema), json::value(value), "").empty();
}

TEST(OpenApiInputs, NamesFitWhereTheServerTakesThem) {
  std::vector<std::string> names = {
      "",      "a", "A1._-", "a b", "a/b", std::string(63, 'a'), std::string(64, 'a'), std::string(65, 'a'),
      "\u00e4"};
  for (int c = 1; c < 128; ++c) {
    names.emplace_back(1, static_cast<char>(c));
    names.push_back("a" + names.back());
  }
  for (const std::string& name : names) {
    EXPECT_EQ(fits("Name", name), is_valid_name(name)) << name;
    EXPECT_EQ(fits("NameOrNone", name), name.empty() || is_valid_name(name)) << name;
    EXPECT_EQ(fits("NewName", name), !controller::check_new_name("user", name)) << name;
    EXPECT_EQ(fits("DisplayName", name), !controller::check_display_name(name)) << name;
  }
}

TEST(OpenApiInputs, AmountsAndDurationsFitWhereTheServerTakesThem) {
  for (const std::string text : {"", "0", "5", "1.5g", ".5m", "5.", ".", "1e3", "-1", "16GiB", "16gi", "3kb",
                                 "7b", "1x", "1 g", "512m", "g"})
    EXPECT_EQ(fits("AskedAmount", text),
              parse_amount(SlotKind::kBytes, text).ok() || parse_amount(SlotKind::kCount, text).ok())
        << text;
  for (const std::string text :
       {"", "0", "s", "90", "90s", "1500ms", "5m", "2h", "9999d", "10000d", "999999999", "1000000000",
        "999999999999ms", "1000000000000ms", "1.5s", "-1s", "1w", "5 m", "007m"})
    EXPECT_EQ(fits("AskedDuration", text), api::parse_duration_ms(text).ok()) << text;
}

}  // namespace
}  // namespace berth::testing
