// /v1/producers: who manages them, how one gets its key, what it may do by HTTP, and its answers, of which no
// cut loses or doubles one.
#include <gtest/gtest.h>

#include "controller/api/auth/enrolment_token.h"
#include "controller/api/map/time_text.h"
#include "tests/support/producers.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

constexpr const char* kSession =
    R"({"name": "demo", "image": "python:3.11", "resources": {"cpu": "1", "mem": "256m"}})";

class Producers : public ::testing::Test {
 protected:
  explicit Producers(const Events& more = {})
      : rig(small_cluster() + Events{project_defined("default", "labs")} + more) {}

  std::string token_body(const std::string& token, const std::string& rest = "") {
    const Timestamp until = rig.cell.test_clock.now().wall + 15 * kMinute;
    return "{" + rest + R"("token_hash": ")" + to_hex(as_view(api::hash_of_token(token))) +
           R"(", "expires_at": ")" + format_time(until) + "\"}";
  }
  std::string web(const std::string& owner = R"({"scope": "user", "id": "alice"})") {
    return token_body(
        "one", R"("name": "web", "requests": ["request_session", "terminate_session"], "owners": [)" + owner +
                   "], ");
  }
  api::HttpReply post(const std::string& target, const std::string& body,
                      const std::string& key = "admin-key") {
    return rig.ask({.method = "POST", .target = target, .body = body, .key = key});
  }
  api::HttpReply collect(const std::string& token, const std::string& name = "web") {
    api::HttpRequest request;
    request.method = "POST";
    request.target = "/v1/producers/" + name + "/key";
    request.content_type = "application/json";
    request.body = R"({"token": ")" + token + R"("})";
    request.body_bytes = request.body.size();
    return rig.send(request);
  }
  // Signed by the producer's key of that generation.
  api::HttpReply by_web(ApiRig::Ask ask, std::uint32_t generation = 1) {
    api::HttpRequest request = rig.request(ask);
    sign_request(request, "producer:web", *rig.cell.writer_key("producer:web", generation));
    return rig.send(request);
  }
  void register_web() { ASSERT_EQ(post("/v1/producers", web()).status, 201u); }

  ApiRig rig;
};

TEST_F(Producers, AreSeenByWhoSeesAllAndMadeBySuperadminsAlone) {
  EXPECT_EQ(ApiRig::code_of(post("/v1/producers", web(), "alice-key")), "denied");
  const auto made = post("/v1/producers", web());
  ASSERT_EQ(made.status, 201u) << made.body;
  const auto producer = ApiRig::json_of(made).at("producer");
  EXPECT_EQ(producer.at("name"), "web");
  EXPECT_EQ(producer.at("generation"), 1);
  EXPECT_EQ(producer.at("made_by"), "admin");
  EXPECT_EQ(made.body.find("\"key\""), std::string::npos) << "the key is for who brings the token";
  EXPECT_EQ(ApiRig::json_of(rig.ask({.target = "/v1/producers"})).at("producers").as_array().size(), 1u);
  for (const char* target : {"/v1/producers", "/v1/producers/web", "/v1/producers/web/answers"})
    EXPECT_EQ(ApiRig::code_of(rig.ask({.target = target, .key = "alice-key"})), "denied") << target;
  EXPECT_EQ(rig.ask({.target = "/v1/producers/none"}).status, 404u);
  EXPECT_EQ(rig.ask({.target = "/v1/producers/none/answers"}).status, 404u);
}

TEST_F(Producers, ABadRegistrationNamesWhatIsWrong) {
  EXPECT_EQ(ApiRig::code_of(post("/v1/producers", "{}")), "missing-field");
  EXPECT_EQ(ApiRig::code_of(post("/v1/producers", token_body("one", R"("name": "web", "requests": [], )"))),
            "missing-field");
  EXPECT_EQ(ApiRig::code_of(post("/v1/producers", web(R"({"scope": "user", "id": "nobody"})"))),
            "unknown-user");
  EXPECT_EQ(ApiRig::code_of(post("/v1/producers", web("7"))), "invalid-value");
  EXPECT_EQ(ApiRig::code_of(post("/v1/producers", web(R"({"scope": "user", "id": "alice", "x": 1})"))),
            "unknown-field");
  register_web();
  EXPECT_EQ(ApiRig::code_of(
                rig.ask({.method = "PATCH", .target = "/v1/producers/web", .body = R"({"requests": []})"})),
            "missing-field");
}

TEST_F(Producers, ATokenIsExchangedForTheKeyOnce) {
  register_web();
  EXPECT_EQ(ApiRig::code_of(collect("two")), "token-not-valid");
  EXPECT_EQ(ApiRig::code_of(collect("one", "other")), "token-not-valid");
  const auto key = collect("one");
  ASSERT_EQ(key.status, 201u) << key.body;
  EXPECT_EQ(ApiRig::json_of(key).at("key").as_string(), *rig.cell.writer_key("producer:web", 1));
  EXPECT_EQ(ApiRig::json_of(key).at("access_key"), "producer:web");
  EXPECT_EQ(ApiRig::code_of(collect("one")), "token-not-valid");
}

TEST_F(Producers, AskForTheOwnerThatTheirTargetNames) {
  register_web();
  const auto made = by_web({.method = "POST", .target = "/v1/sessions?owner=alice", .body = kSession});
  ASSERT_EQ(made.status, 201u) << made.body;
  EXPECT_EQ(ApiRig::json_of(made).at("sessions").at(0).at("owner").at("user"), "alice");
  const auto listed = ApiRig::json_of(by_web({.target = "/v1/sessions?owner=alice"}));
  EXPECT_EQ(listed.at("sessions").as_array().size(), 1u);
  EXPECT_EQ(by_web({.method = "DELETE", .target = "/v1/sessions/demo?owner=alice"}).status, 200u);
}

TEST_F(Producers, AreRefusedWhatIsNotInTheirScope) {
  register_web();
  const auto refused = [&](const char* method, const std::string& target, const std::string& body = "") {
    return ApiRig::code_of(by_web({.method = method, .target = target, .body = body}));
  };
  EXPECT_EQ(refused("POST", "/v1/sessions", kSession), "owner-missing");
  EXPECT_EQ(refused("POST", "/v1/sessions?owner=", kSession), "owner-missing");
  EXPECT_EQ(refused("POST", "/v1/sessions?owner=alice&owner=bob", kSession), "invalid-parameter");
  EXPECT_EQ(refused("POST", "/v1/sessions?owner=bob", kSession), "out-of-scope");
  EXPECT_EQ(refused("POST", "/v1/sessions?owner=nobody", kSession), "out-of-scope");
  EXPECT_EQ(refused("POST", "/v1/sessions?owner=admin", kSession), "out-of-scope");
  EXPECT_EQ(refused("GET", "/v1/sessions?owner=bob"), "out-of-scope");
  EXPECT_EQ(refused("POST", "/v1/sessions/terminate?owner=alice", R"({"ids": []})"), "out-of-scope");
  EXPECT_EQ(refused("POST", "/v1/users?owner=alice", R"({"name": "x"})"), "out-of-scope");
  for (const char* target :
       {"/v1/keys?owner=alice", "/v1/journal?owner=alice", "/v1/users?owner=alice", "/v1/producers",
        "/v1/sessions/demo/exec?owner=alice", "/metrics", "/v1/whoami?owner=alice"})
    EXPECT_EQ(refused("GET", target), "denied") << target;
  EXPECT_EQ(ApiRig::code_of(rig.ask({.target = "/v1/sessions?owner=alice"})), "unknown-parameter")
      << "a person asks for themselves";
  EXPECT_EQ(rig.cell.submitted.load(), 1) << "nothing of it was asked of the journal";
}

// A frontend that asks for an administrator does not read the cluster.
TEST_F(Producers, ReadWhatIsTheirOwnersOwnWhateverTheOwnersRole) {
  ASSERT_EQ(post("/v1/producers", web(R"({"scope": "user", "id": "admin"})")).status, 201u);
  ASSERT_EQ(post("/v1/sessions", kSession, "alice-key").status, 201u);
  const auto listed = ApiRig::json_of(by_web({.target = "/v1/sessions?owner=admin"}));
  EXPECT_EQ(listed.at("sessions").as_array().size(), 0u);
  EXPECT_EQ(by_web({.target = "/v1/sessions/demo?owner=admin"}).status, 404u);
  EXPECT_EQ(by_web({.method = "DELETE", .target = "/v1/sessions/demo?owner=admin"}).status, 404u);
  const auto page = ApiRig::json_of(by_web({.target = "/v1/events?owner=admin&from=0&limit=1000"}));
  for (const auto& event : page.at("events").as_array()) EXPECT_NE(event.at("type"), "SessionRequested");
}

TEST_F(Producers, AnOwnerThatIsDisabledIsAskedForNoMore) {
  register_web();
  v1::Event off = user_defined("alice");
  off.mutable_user_defined()->set_disabled(true);
  rig.cell.append({off});
  EXPECT_EQ(ApiRig::code_of(by_web({.target = "/v1/sessions?owner=alice"})), "owner-disabled");
}

TEST_F(Producers, ARotatedKeyARevokedOneAndARemovedProducersAreRefused) {
  register_web();
  const auto status = [&](std::uint32_t generation) {
    return by_web({.target = "/v1/sessions?owner=alice"}, generation).status;
  };
  EXPECT_EQ(status(1), 200u);
  EXPECT_EQ(status(2), 401u);
  ASSERT_EQ(post("/v1/producers/web/rotate", token_body("two")).status, 200u);
  EXPECT_EQ(status(1), 401u);
  EXPECT_EQ(status(2), 200u);
  EXPECT_EQ(ApiRig::code_of(collect("one")), "token-not-valid");
  EXPECT_EQ(ApiRig::json_of(collect("two")).at("generation"), 2);
  rig.ask({.method = "PATCH", .target = "/v1/producers/web", .body = R"({"disabled": true})"});
  EXPECT_EQ(status(2), 401u);
  rig.ask({.method = "PATCH", .target = "/v1/producers/web", .body = R"({"disabled": false})"});
  EXPECT_EQ(status(2), 200u);
  EXPECT_EQ(rig.ask({.method = "DELETE", .target = "/v1/producers/web"}).status, 200u);
  EXPECT_EQ(status(2), 401u);
  EXPECT_EQ(ApiRig::code_of(post("/v1/producers", web())), "name-retired");
}

// ---- its answers ----

class Answers : public Producers {
 protected:
  Answers() {
    post("/v1/producers", web());
    for (int i = 0; i < 4; ++i) {
      const std::string name = "w" + std::to_string(i);
      ask_by_log(name, "alice");
      ask_by_log("bobs-" + name, "bob");  // out of scope: refused, and told
      rig.ask({.method = "POST",
               .target = "/v1/sessions",
               .body = R"({"name": "own-)" + name +
                       R"(", "image": "python:3.11", "resources": {"cpu": "1", "mem": "1m"}})",
               .key = "alice-key"});
    }
  }
  // As a producer's own append to `requests` is decided; a batch of two sessions.
  void ask_by_log(const std::string& name, const std::string& user) {
    v1::Request request;
    request.set_id(wire("request " + name));
    request.set_actor("producer:web");
    request.set_sent_ms(rig.cell.test_clock.now().wall / kMillisecond);
    *request.mutable_owner() = owner(user);
    request.mutable_request_session()->set_name(name);
    request.mutable_request_session()->set_count(2);
    *request.mutable_request_session()->mutable_spec() = Spec();
    ASSERT_TRUE(rig.cell.submit(request, [](const AppendResult&) {}).ok());
  }
  std::string end() const { return std::to_string(rig.cell.position()); }
  // What a stream tells that begins behind `last`, cut after `most` events.
  std::vector<std::string> stream(const std::string& last, std::size_t most) {
    const auto reply =
        by_web({.target = "/v1/producers/web/answers?to=" + end() + (last.empty() ? "&from=0" : ""),
                .accept = "text/event-stream",
                .last_event_id = last});
    EXPECT_EQ(reply.status, 200u) << reply.body;
    std::vector<std::string> ids;
    bool ended = reply.stream == nullptr;
    while (!ended && ids.size() < most) {
      std::promise<api::FrameStream::Batch> told;
      reply.stream->next([&told](api::FrameStream::Batch batch) { told.set_value(std::move(batch)); });
      const auto batch = told.get_future().get();
      for (const auto& frame : batch.frames)
        if (frame->starts_with("id: ")) ids.push_back(frame->substr(4, frame->find('\n') - 4));
      ended = batch.end;
    }
    if (ids.size() > most) ids.resize(most);  // the rest was on its way when the connection was cut
    return ids;
  }
};

TEST_F(Answers, AreOfItsOwnRequestsAloneAndAllOfThem) {
  const auto page =
      ApiRig::json_of(by_web({.target = "/v1/producers/web/answers?from=0"})).at("events").as_array();
  ASSERT_EQ(page.size(), 12u);  // four requests for two sessions each, and four refusals
  for (const auto& event : page) EXPECT_EQ(event.at("actor"), "producer:web");
  EXPECT_EQ(
      ApiRig::json_of(rig.ask({.target = "/v1/producers/web/answers?from=0"})).at("events").as_array().size(),
      12u);
}

TEST_F(Answers, AfterACutAnywhereEachIsToldExactlyOnce) {
  const auto all = stream("", 1'000);
  ASSERT_EQ(all.size(), 12u);
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    SCOPED_TRACE(cut);
    std::vector<std::string> seen = stream("", cut);
    const auto rest = stream(seen.back(), 1'000);
    seen.insert(seen.end(), rest.begin(), rest.end());
    EXPECT_EQ(seen, all);
  }
  std::vector<std::string> one_by_one;
  while (one_by_one.size() < all.size()) {
    const auto next = stream(one_by_one.empty() ? "" : one_by_one.back(), 1);
    ASSERT_EQ(next.size(), 1u);
    one_by_one.push_back(next[0]);
  }
  EXPECT_EQ(one_by_one, all);
}

TEST_F(Answers, EndWhenTheKeyIsRevoked) {
  const auto reply = by_web({.target = "/v1/producers/web/answers", .accept = "text/event-stream"});
  ASSERT_NE(reply.stream, nullptr);
  rig.ask({.method = "PATCH", .target = "/v1/producers/web", .body = R"({"disabled": true})"});
  std::string told;
  for (bool ended = false; !ended;) {
    std::promise<api::FrameStream::Batch> next;
    reply.stream->next([&next](api::FrameStream::Batch batch) { next.set_value(std::move(batch)); });
    const auto batch = next.get_future().get();
    for (const auto& frame : batch.frames) told += *frame;
    ended = batch.end;
  }
  EXPECT_NE(told.find("signed-out"), std::string::npos) << told;
}

}  // namespace
}  // namespace berth::testing
