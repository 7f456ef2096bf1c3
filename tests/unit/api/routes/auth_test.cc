// No request without a credential; and whose it is decides what it sees.
#include <gtest/gtest.h>

#include "controller/api/auth/enrolment_token.h"
#include "controller/api/map/time_text.h"
#include "events/base/hash.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

constexpr const char* kNewSession =
    R"({"name": "demo", "image": "python:3.11", "resources": {"cpu": "1", "mem": "256m"}})";

TEST(Authentication, EveryRouteButTheOpenOnesWantsACredential) {
  ApiRig rig;
  for (const api::Route& route : rig.api.route_table().routes()) {
    api::HttpRequest request;
    request.method = route.method;
    request.target = route.pattern;
    const auto reply = rig.send(request);
    const std::string operation = route.operation;
    if (operation == "joinAgent" || operation == "collectProducerKey")
      EXPECT_EQ(ApiRig::code_of(reply), "missing-field");
    else if (route.askers.access == api::Route::kLogin || route.askers.access == api::Route::kPage)
      EXPECT_EQ(ApiRig::code_of(reply), "misdirected-request");
    else if (route.askers.access == api::Route::kOpen)
      EXPECT_EQ(reply.status, 200u) << route.pattern;
    else
      EXPECT_EQ(ApiRig::code_of(reply), "credential-missing") << route.pattern;
  }
}

TEST(Authentication, AnUnknownPathTellsStrangersNothing) {
  ApiRig rig;
  api::HttpRequest request;
  request.method = "GET";
  request.target = "/v1/nothing";
  EXPECT_EQ(rig.send(request).status, 401u);
}

TEST(Authentication, AWrongKeyIsRefused) {
  ApiRig rig;
  auto request = rig.request({.target = "/v1/whoami"});
  sign_request(request, "nobodys-key", "x");
  EXPECT_EQ(ApiRig::code_of(rig.send(request)), "unknown-key");
}

// Its state is still made of the log: what it lacks is not unknown.
TEST(Authentication, AServerThatCatchesUpCallsNoKeyUnknownAndShowsNothing) {
  ApiRig rig;
  rig.cell.catching_up = true;
  for (const char* key : {"admin-key", "alice-key"}) {
    const auto reply = rig.ask({.target = "/v1/sessions", .key = key});
    EXPECT_EQ(reply.status, 503u);
    EXPECT_EQ(ApiRig::code_of(reply), "not-ready");
    EXPECT_EQ(ApiRig::header_of(reply, "Retry-After"), "1");
  }
  api::HttpRequest open;
  open.method = "GET";
  open.target = "/livez";
  EXPECT_EQ(rig.send(open).status, 200u);
  rig.cell.catching_up = false;
  EXPECT_EQ(rig.ask({.target = "/v1/sessions"}).status, 200u);
}

TEST(Authentication, AWrongSecretIsRefusedWithAHint) {
  ApiRig rig;
  auto request = rig.request({.target = "/v1/whoami"});
  sign_request(request, "admin-key", "wrong");
  const auto reply = rig.send(request);
  EXPECT_EQ(reply.status, 401u);
  EXPECT_EQ(ApiRig::code_of(reply), "bad-signature");
  EXPECT_EQ(ApiRig::header_of(reply, "WWW-Authenticate"), "BERTH-HMAC-SHA256");
  EXPECT_TRUE(ApiRig::json_of(reply).as_object().contains("hint"));
}

TEST(Authentication, AChangedBodyTargetOrMethodIsRefused) {
  ApiRig rig;
  auto request = rig.request({.method = "POST", .target = "/v1/sessions", .body = kNewSession});
  request.body += " ";
  EXPECT_EQ(ApiRig::code_of(rig.send(request)), "body-hash-mismatch");
  request.body_hash = "";
  EXPECT_EQ(ApiRig::code_of(rig.send(request)), "bad-signature");
  request = rig.request({.target = "/v1/sessions"});
  request.target += "?state=all";
  EXPECT_EQ(ApiRig::code_of(rig.send(request)), "bad-signature");
  request = rig.request({.target = "/v1/sessions/demo"});
  request.method = "DELETE";
  EXPECT_EQ(ApiRig::code_of(rig.send(request)), "bad-signature");
}

TEST(Authentication, ADateIsGoodForFifteenMinutesEitherWay) {
  ApiRig rig;
  const auto at = [&](Duration away) {
    auto request = rig.request({.target = "/v1/whoami"});
    request.date = format_time(rig.cell.test_clock.now().wall + away);
    sign_request(request, "admin-key", secret_of("admin-key"));
    return ApiRig::code_of(rig.send(request));
  };
  EXPECT_EQ(at(15 * kMinute), "");
  EXPECT_EQ(at(-15 * kMinute), "");
  EXPECT_EQ(at(15 * kMinute + kSecond), "stale-date");
  EXPECT_EQ(at(-15 * kMinute - kSecond), "stale-date");
}

TEST(Authentication, AStaleDateIsToldTheServersTime) {
  ApiRig rig;
  auto request = rig.request({.target = "/v1/whoami"});
  rig.cell.test_clock.wall += kHour;
  const auto reply = rig.send(request);
  EXPECT_EQ(ApiRig::code_of(reply), "stale-date");
  EXPECT_NE(reply.body.find("2023-11-14T23:13:20Z"), std::string::npos);
}

TEST(Authentication, AMalformedDateHeaderOrVersionIsRefused) {
  ApiRig rig;
  for (const char* date :
       {"", "now", "2023-11-14T22:13:20", "2023-11-15T07:13:20+09:00", "20231114T221320Z"}) {
    auto request = rig.request({.target = "/v1/whoami"});
    request.date = date;
    EXPECT_EQ(ApiRig::code_of(rig.send(request)), "credential-malformed") << date;
  }
  auto request = rig.request({.target = "/v1/whoami"});
  request.version = "3";
  EXPECT_EQ(ApiRig::code_of(rig.send(request)), "credential-malformed");
  request = rig.request({.target = "/v1/whoami"});
  request.authorization = "Bearer x";
  EXPECT_EQ(ApiRig::code_of(rig.send(request)), "credential-malformed");
}

TEST(Authentication, TheFirstFormIsRefusedAndToldOfTheSecond) {
  ApiRig rig;
  auto request = rig.request({.target = "/v1/whoami"});
  request.version = "1";
  sign_request(request, "admin-key", secret_of("admin-key"));
  const auto reply = rig.send(request);
  EXPECT_EQ(reply.status, 401u);
  EXPECT_EQ(ApiRig::code_of(reply), "signature-outdated");
  EXPECT_NE(reply.body.find("X-Berth-Content-SHA256"), std::string::npos);
}

TEST(Authentication, AnEmptyBodyNeedsNoHash) {
  ApiRig rig;
  auto request = rig.request({.target = "/v1/whoami"});
  request.body_hash = "";
  EXPECT_EQ(rig.send(request).status, 200u);
}

TEST(Replay, AnIdempotencyKeyCannotBeExchanged) {
  ApiRig rig;
  auto request = rig.request(
      {.method = "POST", .target = "/v1/sessions", .body = kNewSession, .idempotency_key = "first"});
  for (const char* key : {"second", ""}) {
    request.idempotency_key = key;
    EXPECT_EQ(ApiRig::code_of(rig.send(request)), "bad-signature") << key;
  }
  EXPECT_EQ(rig.cell.submitted, 0);
}

TEST(Replay, AWriteWithoutAKeyMeetsItsFirstAnswerOnEveryServer) {
  ApiRig rig;
  const auto request =
      rig.request({.method = "POST",
                   .target = "/v1/sessions",
                   .body = R"({"image": "python:3.11", "resources": {"cpu": "1", "mem": "1g"}})"});
  const auto first = rig.send(request);
  EXPECT_EQ(first.status, 201u) << first.body;
  auto with_space = request;  // the same signature in other letters
  with_space.authorization = "BERTH-HMAC-SHA256   " + request.authorization.substr(18);
  for (const auto& replay : {request, with_space}) {
    const auto again = rig.send(replay);
    EXPECT_EQ(ApiRig::header_of(again, "Idempotency-Replayed"), "true");
    EXPECT_EQ(ApiRig::json_of(again).at("sessions"), ApiRig::json_of(first).at("sessions"));
  }

  api::Api other(rig.cell, quiet_options());
  other.start();
  std::promise<api::HttpReply> promise;
  other.handle(request, [&](api::HttpReply reply) { promise.set_value(std::move(reply)); });
  const auto elsewhere = promise.get_future().get();
  EXPECT_EQ(ApiRig::header_of(elsewhere, "Idempotency-Replayed"), "true");
  EXPECT_EQ(rig.cell.submitted, 1);
}

TEST(Authentication, AKeyThatWasSwitchedOffIsRefused) {
  ApiRig rig;
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/whoami", .key = "off-key"})), "key-inactive");
}

TEST(Authentication, AKeyIsRefusedFromItsExpiryOn) {
  ApiRig rig;
  v1::Event key = with_secret(key_pair_defined("short-key", "alice"), secret_of("short-key"));
  key.mutable_key_pair_defined()->set_expires_ns(rig.cell.test_clock.wall + kMinute);
  rig.cell.append({key});
  const auto whoami = [&] { return rig.ask({.target = "/v1/whoami", .key = "short-key"}); };
  EXPECT_EQ(whoami().status, 200u);
  rig.cell.test_clock.wall += kMinute;
  EXPECT_EQ(whoami().status, 401u);
  EXPECT_EQ(ApiRig::code_of(whoami()), "key-expired");
  EXPECT_EQ(
      ApiRig::json_of(whoami()).at("detail").as_string(),
      "this key pair was good until 2023-11-14T22:14:20Z, and the cluster's time is 2023-11-14T22:14:20Z");
}

TEST(Authentication, AReadOnlyKeyReadsAndChangesNothing) {
  ApiRig rig;
  v1::Event key = with_secret(key_pair_defined("look-key", "admin"), secret_of("look-key"));
  key.mutable_key_pair_defined()->set_read_only(true);
  rig.cell.append({key});
  EXPECT_EQ(rig.ask({.target = "/v1/sessions", .key = "look-key"}).status, 200u);
  for (const api::Route& route : rig.api.route_table().routes()) {
    if (std::string_view(route.method) == "GET" || route.askers.access < api::Route::kAnybody) continue;
    const auto reply = rig.ask({.method = route.method, .target = route.pattern, .key = "look-key"});
    if (const auto& need = route.askers.need;
        need && need->verb == projections::Verb::kSee) {  // an audit: a job that reads
      EXPECT_NE(ApiRig::code_of(reply), "key-read-only") << route.pattern;
      continue;
    }
    EXPECT_EQ(reply.status, 403u) << route.pattern;
    EXPECT_EQ(ApiRig::code_of(reply), "key-read-only") << route.pattern;
  }
  EXPECT_EQ(rig.cell.submitted, 0);
}

TEST(Authentication, ASecretThatWasSealedForAnotherKeyPairSignsNothing) {
  ApiRig rig;
  v1::Event key = with_secret(key_pair_defined("alice-key", "alice"), secret_of("moved-key"));
  key.mutable_key_pair_defined()->set_id("moved-key");
  rig.cell.append({key});
  const auto reply = rig.ask({.target = "/v1/whoami", .key = "moved-key"});
  EXPECT_EQ(reply.status, 500u);
  EXPECT_EQ(ApiRig::code_of(reply), "seal-broken");
}

TEST(Authentication, TheKeyFileSignsAsLongAsTheJournalHasNoSecret) {
  api::ApiOptions options = quiet_options();
  options.file_key = {"file-key", secret_of("file-key"), ""};
  ApiRig rig(small_cluster(), options);
  const auto role = [&] {
    const auto reply = ApiRig::json_of(rig.ask({.target = "/v1/whoami", .key = "file-key"}));
    return reply.as_object().contains("role") ? std::string(reply.at("role").as_string()) : "";
  };
  EXPECT_EQ(role(), "superadmin");
  rig.cell.append({key_pair_defined("file-key", "alice")});
  EXPECT_EQ(role(), "user") << "the journal says whose it is";
  rig.cell.append({with_secret(key_pair_defined("file-key", "alice"), "another")});
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/whoami", .key = "file-key"})), "bad-signature");
}

TEST(Authentication, TheJournalSaysWhoseAKeyIs) {
  ApiRig rig;
  const auto alice = ApiRig::json_of(rig.ask({.target = "/v1/whoami", .key = "alice-key"}));
  EXPECT_EQ(alice.at("user").as_string(), "alice");
  EXPECT_EQ(alice.at("role").as_string(), "user");
  const auto admin = ApiRig::json_of(rig.ask({.target = "/v1/whoami"}));
  EXPECT_EQ(admin.at("role").as_string(), "superadmin");
}

TEST(Ownership, OthersSessionsAreNotThere) {
  ApiRig rig;
  ASSERT_EQ(
      rig.ask({.method = "POST", .target = "/v1/sessions", .body = kNewSession, .key = "alice-key"}).status,
      201u);
  for (const std::string path : {"/v1/sessions/demo", "/v1/sessions/demo/why", "/v1/sessions/demo/logs"}) {
    EXPECT_EQ(ApiRig::code_of(rig.ask({.target = path, .key = "bob-key"})), "unknown-session") << path;
    EXPECT_NE(ApiRig::code_of(rig.ask({.target = path, .key = "alice-key"})), "unknown-session") << path;
    EXPECT_NE(ApiRig::code_of(rig.ask({.target = path})), "unknown-session") << path;
  }
  EXPECT_EQ(ApiRig::code_of(rig.ask({.method = "DELETE", .target = "/v1/sessions/demo", .key = "bob-key"})),
            "unknown-session");
  EXPECT_EQ(
      ApiRig::json_of(rig.ask({.target = "/v1/sessions", .key = "bob-key"})).at("sessions").as_array().size(),
      0u);
  EXPECT_EQ(ApiRig::json_of(rig.ask({.target = "/v1/sessions?user=alice", .key = "bob-key"}))
                .at("sessions")
                .as_array()
                .size(),
            0u);
  EXPECT_EQ(ApiRig::json_of(rig.ask({.target = "/v1/sessions"})).at("sessions").as_array().size(), 1u);
}

TEST(Ownership, OnlySuperadminsOperate) {
  ApiRig rig;
  for (const std::string path :
       {"/v1/agents/a1/fence", "/v1/agents/a1/drain", "/v1/agents/a1/undrain", "/v1/agents/a1/enroll",
        "/v1/agents/a1/token", "/v1/images", "/v1/images/x:1/build", "/v1/groups"})
    EXPECT_EQ(ApiRig::code_of(rig.ask({.method = "POST", .target = path, .key = "alice-key"})), "denied")
        << path;
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/journal", .key = "alice-key"})), "denied");
  EXPECT_EQ(rig.cell.submitted, 0);
}

class Joining : public ::testing::Test {
 protected:
  static ApiRig::Ask taking(const std::string& agent, const std::string& token, Timestamp expires) {
    return {.method = "POST",
            .target = "/v1/agents/" + agent + "/token",
            .body = R"({"token_hash": ")" + to_hex(as_view(api::hash_of_token(token))) +
                    R"(", "expires_at": ")" + format_time(expires) + R"("})"};
  }
  Timestamp in(Duration time) const { return rig.cell.test_clock.now().wall + time; }
  void open(const std::string& agent, const std::string& token) {
    const auto reply = rig.ask(taking(agent, token, in(15 * kMinute)));
    EXPECT_EQ(reply.status, 201u) << reply.body;
    EXPECT_EQ(reply.body.find("\"key\""), std::string::npos) << "the key is for who brings the token";
  }
  // By a machine without a key pair.
  api::HttpReply join(const std::string& agent, const std::string& token) {
    api::HttpRequest request;
    request.method = "POST";
    request.target = "/v1/agents/" + agent + "/join";
    request.content_type = "application/json";
    request.body = R"({"token": ")" + token + R"("})";
    request.body_bytes = request.body.size();
    return rig.send(request);
  }
  ApiRig rig;
};

TEST_F(Joining, ATokenIsExchangedForTheAgentsKeyOnce) {
  open("a7", "one");
  const auto joined = join("a7", "one");
  EXPECT_EQ(joined.status, 201u) << joined.body;
  EXPECT_EQ(ApiRig::json_of(joined).at("generation").as_int64(), 1);
  EXPECT_EQ(ApiRig::json_of(joined).at("key").as_string().size(), 64u);
  EXPECT_EQ(ApiRig::code_of(join("a7", "one")), "token-not-valid");
}

// A stranger's guess is not even asked of the journal.
TEST_F(Joining, ATokenIsGoodForItsAgentAndItsTimeAlone) {
  open("a7", "one");
  open("a8", "two");
  const auto asked = rig.cell.submitted.load();
  for (const char* wrong : {"", "two", "onf", "0"})
    EXPECT_EQ(ApiRig::code_of(join("a7", wrong)), "token-not-valid");
  EXPECT_EQ(ApiRig::code_of(join("a1", "one")), "token-not-valid");
  EXPECT_EQ(ApiRig::code_of(join("nobody", "one")), "token-not-valid");
  rig.cell.test_clock.wall += 15 * kMinute + kSecond;
  EXPECT_EQ(ApiRig::code_of(join("a7", "one")), "token-not-valid");
  const auto told = [&](const char* token) {
    return std::string(ApiRig::json_of(join("a7", token)).at("detail").as_string());
  };
  EXPECT_EQ(told("one"),
            "this token was good until 2023-11-14T22:28:20Z, and the cluster's time is 2023-11-14T22:28:21Z");
  EXPECT_EQ(told("two"), "no such token is open for this agent") << "only who has a token learns of its time";
  EXPECT_EQ(rig.cell.submitted, asked);
}

TEST_F(Joining, ANewTokenEndsTheOneBefore) {
  open("a7", "one");
  open("a7", "two");
  EXPECT_EQ(ApiRig::code_of(join("a7", "one")), "token-not-valid");
  EXPECT_EQ(ApiRig::json_of(join("a7", "two")).at("generation").as_int64(), 2);
}

TEST_F(Joining, ARepeatedRequestOpensTheTokenOnce) {
  const auto request = rig.request(taking("a7", "one", in(15 * kMinute)));
  EXPECT_EQ(rig.send(request).status, 201u);
  EXPECT_EQ(rig.send(request).status, 200u);
  EXPECT_EQ(join("a7", "one").status, 201u);
  EXPECT_EQ(rig.send(request).status, 200u);
  EXPECT_EQ(ApiRig::code_of(join("a7", "one")), "token-not-valid");
}

TEST_F(Joining, ATokenIsShortLived) {
  for (const Duration time : {Duration{0}, kHour + kSecond})
    EXPECT_EQ(ApiRig::code_of(rig.ask(taking("a7", "one", in(time)))), "invalid-value");
  EXPECT_EQ(ApiRig::code_of(rig.ask(
                {.method = "POST",
                 .target = "/v1/agents/a7/token",
                 .body = R"({"token_hash": "ab", "expires_at": ")" + format_time(in(kMinute)) + R"("})"})),
            "invalid-value");
  EXPECT_EQ(rig.cell.submitted, 0);
}

TEST_F(Joining, AStrangerSendsNoLargeBody) {
  EXPECT_EQ(ApiRig::code_of(join("a7", std::string(5'000, 'x'))), "body-too-large");
}

TEST(Ownership, AnOperatorMayEndAnybodysSession) {
  ApiRig rig;
  ASSERT_EQ(
      rig.ask({.method = "POST", .target = "/v1/sessions", .body = kNewSession, .key = "alice-key"}).status,
      201u);
  const auto reply = rig.ask({.method = "DELETE", .target = "/v1/sessions/demo"});
  EXPECT_EQ(reply.status, 200u) << reply.body;
  EXPECT_EQ(ApiRig::json_of(reply).at("session").at("status").as_string(), "CANCELLED");
}

TEST(RateLimit, AKeyThatSendsTooManyBytesIsToldToWait) {
  api::ApiOptions options = quiet_options();
  options.rate.bytes_per_second = options.rate.bytes_burst = 4'000;
  ApiRig rig(small_cluster(), options);
  const std::string large = R"({"name": ")" + std::string(5'000, 'x') + R"("})";
  EXPECT_EQ(rig.ask({.method = "POST", .target = "/v1/sessions", .body = large}).status, 400u);
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/whoami"})), "too-many-requests");
  EXPECT_EQ(rig.ask({.target = "/v1/whoami", .key = "alice-key"}).status, 200u);
  rig.cell.test_clock.wall += 2 * kSecond;
  EXPECT_EQ(rig.ask({.target = "/v1/whoami"}).status, 200u);
}

TEST(RateLimit, WhatIsAnsweredCountsToo) {
  api::ApiOptions options = quiet_options();
  options.rate.bytes_per_second = options.rate.bytes_burst = 1'000;
  ApiRig rig(small_cluster(), options);
  EXPECT_EQ(rig.ask({.target = "/v1/events"}).status, 200u);
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/whoami"})), "too-many-requests");
}

TEST(RateLimit, AKeyThatAsksTooOftenIsToldToWait) {
  api::ApiOptions options = quiet_options();
  options.rate = {10, 3};
  ApiRig rig(small_cluster(), options);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(rig.ask({.target = "/v1/whoami"}).status, 200u);
  const auto refused = rig.ask({.target = "/v1/whoami"});
  EXPECT_EQ(refused.status, 429u);
  EXPECT_EQ(ApiRig::header_of(refused, "Retry-After"), "1");
  EXPECT_EQ(rig.ask({.target = "/v1/whoami", .key = "alice-key"}).status, 200u);
  rig.cell.test_clock.wall += 100 * kMillisecond;
  EXPECT_EQ(rig.ask({.target = "/v1/whoami"}).status, 200u);
}

}  // namespace
}  // namespace berth::testing
