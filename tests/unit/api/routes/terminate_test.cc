// Many sessions ended by one request, and an answer for each.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

std::string id_text(const std::string& session) { return to_string(session_id(session)); }

api::HttpReply terminate(ApiRig& rig, const std::string& body, const std::string& key = "alice-key",
                         const std::string& idempotency_key = "") {
  return rig.ask({.method = "POST",
                  .target = "/v1/sessions/terminate",
                  .body = body,
                  .key = key,
                  .idempotency_key = idempotency_key});
}

std::string by_ids(const std::vector<std::string>& ids) {
  json::array list(ids.begin(), ids.end());
  return json::serialize(json::object{{"ids", list}});
}

// "ending ending unknown "
std::string outcomes(const api::HttpReply& reply) {
  EXPECT_EQ(reply.status, 200u) << reply.body;
  std::string out;
  const json::value body = ApiRig::json_of(reply);
  for (const auto& result : body.at("results").as_array())
    out += std::string(result.at("outcome").as_string()) + " ";
  return out;
}

TEST(TerminateSessions, AnswersForEachInTheOrderAskedFor) {
  ApiRig rig;
  rig.cell.append({session_requested("s1"), session_requested("s2"), session_requested("s3", Spec(), "bob")});
  rig.cell.append({session_cancelled("s2")});
  const std::string body = by_ids({id_text("s2"), id_text("s1"), id_text("s3"), id_text("nobody")});
  EXPECT_EQ(outcomes(terminate(rig, body)), "ended-already ending unknown unknown ");
  EXPECT_EQ(outcomes(terminate(rig, body)), "ended-already ended-already unknown unknown ");
}

TEST(TerminateSessions, IdsAreCountedByThemselves) {
  ApiRig rig;
  rig.cell.append({session_requested("s1")});
  const auto reply = terminate(rig, R"({"ids": [")" + id_text("s1") + R"("], "expected": 3})");
  EXPECT_EQ(reply.status, 400u) << reply.body;
  EXPECT_NE(reply.body.find("expected"), std::string::npos);
  EXPECT_EQ(rig.cell.submitted, 0);
}

TEST(TerminateSessions, WhyStandsInTheEvents) {
  ApiRig rig;
  rig.cell.append({session_requested("s1")});
  EXPECT_EQ(outcomes(terminate(rig, R"({"ids": [")" + id_text("s1") + R"("], "reason": "lunch"})")),
            "ending ");
  const auto reply = rig.send(rig.request({.target = "/v1/events"}));
  const auto events = ApiRig::json_of(reply).at("events").as_array();
  const auto& last = events.back().as_object();
  EXPECT_EQ(last.at("reason"), "lunch");
  EXPECT_NE(std::string(last.at("text").as_string()).find("user-requested (lunch)"), std::string::npos)
      << last.at("text");
  EXPECT_TRUE(events.front().as_object().at("reason").is_null());
}

TEST(TerminateSessions, AMonitorSeesAllAndEndsNone) {
  ApiRig rig;
  v1::Event monitor = user_defined("bob");
  monitor.mutable_user_defined()->set_role(v1::ROLE_MONITOR);
  rig.cell.append({monitor, session_requested("s1")});
  const auto reply = terminate(rig, by_ids({id_text("s1")}), "bob-key");
  EXPECT_EQ(reply.status, 403u) << reply.body;
  EXPECT_EQ(ApiRig::code_of(reply), "denied");
}

TEST(TerminateSessions, AThousandAndMoreEndInChunksAndARepeatGivesTheSameAnswer) {
  ApiRig rig;
  std::vector<std::string> ids;
  std::string expected;
  for (int chunk = 0; chunk < 13; ++chunk) {
    Events events;
    for (int i = 0; i < 100; ++i) {
      const std::string name = "s" + std::to_string(chunk) + "-" + std::to_string(i);
      events.push_back(session_requested(name));
      ids.push_back(id_text(name));
      expected += "ending ";
    }
    rig.cell.append(events);
  }
  const auto first = terminate(rig, by_ids(ids), "alice-key", "once");
  EXPECT_EQ(outcomes(first), expected);
  EXPECT_EQ(rig.cell.submitted, 3);
  const auto again = terminate(rig, by_ids(ids), "alice-key", "once");
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(ApiRig::header_of(again, "Idempotency-Replayed"), "true");
  EXPECT_EQ(rig.cell.submitted, 3);
}

TEST(TerminateSessions, TenThousandEndByOneCallAndOneMoreIsRefused) {
  ApiRig rig;
  std::vector<std::string> ids;
  for (int chunk = 0; chunk < 100; ++chunk) {
    Events events;
    for (int i = 0; i < 100; ++i) {
      const std::string name = "s" + std::to_string(chunk * 100 + i);
      events.push_back(session_requested(name));
      ids.push_back(id_text(name));
    }
    rig.cell.append(events);
  }
  std::vector<std::string> too_many = ids;
  too_many.push_back(id_text("one more"));
  EXPECT_EQ(terminate(rig, by_ids(too_many)).status, 400u);
  EXPECT_EQ(rig.cell.submitted, 0) << "none of them";
  const auto reply = terminate(rig, by_ids(ids), "alice-key", "once");
  EXPECT_EQ(reply.status, 200u);
  EXPECT_EQ(ApiRig::json_of(rig.ask({.target = "/v1/sessions?state=live"})).at("sessions").as_array().size(),
            0u);
}

TEST(TerminateSessions, AFilterEndsTheLiveOnesOfItsExpectedCountAlone) {
  ApiRig rig;
  rig.cell.append({session_requested("s1"), session_requested("s2"), session_requested("s3", Spec(), "bob")});
  const auto changed = terminate(rig, R"({"filter": {"state": "PENDING"}, "expected": 3})");
  EXPECT_EQ(changed.status, 409u);
  EXPECT_EQ(ApiRig::code_of(changed), "count-changed");
  EXPECT_NE(changed.body.find("has 2 live sessions"), std::string::npos) << changed.body;
  const std::string body = R"({"filter": {"state": "PENDING"}, "expected": 2})";
  const auto first = terminate(rig, body, "alice-key", "once");
  EXPECT_EQ(outcomes(first), "ending ending ");
  EXPECT_EQ(terminate(rig, body, "alice-key", "once").body, first.body);
  EXPECT_EQ(outcomes(terminate(rig, R"({"filter": {"user": "bob"}, "expected": 1})", "admin-key")),
            "ending ");
}

void add_waiting(ApiRig& rig, int from, int to) {
  for (int first = from; first < to; first += 100) {
    Events events;
    for (int i = first; i < std::min(first + 100, to); ++i)
      events.push_back(session_requested("s" + std::to_string(i)));
    rig.cell.append(events);
  }
}

TEST(TerminateSessions, AFilterThatWasBrokenOffGoesOnWithWhatItSelectedAndNoOthers) {
  ApiRig rig;
  add_waiting(rig, 0, 600);
  const std::string body = R"({"filter": {"state": "PENDING"}, "expected": 600})";
  rig.cell.on_submit = [&](const v1::Request& request) {
    if (request.terminate_sessions().from() != 500) return;
    rig.cell.log = FakeCell::Log::kFails;  // the third one, after the selection and the first part
  };
  EXPECT_EQ(ApiRig::code_of(terminate(rig, body, "alice-key", "once")), "log-unavailable");
  rig.cell.on_submit = [](const v1::Request&) {};
  rig.cell.log = FakeCell::Log::kAnswers;
  rig.cell.append({session_requested("late")});
  const auto reply = terminate(rig, body, "alice-key", "once");
  std::string expected;
  for (int i = 0; i < 600; ++i) expected += "ending ";
  EXPECT_EQ(outcomes(reply), expected);
  EXPECT_EQ(terminate(rig, body, "alice-key", "once").body, reply.body);
  const json::value live = ApiRig::json_of(rig.ask({.target = "/v1/sessions?state=live"}));
  ASSERT_EQ(live.at("sessions").as_array().size(), 1u);
  EXPECT_EQ(live.at("sessions").at(0).at("name"), "late");
}

TEST(TerminateSessions, TheSameKeyForAnotherFilterIsAConflict) {
  ApiRig rig;
  rig.cell.append({session_requested("s1")});
  const auto first =
      terminate(rig, R"({"filter": {"state": "PENDING"}, "expected": 1})", "alice-key", "once");
  EXPECT_EQ(outcomes(first), "ending ");
  rig.cell.append({session_requested("s2")});
  for (const std::string& other : {std::string(R"({"filter": {"state": "PENDING"}, "expected": 2})"),
                                   std::string(R"({"filter": {}, "expected": 1})"), by_ids({id_text("s2")})})
    EXPECT_EQ(ApiRig::code_of(terminate(rig, other, "alice-key", "once")), "idempotency-conflict");
}

TEST(TerminateSessions, RefusesWhatItCannotMean) {
  ApiRig rig;
  const auto code = [&](const std::string& body) { return ApiRig::code_of(terminate(rig, body)); };
  EXPECT_EQ(code("{}"), "invalid-value");
  EXPECT_EQ(code(R"({"ids": [], "filter": {}, "expected": 0})"), "invalid-value");
  EXPECT_EQ(code(R"({"ids": ["s1"]})"), "invalid-value");
  EXPECT_EQ(code(R"({"filter": {}})"), "missing-field");
  EXPECT_EQ(code(R"({"filter": {"states": "live"}, "expected": 0})"), "unknown-field");
  EXPECT_EQ(code(R"({"filter": {"state": "WALKING"}, "expected": 0})"), "invalid-parameter");
  EXPECT_EQ(code(by_ids(std::vector<std::string>(10'001, id_text("s1")))), "invalid-value");
  EXPECT_EQ(outcomes(terminate(rig, R"({"ids": []})")), "");
  EXPECT_EQ(rig.cell.submitted, 0);
}

TEST(TerminateSessions, SaysSoWhereTheLogIsAway) {
  ApiRig rig;
  rig.cell.append({session_requested("s1")});
  rig.cell.log = FakeCell::Log::kFails;
  EXPECT_EQ(ApiRig::code_of(terminate(rig, by_ids({id_text("s1")}))), "log-unavailable");
}

}  // namespace
}  // namespace berth::testing
