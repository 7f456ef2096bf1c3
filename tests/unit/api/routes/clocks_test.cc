// Refusals that compare times of two clocks say what both clocks say.
#include <gtest/gtest.h>

#include "controller/api/map/time_text.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

std::string text_of(const api::HttpReply& reply, const char* member) {
  return std::string(ApiRig::json_of(reply).at(member).as_string());
}

const std::string kCreate = R"({"image": "python:3.11", "resources": {"cpu": "1", "mem": "1g"}})";

TEST(Clocks, ARequestThatExpiredNamesBothTimes) {
  ApiRig rig;
  rig.cell.advance(12 * kHour);
  const auto asked =
      rig.request({.method = "POST", .target = "/v1/sessions", .body = kCreate, .key = "alice-key"});
  const auto reply = rig.send(asked);
  ASSERT_EQ(ApiRig::code_of(reply), "request-expired") << reply.body;
  EXPECT_EQ(text_of(reply, "detail"),
            "the request was asked at 2023-11-14T22:13:20Z and decided at 2023-11-15T10:13:20Z by the "
            "cluster's time: "
            "too late");
  EXPECT_NE(text_of(reply, "hint").find("Idempotency-Key"), std::string::npos);
  const auto again = rig.send(asked);
  EXPECT_EQ(text_of(again, "detail"),
            "the request was decided at 2023-11-15T10:13:20Z by the cluster's time: too late")
      << "which server was asked first, and when, is not known";
}

TEST(Clocks, AStaleDateIsToldBesideTheServersTime) {
  ApiRig rig;
  const auto request = rig.request({.target = "/v1/whoami"});
  rig.cell.test_clock.wall -= 12 * kHour;
  const auto reply = rig.send(request);
  ASSERT_EQ(ApiRig::code_of(reply), "stale-date");
  EXPECT_EQ(text_of(reply, "detail"),
            "the request is dated 2023-11-14T22:13:20Z (X-Berth-Date), and this server's clock says "
            "2023-11-14T10:13:20Z: more than 15 minutes apart");
  EXPECT_NE(text_of(reply, "hint").find("timedatectl"), std::string::npos);
}

}  // namespace
}  // namespace berth::testing
