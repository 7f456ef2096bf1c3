// Sessions over the API: asked for, listed, ended; repeats, conflicts and logs that do not answer.
#include <gtest/gtest.h>

#include "controller/api/map/time_text.h"
#include "tests/support/spec.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

constexpr const char* kThree =
    R"({"name": "demo", "image": "python:3.11", "count": 3, "resources": {"cpu": "0.5", "mem": "256m", "cuda.shares": "1"}})";
constexpr const char* kOne =
    R"({"name": "one", "image": "python:3.11", "resources": {"cpu": "1", "mem": "256m"}})";

api::ApiOptions impatient() {
  api::ApiOptions options = quiet_options();
  options.asker.answer = std::chrono::milliseconds(50);
  return options;
}

TEST(CreateSessions, AnswersAllOfThemAndTheirPosition) {
  ApiRig rig;
  const auto reply = rig.ask({.method = "POST", .target = "/v1/sessions", .body = kThree});
  ASSERT_EQ(reply.status, 201u) << reply.body;
  const auto json = ApiRig::json_of(reply);
  ASSERT_EQ(json.at("sessions").as_array().size(), 3u);
  EXPECT_EQ(json.at("sessions").at(2).at("name").as_string(), "demo-3");
  EXPECT_EQ(json.at("sessions").at(0).at("status").as_string(), "PENDING");
  EXPECT_TRUE(json.at("sessions").at(1).at("queue_position").is_null()) << "costs a walk over all that wait";
  EXPECT_EQ(json.at("position").to_number<Offset>(), rig.cell.position());
}

// alice is in `default` and `vision`, in this order; `other` is of people whom she does not know.
Events with_projects() {
  v1::Event alice = user_defined("alice");
  alice.mutable_user_defined()->add_projects("vision");
  return small_cluster() +
         Events{project_defined("default", "vision"), project_defined("default", "other"), alice};
}

// Of the session that alice asks for in that project (JSON, or "" for none); or the problem's code.
std::string project_of_a_session(ApiRig& rig, const std::string& project,
                                 const std::string& key = "alice-key") {
  const std::string body = R"({"resources": {"cpu": "0.1", "mem": "256m"}, "image": "python:3.11")" +
                           (project.empty() ? "" : R"(, "project": )" + project) + "}";
  const auto reply = rig.ask({.method = "POST", .target = "/v1/sessions", .body = body, .key = key});
  if (reply.status != 201) return ApiRig::code_of(reply);
  return std::string(ApiRig::json_of(reply).at("sessions").at(0).at("owner").at("project").as_string());
}

TEST(CreateSessions, AUserOfSeveralProjectsChoosesOneAndElseGetsTheFirst) {
  ApiRig rig(with_projects());
  EXPECT_EQ(project_of_a_session(rig, R"("vision")"), "vision");
  EXPECT_EQ(project_of_a_session(rig, R"("default")"), "default");
  EXPECT_EQ(project_of_a_session(rig, ""), "default") << "the one that whoami names";
  EXPECT_EQ(project_of_a_session(rig, "", "bob-key"), "default") << "his only one";
  EXPECT_EQ(project_of_a_session(rig, R"("other")", "admin-key"), "other") << "a superadmin in any";
}

TEST(CreateSessions, AProjectThatIsNotTheUsersIsAsUnknownAsOneThatDoesNotExist) {
  ApiRig rig(with_projects());
  const auto refusal = [&rig](const std::string& body) {
    const auto reply = rig.ask({.method = "POST",
                                .target = "/v1/sessions",
                                .body = R"({"resources": {"cpu": "0.1", "mem": "256m"}, )" + body + "}",
                                .key = "alice-key"});
    EXPECT_EQ(reply.status, 404u) << reply.body;
    EXPECT_EQ(ApiRig::code_of(reply), "unknown-project");
    return std::string(ApiRig::json_of(reply).at("detail").as_string());
  };
  EXPECT_EQ(refusal(R"("project": "other")"), "you are in no project 'default/other'");
  EXPECT_EQ(refusal(R"("project": "never")"), "you are in no project 'default/never'");
  EXPECT_EQ(refusal(R"("domain": "d2")"), "you are in no project 'd2/default'");
  v1::Event nowhere = user_defined("alice");
  nowhere.mutable_user_defined()->clear_projects();
  rig.cell.append({nowhere});
  EXPECT_EQ(refusal(R"("name": "x")"), "you are in no project 'default/default'");
}

TEST(CreateSessions, ARepeatGetsTheFirstAnswerAndChangesNothing) {
  ApiRig rig;
  const ApiRig::Ask ask{
      .method = "POST", .target = "/v1/sessions", .body = kThree, .idempotency_key = "my key 1"};
  EXPECT_EQ(ApiRig::code_of(rig.ask(ask)), "invalid-value");  // a blank in it
  ApiRig::Ask good = ask;
  good.idempotency_key = "my-key-1";
  const auto first = rig.ask(good);
  ASSERT_EQ(first.status, 201u) << first.body;
  const Offset position = rig.cell.position();
  rig.cell.test_clock.wall += kMinute;
  const auto again = rig.ask(good);
  EXPECT_EQ(again.status, 200u);
  EXPECT_EQ(ApiRig::header_of(again, "Idempotency-Replayed"), "true");
  EXPECT_EQ(ApiRig::header_of(again, "X-Request-Id"), ApiRig::header_of(first, "X-Request-Id"));
  EXPECT_EQ(ApiRig::json_of(again).at("sessions").at(0).at("id"),
            ApiRig::json_of(first).at("sessions").at(0).at("id"));
  EXPECT_EQ(rig.cell.position(), position);
}

TEST(CreateSessions, TheSameKeyForSomethingElseIsAConflict) {
  ApiRig rig;
  ASSERT_EQ(
      rig.ask({.method = "POST", .target = "/v1/sessions", .body = kThree, .idempotency_key = "k"}).status,
      201u);
  const auto reply =
      rig.ask({.method = "POST", .target = "/v1/sessions", .body = kOne, .idempotency_key = "k"});
  EXPECT_EQ(reply.status, 409u);
  EXPECT_EQ(ApiRig::code_of(reply), "idempotency-conflict");
}

TEST(CreateSessions, TheSameKeyOfAnotherUserIsAnotherKey) {
  ApiRig rig;
  ASSERT_EQ(rig.ask({.method = "POST",
                     .target = "/v1/sessions",
                     .body = kThree,
                     .key = "alice-key",
                     .idempotency_key = "k"})
                .status,
            201u);
  EXPECT_EQ(rig.ask({.method = "POST",
                     .target = "/v1/sessions",
                     .body = kOne,
                     .key = "bob-key",
                     .idempotency_key = "k"})
                .status,
            201u);
}

TEST(CreateSessions, AUuidAsKeyIsTheRequestsIdInTheJournal) {
  ApiRig rig;
  const std::string id = to_string(id_of("mine"));
  const auto reply =
      rig.ask({.method = "POST", .target = "/v1/sessions", .body = kOne, .idempotency_key = id});
  EXPECT_EQ(ApiRig::header_of(reply, "X-Request-Id"), id);
  EXPECT_EQ(ApiRig::json_of(reply).at("sessions").at(0).at("request_id").as_string(), id);
}

TEST(CreateSessions, ARefusalHasItsCodeStatusHintAndPosition) {
  ApiRig rig;
  struct Case {
    const char* body;
    const char* code;
    unsigned status;
  };
  ASSERT_EQ(rig.ask({.method = "POST", .target = "/v1/sessions", .body = kOne}).status, 201u);
  for (const Case& c :
       {Case{kOne, "name-in-use", 409},
        Case{R"({"image": "perl:5", "resources": {"cpu": "1", "mem": "1g"}})", "unknown-image", 400},
        Case{R"({"group": "nowhere", "resources": {"cpu": "1", "mem": "1g"}})", "unknown-group", 400},
        Case{R"({"resources": {"cpu": "1"}})", "invalid-amount", 400},
        Case{R"({"resources": {"cpu": "1", "mem": "1g", "cuda.shares": "0.005"}})", "invalid-amount", 400}}) {
    const auto reply = rig.ask({.method = "POST", .target = "/v1/sessions", .body = c.body});
    EXPECT_EQ(reply.status, c.status) << c.body;
    ASSERT_EQ(ApiRig::code_of(reply), c.code) << reply.body;
    const auto json = ApiRig::json_of(reply);
    EXPECT_EQ(json.at("position").to_number<Offset>(), rig.cell.position());
    EXPECT_FALSE(json.at("request_id").as_string().empty());
    EXPECT_TRUE(json.as_object().contains("hint")) << reply.body;
  }
}

TEST(CreateSessions, AnAmountOffTheQuantumNamesTheNearestBelowAndAbove) {
  ApiRig rig;
  const auto reply = rig.ask({.method = "POST",
                              .target = "/v1/sessions",
                              .body = R"({"resources": {"cpu": "1", "mem": "1g", "cuda.shares": "0.255"}})"});
  EXPECT_EQ(ApiRig::json_of(reply).at("hint").as_string(), "nearest below 0.25, nearest above 0.26");
}

TEST(CreateSessions, BadFormNeverReachesTheLog) {
  ApiRig rig;
  for (const char* body : {"{", "[]", R"({"resources": {"cpu": "-1"}})", R"({"nonsense": 1})"})
    EXPECT_EQ(rig.ask({.method = "POST", .target = "/v1/sessions", .body = body}).status, 400u) << body;
  auto request = rig.request({.method = "POST", .target = "/v1/sessions", .body = kOne});
  request.content_type = "text/plain";
  sign_request(request, "admin-key", secret_of("admin-key"));
  EXPECT_EQ(ApiRig::code_of(rig.send(request)), "unsupported-media-type");
  EXPECT_EQ(rig.cell.submitted, 0);
}

TEST(CreateSessions, AFullControllerSaysWhenToComeBack) {
  ApiRig rig;
  rig.cell.log = FakeCell::Log::kFull;
  const auto reply = rig.ask({.method = "POST", .target = "/v1/sessions", .body = kOne});
  EXPECT_EQ(reply.status, 503u);
  EXPECT_EQ(ApiRig::code_of(reply), "controller-full");
  EXPECT_EQ(ApiRig::header_of(reply, "Retry-After"), "1");
}

TEST(CreateSessions, ALogThatFailsIsUnavailable) {
  ApiRig rig;
  rig.cell.log = FakeCell::Log::kFails;
  const auto reply = rig.ask({.method = "POST", .target = "/v1/sessions", .body = kOne});
  EXPECT_EQ(reply.status, 503u);
  EXPECT_EQ(ApiRig::code_of(reply), "log-unavailable");
}

TEST(CreateSessions, AnUnknownOutcomeSaysSoAndTheSameKeyFindsOut) {
  ApiRig rig(small_cluster(), impatient());
  rig.cell.log = FakeCell::Log::kUnknown;
  const auto lost =
      rig.ask({.method = "POST", .target = "/v1/sessions", .body = kOne, .idempotency_key = "k"});
  EXPECT_EQ(lost.status, 504u);
  EXPECT_EQ(ApiRig::code_of(lost), "outcome-unknown");
  EXPECT_NE(lost.body.find("same Idempotency-Key"), std::string::npos);
  rig.cell.log = FakeCell::Log::kAnswers;
  EXPECT_EQ(
      rig.ask({.method = "POST", .target = "/v1/sessions", .body = kOne, .idempotency_key = "k"}).status,
      201u);
  EXPECT_EQ(
      rig.ask({.method = "POST", .target = "/v1/sessions", .body = kOne, .idempotency_key = "k"}).status,
      200u);
}

TEST(CreateSessions, AJournalThatDoesNotAnswerIsAnUnknownOutcome) {
  ApiRig rig(small_cluster(), impatient());
  rig.cell.log = FakeCell::Log::kSilent;
  EXPECT_EQ(ApiRig::code_of(rig.ask({.method = "POST", .target = "/v1/sessions", .body = kOne})),
            "outcome-unknown");
}

TEST(GetSession, FindsByIdAndByName) {
  ApiRig rig;
  const auto made = ApiRig::json_of(rig.ask({.method = "POST", .target = "/v1/sessions", .body = kOne}));
  const std::string id(made.at("sessions").at(0).at("id").as_string());
  EXPECT_EQ(ApiRig::json_of(rig.ask({.target = "/v1/sessions/one"})).at("id").as_string(), id);
  EXPECT_EQ(ApiRig::json_of(rig.ask({.target = "/v1/sessions/" + id})).at("name").as_string(), "one");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions/two"})), "unknown-session");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions/" + to_string(id_of("x"))})), "unknown-session");
}

TEST(GetSession, FindsAPastOneInTheHistoryForItsOwnerAlone) {
  ApiRig rig(small_cluster() + Events{session_requested("old"), session_cancelled("old")});
  rig.cell.with_state([&](const controller::StateView& view) {
    projections::HistoryEntry entry{*view.state.sessions.find(session_id("old")), {}};
    entry.session.id = session_id("older");
    entry.session.name = "older";
    rig.cell.keep(entry);
  });
  for (const std::string& name : {to_string(session_id("older")), std::string("older")}) {
    const std::string path = "/v1/sessions/" + name;
    EXPECT_EQ(ApiRig::json_of(rig.ask({.target = path, .key = "alice-key"})).at("status").as_string(),
              "CANCELLED");
    EXPECT_EQ(rig.ask({.target = path}).status, 200u);
    EXPECT_EQ(ApiRig::code_of(rig.ask({.target = path, .key = "bob-key"})), "unknown-session");
    EXPECT_EQ(ApiRig::json_of(rig.ask({.target = path + "/why", .key = "alice-key"})).at("code"), nullptr);
    EXPECT_EQ(rig.ask({.target = "/v1/events?session=" + name}).status, 200u);
  }
}

// A server that stood still, or is behind: what was acknowledged elsewhere is not in its state yet.
TEST(DeleteSession, AnIdThatThisServerHasNotReadYetIsForTheLogToSay) {
  ApiRig rig(small_cluster());
  const std::string path = "/v1/sessions/" + to_string(session_id("late"));
  EXPECT_EQ(ApiRig::code_of(rig.ask({.method = "DELETE", .target = path, .key = "alice-key"})),
            "unknown-session");
  bool appended = false;
  rig.cell.on_submit = [&](const v1::Request&) {
    if (!std::exchange(appended, true)) rig.cell.append({session_requested("late")});
  };
  const auto reply = rig.ask({.method = "DELETE", .target = path, .key = "alice-key"});
  EXPECT_EQ(reply.status, 200u) << reply.body;
}

// Keeps a session of alice's in history, which ended so long after the test's start.
void keep(ApiRig& rig, const std::string& name, Duration ended, bool batch = false) {
  rig.cell.with_state([&](const controller::StateView& view) {
    projections::HistoryEntry entry{*view.state.sessions.find(session_id(batch ? "batch" : "old")), {}};
    entry.session.id = session_id(name);
    entry.session.name = name;
    entry.session.status = projections::SessionStatus::kTerminated;
    entry.session.result = batch ? projections::SessionResult::kSuccess : projections::SessionResult::kNone;
    entry.session.ended_at = kTestStart + ended;
    rig.cell.keep(entry);
  });
}

std::string names_of(ApiRig& rig, const std::string& query) {
  std::string names, token;
  do {
    const auto page = ApiRig::json_of(
        rig.ask({.target = "/v1/sessions" + query + (token.empty() ? "" : "&page_token=" + token),
                 .key = "alice-key"}));
    for (const auto& session : page.at("sessions").as_array())
      names += std::string(session.at("name").as_string()) + " ";
    token = page.at("next_page_token").is_null() ? "" : std::string(page.at("next_page_token").as_string());
  } while (!token.empty());
  return names;
}

TEST(ListSessions, ReachesThroughHistoryNewestFirstBehindTheLiveOnes) {
  ApiRig rig(small_cluster() + Events{session_requested("old"), session_cancelled("old"),
                                      session_requested("one"), session_requested("two")});
  for (int i = 1; i <= 5; ++i) keep(rig, "past-" + std::to_string(i), -kHour + i * kMinute);
  for (const char* limit : {"1", "2", "3", "100"})
    EXPECT_EQ(names_of(rig, std::string("?state=all&limit=") + limit),
              "one two old past-5 past-4 past-3 past-2 past-1 ")
        << limit;
  EXPECT_EQ(names_of(rig, "?state=ended&limit=2"), "old past-5 past-4 past-3 past-2 past-1 ");
  EXPECT_EQ(names_of(rig, "?state=ended&name=past-2"), "past-2 ");
  EXPECT_EQ(names_of(rig, "?limit=100"), "one two ");
  const std::string since = format_time(kTestStart - kHour + 4 * kMinute);
  EXPECT_EQ(names_of(rig, "?state=ended&since=" + since), "old past-5 past-4 ");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions?since=now"})), "invalid-parameter");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions?page_token=ended:zz"})), "invalid-page-token");
}

TEST(CreateSessions, ADependencyByNameIsTheNewestThatEndedAndItIsSaidWhich) {
  ApiRig rig(small_cluster() +
             Events{session_requested("batch", Spec().batch()), session_cancelled("batch")});
  keep(rig, "prep", -kHour, true);
  const auto reply = rig.ask({.method = "POST",
                              .target = "/v1/sessions",
                              .body = R"({"name": "next", "type": "batch",
      "command": ["true"], "resources": {"cpu": "1", "mem": "1g"}, "depends_on": ["prep"]})",
                              .key = "alice-key"});
  ASSERT_EQ(reply.status, 201u) << reply.body;
  const auto json = ApiRig::json_of(reply);
  EXPECT_EQ(json.at("dependencies").at(0).at("session").as_string(), to_string(session_id("prep")));
  EXPECT_EQ(json.at("dependencies").at(0).at("result").as_string(), "SUCCESS");
  EXPECT_EQ(json.at("sessions").at(0).at("depends_on").at(0).as_string(), to_string(session_id("prep")));
}

TEST(ListSessions, PagesThroughAll) {
  ApiRig rig;
  ASSERT_EQ(rig.ask({.method = "POST", .target = "/v1/sessions", .body = kThree}).status, 201u);
  std::string names, token;
  do {
    const auto page = ApiRig::json_of(
        rig.ask({.target = "/v1/sessions?limit=2" + (token.empty() ? "" : "&page_token=" + token)}));
    for (const auto& session : page.at("sessions").as_array())
      names += std::string(session.at("name").as_string()) + " ";
    token = page.at("next_page_token").is_null() ? "" : std::string(page.at("next_page_token").as_string());
  } while (!token.empty());
  EXPECT_EQ(names, "demo-1 demo-2 demo-3 ");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions?page_token=x"})), "invalid-page-token");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions?colour=red"})), "unknown-parameter");
}

TEST(DeleteSession, EndsItOnceAndSaysSoTheSecondTime) {
  ApiRig rig;
  ASSERT_EQ(rig.ask({.method = "POST", .target = "/v1/sessions", .body = kOne}).status, 201u);
  const auto reply = rig.ask({.method = "DELETE", .target = "/v1/sessions/one"});
  EXPECT_EQ(reply.status, 200u) << reply.body;
  EXPECT_EQ(ApiRig::json_of(reply).at("session").at("status").as_string(), "CANCELLED");
  EXPECT_EQ(rig.ask({.method = "DELETE", .target = "/v1/sessions/one"}).status, 409u);
  EXPECT_EQ(rig.ask({.method = "DELETE", .target = "/v1/sessions/nothing"}).status, 404u);
  EXPECT_EQ(ApiRig::code_of(rig.ask({.method = "DELETE", .target = "/v1/sessions/one?force=1"})),
            "unknown-parameter");
}

TEST(ReadYourWrites, AGetWaitsForThePosition) {
  ApiRig rig;
  const Offset next = rig.cell.position() + 1;
  auto waiting = rig.send_later(
      rig.request({.target = "/v1/sessions?min_position=" + std::to_string(next) + "&wait=20s"}));
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  rig.cell.append({session_requested("s1")});
  ASSERT_EQ(waiting.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  const auto reply = waiting.get();
  EXPECT_EQ(ApiRig::json_of(reply).at("sessions").as_array().size(), 1u);
  EXPECT_EQ(ApiRig::header_of(reply, "X-Berth-Position"), std::to_string(next));
}

TEST(ReadYourWrites, GivesUpInTime) {
  ApiRig rig;
  const auto reply = rig.ask({.target = "/v1/sessions?min_position=999999&wait=10ms"});
  EXPECT_EQ(reply.status, 504u);
  EXPECT_EQ(ApiRig::code_of(reply), "position-not-reached");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions?min_position=x"})), "invalid-parameter");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions?wait=1h"})), "invalid-parameter");
}

TEST(ReadYourWrites, APositionThatNobodyWroteYetIsNoFaultOfTheServer) {
  ApiRig rig;
  rig.cell.log_end = rig.cell.position() + 1;
  const auto ask = [&](Offset position) {
    return rig.ask({.target = "/v1/sessions?min_position=" + std::to_string(position) + "&wait=10ms"});
  };
  EXPECT_EQ(ask(*rig.cell.log_end).status, 412u);
  EXPECT_EQ(ApiRig::code_of(ask(*rig.cell.log_end)), "position-not-reached");
  rig.cell.log_end = *rig.cell.log_end + 1;  // it is there, and this server has not read it
  EXPECT_EQ(ask(rig.cell.position() + 1).status, 504u);
}

TEST(ReadYourWrites, AnAbsurdPositionIsTheAskersMistakeAtOnce) {
  ApiRig rig;
  const auto began = std::chrono::steady_clock::now();
  const auto reply = rig.ask({.target = "/v1/sessions?min_position=9223372036854775807&wait=30s"});
  EXPECT_EQ(reply.status, 400u);
  EXPECT_EQ(ApiRig::code_of(reply), "invalid-parameter");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

TEST(Why, NamesWhatLacksAndWhoHoldsIt) {
  ApiRig rig(small_cluster() + Events{session_requested("s1")});
  rig.cell.explanation.code = "no-device";
  rig.cell.explanation.slot = "cuda.shares";
  rig.cell.explanation.lacking = {{"cuda.shares", kUnit, kUnit / 2, "a1/gpu0"}};
  rig.cell.explanation.holders = {
      {session_id("s0"), "demo-1", "alice", "a1", "gpu0", "cuda.shares", kUnit + kUnit / 2}};
  const auto json = ApiRig::json_of(rig.ask({.target = "/v1/sessions/s1/why"}));
  EXPECT_EQ(json.at("name").as_string(), "s1");
  EXPECT_EQ(
      json.at("lacking").at(0),
      boost::json::parse(R"({"slot": "cuda.shares", "asked": "1", "best_free": "0.5", "where": "a1/gpu0"})"));
  EXPECT_EQ(json.at("holders").at(0).at("amount").as_string(), "1.5");
  EXPECT_EQ(json.at("blocked_by"), nullptr);
}

TEST(CreateSessions, WarnsOfWhatNoAgentCouldEverHold) {
  ApiRig rig;
  const auto plain = rig.ask(
      {.method = "POST", .target = "/v1/sessions", .body = R"({"resources": {"cpu": "1", "mem": "1g"}})"});
  EXPECT_TRUE(ApiRig::json_of(plain).at("warnings").as_array().empty()) << plain.body;
  rig.cell.never = "no agent can ever hold 64 cpu";
  const auto warned = rig.ask(
      {.method = "POST", .target = "/v1/sessions", .body = R"({"resources": {"cpu": "64", "mem": "1g"}})"});
  EXPECT_EQ(warned.status, 201u) << warned.body;
  EXPECT_EQ(ApiRig::json_of(warned).at("warnings"),
            boost::json::parse(R"(["no agent can ever hold 64 cpu"])"));
}

TEST(DryRun, SaysWhatWouldBeAndAppendsNothing) {
  ApiRig rig;
  rig.cell.dry_run_answer.sessions = {
      {"x-1", true, {{"main1", "a1", {{"gpu0", "cuda.shares", kUnit / 2}}}}, {}, 0},
      {"x-2", false, {}, {}, 0}};
  rig.cell.dry_run_answer.why.emplace().code = "no-device";
  rig.cell.dry_run_answer.waiting = "x-2";
  const std::string body =
      R"({"name": "x", "count": 2, "resources": {"cpu": "1", "mem": "1g", "cuda.shares": "0.5"}})";
  const auto reply = rig.ask({.method = "POST", .target = "/v1/sessions?dry_run=true", .body = body});
  EXPECT_EQ(reply.status, 200u) << reply.body;
  const auto json = ApiRig::json_of(reply);
  EXPECT_EQ(json.at("starting_now").as_int64(), 1);
  EXPECT_EQ(json.at("sessions").at(0).at("kernels"), boost::json::parse(R"([{"kernel": "main1", "agent": "a1",
                                    "devices": [{"device": "gpu0", "slot": "cuda.shares", "amount": "0.5"}]}])"));
  EXPECT_EQ(json.at("sessions").at(1).at("starts_now"), false);
  EXPECT_EQ(json.at("waiting").at("code").as_string(), "no-device");
  EXPECT_EQ(rig.cell.last_dry_run.request_session().name(), "x");
  EXPECT_EQ(rig.cell.last_dry_run.owner().user(), "admin");
  EXPECT_EQ(rig.cell.submitted, 0);
}

TEST(EstimatedStart, IsAskedForAndTellsHowOftenItCameTrue) {
  ApiRig rig(small_cluster() + Events{session_requested("s1")});
  rig.cell.start = controller::StartEstimate{
      {{50, Timestamp{90 * kSecond}, 4, 500, ""}, {90, std::nullopt, 0, 0, "bound"}}};
  EXPECT_FALSE(
      ApiRig::json_of(rig.ask({.target = "/v1/sessions/s1"})).as_object().contains("estimated_start"));
  const auto json = ApiRig::json_of(rig.ask({.target = "/v1/sessions/s1?estimate=true"}));
  EXPECT_EQ(json.at("estimated_start"),
            boost::json::parse(
                R"({"p50": {"at": "1970-01-01T00:01:30Z", "none": null, "told": 4, "met_permille": 500},
                                   "p90": {"at": null, "none": "bound", "told": 0, "met_permille": 0}})"));
  rig.cell.explanation.start = rig.cell.start;
  EXPECT_EQ(ApiRig::json_of(rig.ask({.target = "/v1/sessions/s1/why"})).at("estimated_start"),
            json.at("estimated_start"));
}

TEST(Scenario, IsForSuperadminsAndOfOneGroupOrAll) {
  ApiRig rig(small_cluster() + Events{session_requested("s1")});
  const auto reply = rig.ask({.target = "/v1/scenario?group=default"});
  EXPECT_EQ(reply.status, 200u) << reply.body;
  EXPECT_EQ(ApiRig::json_of(reply).at("scenario").at("sessions").at(0).at("id").as_string(), "s1");
  EXPECT_EQ(ApiRig::header_of(reply, "X-Berth-Position"), std::to_string(rig.cell.position()));
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/scenario", .key = "alice-key"})), "denied");
  EXPECT_EQ(rig.ask({.target = "/v1/scenario?group=nowhere"}).status, 404u);
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/scenario?groups=x"})), "unknown-parameter");
}

TEST(DryRun, IsRefusedAsTheRequestWouldBe) {
  ApiRig rig;
  rig.cell.dry_run_answer.refusal = Refusal{"name-in-use", "taken", "another one"};
  const std::string body = R"({"name": "x", "resources": {"cpu": "1", "mem": "1g"}})";
  const auto reply = rig.ask({.method = "POST", .target = "/v1/sessions?dry_run=1", .body = body});
  EXPECT_EQ(reply.status, 409u);
  EXPECT_EQ(ApiRig::code_of(reply), "name-in-use");
  EXPECT_EQ(
      ApiRig::code_of(rig.ask({.method = "POST", .target = "/v1/sessions?dry_run=maybe", .body = body})),
      "invalid-parameter");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.method = "POST", .target = "/v1/sessions?dry=1", .body = body})),
            "unknown-parameter");
  EXPECT_EQ(ApiRig::code_of(
                rig.ask({.method = "POST", .target = "/v1/sessions?dry_run=1", .body = R"({"cpus": 1})"})),
            "missing-field");
  EXPECT_EQ(rig.cell.submitted, 0);
  EXPECT_EQ(rig.ask({.method = "POST", .target = "/v1/sessions?dry_run=false", .body = body}).status, 201u);
}

TEST(Logs, AreFetchedFromTheKernelsAgent) {
  ApiRig rig(small_cluster() + Events{session_requested("s1"), session_scheduled("s1", "a1")});
  rig.cell.log_page = {5, 10, true, std::string("a\0b\xff\n", 5)};
  const auto reply = rig.ask({.target = "/v1/sessions/s1/logs?offset=5&limit=100"});
  EXPECT_EQ(reply.status, 200u) << reply.body;
  EXPECT_EQ(reply.body, std::string("a\0b\xff\n", 5));
  EXPECT_EQ(ApiRig::header_of(reply, "X-Berth-Log-Next"), "10");
  EXPECT_EQ(ApiRig::header_of(reply, "X-Berth-Log-End"), "true");
  EXPECT_EQ(rig.cell.last_log_request.agent, "a1");
  EXPECT_EQ(rig.cell.last_log_request.kernel, kernel_id(kernel_name("s1")));
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions/s1/logs?kernel=main2"})), "unknown-kernel");
}

TEST(Logs, OfASessionThatNeverStartedSayHowItEnded) {
  ApiRig rig(small_cluster() + Events{session_requested("s1")});
  EXPECT_NE(rig.ask({.target = "/v1/sessions/s1/logs"}).body.find("it is not placed yet"), std::string::npos);
  rig.cell.append({session_cancelled("s1", "pending-timeout")});
  const auto reply = rig.ask({.target = "/v1/sessions/s1/logs"});
  EXPECT_EQ(reply.status, 404u);
  EXPECT_NE(reply.body.find("session s1 was cancelled before it started (pending-timeout)"),
            std::string::npos)
      << reply.body;
}

TEST(Logs, OfAnEndedKernelThatWroteNothingAreEmpty) {
  ApiRig rig(small_cluster() + Events{session_requested("s1"), session_scheduled("s1", "a1")});
  rig.cell.log_error = make_error("unknown-kernel", "no log of this kernel is on this agent");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions/s1/logs"})), "unknown-kernel");
  rig.cell.append({kernel_terminated(kernel_name("s1"))});
  const auto reply = rig.ask({.target = "/v1/sessions/s1/logs"});
  EXPECT_EQ(reply.status, 200u);
  EXPECT_EQ(reply.body, "");
  EXPECT_EQ(ApiRig::header_of(reply, "X-Berth-Log-End"), "true");
}

TEST(Routing, SaysWhatIsPossible) {
  ApiRig rig;
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/nothing"})), "no-such-route");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions/"})), "no-such-route");
  const auto reply = rig.ask({.method = "PUT", .target = "/v1/sessions"});
  EXPECT_EQ(reply.status, 405u);
  EXPECT_EQ(ApiRig::header_of(reply, "Allow"), "GET, POST");
}

TEST(Stop, DropsWhoWaitsAndIsHarmlessAfterwards) {
  auto rig = std::make_unique<ApiRig>();
  rig->cell.log = FakeCell::Log::kSilent;
  int replies = 0;
  rig->api.handle(rig->request({.method = "POST", .target = "/v1/sessions", .body = kOne}),
                  [&](api::HttpReply) { ++replies; });
  rig->api.stop();
  rig->cell.append({session_requested("s1")});
  rig.reset();
  EXPECT_EQ(replies, 0);
}

}  // namespace
}  // namespace berth::testing
