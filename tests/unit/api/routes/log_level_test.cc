// GET and PUT /v1/log-level
#include <gtest/gtest.h>

#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

TEST(LogLevel, IsShownAndSetBySuperadminsForAWhileOrForGood) {
  ApiRig rig;
  const auto put = [&](const std::string& body, const std::string& key = "admin-key") {
    return rig.ask({.method = "PUT", .target = "/v1/log-level", .body = body, .key = key});
  };
  EXPECT_EQ(ApiRig::json_of(rig.ask({.target = "/v1/log-level"})).at("level"), "info");
  EXPECT_EQ(ApiRig::json_of(put(R"({"level": "debug", "for": "10m"})")).at("level"), "debug");
  EXPECT_EQ(rig.cell.log_level_lasts, 10 * kMinute);
  EXPECT_EQ(put(R"({"level": "error"})").status, 200u);
  EXPECT_EQ(rig.cell.log_level_lasts, 0);
  EXPECT_EQ(ApiRig::json_of(rig.ask({.target = "/v1/log-level"})).at("level"), "error");
}

TEST(LogLevel, RefusesWhatIsNoneAndWhoMayNot) {
  ApiRig rig;
  const auto put = [&](const std::string& body, const std::string& key = "admin-key") {
    return rig.ask({.method = "PUT", .target = "/v1/log-level", .body = body, .key = key});
  };
  for (const char* body :
       {"{}", R"({"level": 3})", R"({"level": "loud"})", R"({"level": "info", "for": "0s"})",
        R"({"level": "info", "for": "25h"})", R"({"level": "info", "more": 1})"})
    EXPECT_EQ(put(body).status, 400u) << body;
  EXPECT_EQ(put(R"({"level": "debug"})", "alice-key").status, 403u);
  EXPECT_EQ(rig.ask({.target = "/v1/log-level", .key = "alice-key"}).status, 403u);
  EXPECT_EQ(rig.cell.log_level(), "info");
}

}  // namespace
}  // namespace berth::testing
