// GET /v1/usage: who is told what, exactly, and which windows are none.
#include <gtest/gtest.h>

#include "controller/api/map/time_text.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

namespace api = controller::api;

class UsageRoute : public ::testing::Test {
 protected:
  void SetUp() override {
    rig_.cell.append({session_requested("s1", Spec(), "alice")});
    rig_.cell.append({session_requested("s2", Spec(), "bob")});
    rig_.cell.append({session_scheduled("s1", "a1")});
    from_ = time();
    rig_.cell.append({session_scheduled("s2", "a1")});
    rig_.cell.append({kernel_terminated(kernel_name("s1"))});
    to_ = time();
  }
  Timestamp time() {
    Timestamp time = 0;
    rig_.cell.with_state([&](const controller::StateView& view) { time = view.state.epoch().time; });
    return time;
  }
  std::string code(const std::string& query, const std::string& key = "admin-key") {
    return ApiRig::code_of(rig_.ask({.target = "/v1/usage" + query, .key = key}));
  }
  // "alice bob"
  std::string keys(const std::string& query, const std::string& key = "admin-key") {
    const auto reply = rig_.ask({.target = "/v1/usage" + query, .key = key});
    EXPECT_EQ(reply.status, 200u) << reply.body;
    std::string out;
    const auto body = ApiRig::json_of(reply);
    for (const auto& row : body.at("rows").as_array())
      out += (out.empty() ? "" : " ") + std::string(row.at("key").as_string());
    return out;
  }

  ApiRig rig_;
  Timestamp from_ = 0, to_ = 0;
};

// One CPU for as long as the session held it: not a nanosecond more.
TEST_F(UsageRoute, TellsSlotSecondsExactly) {
  const auto body = ApiRig::json_of(rig_.ask({.target = "/v1/usage"}));
  const auto& row = body.at("rows").at(0);
  EXPECT_EQ(row.at("key").as_string(), "alice");
  EXPECT_EQ(row.at("sessions").to_number<int>(), 1);
  const v1::SessionSpec spec = Spec();
  const auto& slot = spec.roles(0).slots(0);
  const auto seconds =
      static_cast<double>(slot.amount()) / kUnit * static_cast<double>(to_ - from_) / kSecond;
  EXPECT_NEAR(std::stod(std::string(row.at("slot_seconds").at(slot.slot()).as_string())), seconds, 1e-9);
  EXPECT_EQ(body.at("step"), nullptr);
  EXPECT_FALSE(body.at("utilisation").as_array().empty());
}

TEST_F(UsageRoute, AUserIsToldOfTheirOwnAlone) {
  EXPECT_EQ(keys(""), "alice bob");
  EXPECT_EQ(keys("", "alice-key"), "alice");
  EXPECT_EQ(keys("?user=bob", "alice-key"), "");
  EXPECT_EQ(keys("?user=bob"), "bob");
  EXPECT_EQ(keys("?by=agent"), "a1");
}

TEST_F(UsageRoute, IsCsvWhereThatIsAsked) {
  const auto reply = rig_.ask({.target = "/v1/usage?format=csv&step=1h"});
  EXPECT_EQ(reply.content_type, "text/csv; charset=utf-8");
  EXPECT_TRUE(reply.body.starts_with("from,to,user,sessions,wait_p50_ms,wait_p95_ms,")) << reply.body;
  EXPECT_NE(reply.body.find(",alice,1,"), std::string::npos) << reply.body;
}

// What was known then: the window ends there, and what is held until later counts up to there.
TEST_F(UsageRoute, OfAMomentEndsThere) {
  const Offset then = rig_.cell.position();
  const auto told = [&](const std::string& query) {
    auto body = ApiRig::json_of(rig_.ask({.target = "/v1/usage" + query})).as_object();
    body.erase("at");
    return boost::json::serialize(body);
  };
  rig_.cell.test_clock.wall = to_;
  const std::string now = told("");
  rig_.cell.advance(kHour);
  rig_.cell.append({session_requested("s3", Spec(), "carol")});
  rig_.cell.append({session_scheduled("s3", "a1")});
  rig_.cell.test_clock.wall = time();
  EXPECT_NE(told(""), now);
  EXPECT_EQ(told("?at=" + std::to_string(then)), now);
  EXPECT_EQ(code("?at=" + std::to_string(then) + "&from=" + format_time(to_ + kMinute)), "invalid-parameter");
  EXPECT_EQ(keys("?at=" + std::to_string(then), "alice-key"), "alice");
}

TEST_F(UsageRoute, WindowsThatAreNoneAreRefused) {
  EXPECT_EQ(code("?from=2026-01-01T00:00:00"), "invalid-parameter") << "no zone";
  EXPECT_EQ(code("?from=yesterday"), "invalid-parameter");
  EXPECT_EQ(code("?from=2200-01-01T00:00:00Z"), "invalid-parameter") << "in the future";
  EXPECT_EQ(code("?from=2021-01-02T00:00:00Z&to=2021-01-01T00:00:00Z"), "invalid-parameter") << "swapped";
  EXPECT_EQ(code("?from=1990-01-01T00:00:00Z&step=1h"), "too-many-parts");
  EXPECT_EQ(code("?by=planet"), "invalid-parameter");
  EXPECT_EQ(code("?step=1m"), "invalid-parameter");
  EXPECT_EQ(code("?by=device&user=alice"), "invalid-parameter");
  EXPECT_EQ(code("?page=2"), "unknown-parameter");
}

}  // namespace
}  // namespace berth::testing
