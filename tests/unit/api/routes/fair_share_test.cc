// Order fair-share over the API: settings, and who sees which share.
#include <gtest/gtest.h>

#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

std::string outcome(ApiRig& rig, const std::string& method, const std::string& target,
                    const std::string& body = "", const std::string& key = "admin-key") {
  const auto reply = rig.ask({.method = method, .target = target, .body = body, .key = key});
  return reply.status < 300 ? std::to_string(reply.status) : ApiRig::code_of(reply);
}

constexpr const char* kFair =
    R"({"name": "default", "order": "fair-share", "fair_share": {"half_life_days": 14,
    "slot_weights": {"cpu": "2"}, "weights": {"user:bob": "0.5"}}})";

// Who has a line: "user alice 1 0.99...".
std::vector<std::string> shares(ApiRig& rig, const std::string& key) {
  std::vector<std::string> lines;
  const auto body = ApiRig::json_of(rig.ask({.target = "/v1/fair-share", .key = key}));
  for (const auto& line : body.at("shares").as_array())
    lines.push_back(std::string(line.at("scope").as_string()) + " " + std::string(line.at("id").as_string()) +
                    " " + std::to_string(line.at("rank").as_int64()));
  return lines;
}

TEST(FairShare, SettingsAreSetAndShown) {
  ApiRig rig;
  ASSERT_EQ(outcome(rig, "POST", "/v1/groups", kFair), "201");
  const auto groups = ApiRig::json_of(rig.ask({.target = "/v1/groups"}));
  EXPECT_EQ(groups.at("groups").at(0).at("fair_share"),
            boost::json::parse(
                R"({"half_life_days": 14, "slot_weights": {"cpu": "2"}, "weights": {"user:bob": "0.5"}})"));
}

TEST(FairShare, BadSettingsAreRefused) {
  ApiRig rig;
  const auto with = [&](const std::string& share) {
    return outcome(rig, "POST", "/v1/groups", R"({"name": "g", "fair_share": )" + share + "}");
  };
  EXPECT_EQ(with(R"({"half_life_days": 0})"), "invalid-value");
  EXPECT_EQ(with(R"({"lookback_days": 91})"), "invalid-value");
  EXPECT_EQ(with(R"({"weights": {"alice": "1"}})"), "invalid-value");
  EXPECT_EQ(with(R"({"weights": {"user:alice": 0.5}})"), "invalid-amount");
  EXPECT_EQ(with(R"({"weights": {"user:alice": "0"}})"), "invalid-fair-share");
  EXPECT_EQ(with(R"({"weights": {"planet:x": "1"}})"), "unknown-scope");
  EXPECT_EQ(with(R"({"half_lives": 1})"), "unknown-field");
}

TEST(FairShare, AUserSeesWhatHeSharesAndAnAdministratorAll) {
  ApiRig rig;
  ASSERT_EQ(outcome(rig, "POST", "/v1/groups", kFair), "201");
  rig.cell.append({session_requested("s1", Spec(), "alice")});
  rig.cell.append({session_scheduled("s1", "a1")});
  rig.cell.append({kernel_terminated(kernel_name("s1"))});
  EXPECT_EQ(shares(rig, "admin-key"),
            (std::vector<std::string>{"domain default 1", "project default/default 1", "user bob 1",
                                      "user alice 2"}));
  EXPECT_EQ(shares(rig, "bob-key"),
            (std::vector<std::string>{"domain default 1", "project default/default 1", "user bob 1"}));
}

TEST(FairShare, OfAGroupWithAnotherOrderThereIsNone) {
  ApiRig rig;
  EXPECT_EQ(outcome(rig, "GET", "/v1/fair-share"), "not-fair-share");
  EXPECT_EQ(outcome(rig, "GET", "/v1/fair-share?group=nowhere"), "unknown-group");
}

}  // namespace
}  // namespace berth::testing
