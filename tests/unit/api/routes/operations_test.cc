// GET /v1/operations, and who may read /metrics by its token
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "controller/api/live/operations.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

namespace json = boost::json;
using Histogram = prometheus::ClientMetric::Histogram;

const json::object& series_of(const json::value& answer, const std::string& name, const std::string& label) {
  for (const auto& one : answer.at("series").as_array())
    for (const auto& [key, value] : one.at("labels").as_object())
      if (one.at("name").as_string() == name && value.as_string() == label) return one.as_object();
  throw std::runtime_error("no series " + name + " " + label);
}

TEST(OperationsRoute, HasASeriesPerNameAndAValuePerTime) {
  ApiRig rig(small_cluster() + Events{session_requested("s1")});
  rig.api.services().operations.sample();
  rig.cell.test_clock.wall += 5 * kSecond;
  rig.api.services().operations.sample();
  const auto answer = ApiRig::json_of(rig.ask({.target = "/v1/operations?window=5m"}));
  EXPECT_EQ(answer.at("times").as_array().size(), 2u);
  for (const auto& series : answer.at("series").as_array())
    EXPECT_EQ(series.at("values").as_array().size(), 2u) << series;
  EXPECT_EQ(series_of(answer, "sessions", "waiting").at("values").as_array()[1].to_number<double>(), 1);
  EXPECT_EQ(series_of(answer, "agents", "alive").at("values").as_array()[1].to_number<double>(), 1);
  EXPECT_TRUE(series_of(answer, "throughput", "events").at("values").as_array()[0].is_null())
      << "one sample is no rate";
  EXPECT_EQ(answer.at("agents").as_array()[0].at("name").as_string(), "a1");
  EXPECT_EQ(answer.at("step_seconds").to_number<int>(), 5);
}

TEST(OperationsRoute, KeepsAnHourAndGivesTheNewestOfIt) {
  ApiRig rig;
  for (int i = 0; i < 730; ++i) {
    rig.cell.test_clock.wall += 5 * kSecond;
    rig.api.services().operations.sample();
  }
  const auto times = [&](const std::string& window) {
    return ApiRig::json_of(rig.ask({.target = "/v1/operations?window=" + window})).at("times").as_array();
  };
  EXPECT_EQ(times("1h").size(), 720u);
  EXPECT_EQ(times("60s").size(), 12u);
  EXPECT_EQ(times("60s").back(), times("1h").back());
}

TEST(OperationsRoute, RefusesAWindowThatItHasNot) {
  ApiRig rig;
  for (const char* window : {"1s", "0s", "2h", "-5m", "", "x"})
    EXPECT_EQ(rig.ask({.target = std::string("/v1/operations?window=") + window}).status, 400u) << window;
  EXPECT_EQ(rig.ask({.target = "/v1/operations", .key = "alice-key"}).status, 403u);
}

TEST(Percentile, IsOfWhatCameBetweenTheTwo) {
  Histogram before{4, 0, {{4, 1}, {4, 2}, {4, 4}}};
  Histogram after{8, 0, {{4, 1}, {8, 2}, {8, 4}}};  // four more, all between 1 and 2
  EXPECT_DOUBLE_EQ(api::percentile_between(before, after, 50), 1.5);
  EXPECT_TRUE(std::isnan(api::percentile_between(after, after, 50)));
  EXPECT_TRUE(std::isnan(api::percentile_between({}, {}, 95)));
  EXPECT_DOUBLE_EQ(api::percentile_between({}, Histogram{2, 0, {{1, 1}, {1, 2}}}, 95), 2)
      << "what is above all bounds counts as the last";
}

api::HttpRequest bearing(const std::string& target, const std::string& token) {
  api::HttpRequest request;
  request.method = "GET";
  request.target = target;
  request.host = "127.0.0.1:7410";
  request.authorization = "Bearer " + token;
  return request;
}

TEST(MetricsToken, ReadsMetricsAndNothingElse) {
  api::ApiOptions options = quiet_options();
  options.metrics_token = "0123456789abcdef";
  ApiRig rig(small_cluster(), std::move(options));
  EXPECT_EQ(rig.send(bearing("/metrics", "0123456789abcdef")).status, 200u);
  EXPECT_EQ(rig.send(bearing("/metrics", "0123456789abcdee")).status, 401u);
  EXPECT_EQ(rig.send(bearing("/metrics", "")).status, 401u);
  for (const char* other : {"/v1/sessions", "/v1/operations", "/v1/keys", "/nothing"})
    EXPECT_EQ(rig.send(bearing(other, "0123456789abcdef")).status, 401u) << other;
}

TEST(MetricsToken, IsNothingWhereTheServerHasNone) {
  ApiRig rig;
  EXPECT_EQ(rig.send(bearing("/metrics", "")).status, 401u);
  EXPECT_EQ(rig.send(bearing("/metrics", "0123456789abcdef")).status, 401u);
}

// Whoever makes groups makes no series without end.
TEST(Metrics, GroupsBeyondTheBoundShareALabelAndAreCounted) {
  Events many = small_cluster();
  for (int i = 0; i < 1'000; ++i) {
    many.push_back(group_defined("group" + std::to_string(10'000 + i)));
    v1::Event session = session_requested("g" + std::to_string(i));
    session.mutable_session_requested()->mutable_spec()->set_group("group" + std::to_string(10'000 + i));
    many.push_back(std::move(session));
  }
  ApiRig rig(many);
  const std::string text = rig.ask({.target = "/metrics"}).body;
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 2'000);
  EXPECT_NE(text.find("berth_sessions{state=\"PENDING\",group=\"other\"} 901\n"), std::string::npos);
  EXPECT_NE(text.find("berth_metrics_left_out{what=\"groups\"} 901\n"), std::string::npos);
}

}  // namespace
}  // namespace berth::testing
