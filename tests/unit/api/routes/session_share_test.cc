// Sessions that are shared: by whom and with whom, who sees what of them, and what ends with a share.
#include <thread>

#include "tests/unit/api/support/inside_rig.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

v1::Event without_projects(const std::string& user) {
  v1::Event e = user_defined(user);
  e.mutable_user_defined()->clear_projects();
  return e;
}

class SessionShares : public InsideRig {
 protected:
  void SetUp() override {
    rig.cell.append({project_defined("default", "labs")});
    v1::Event mel = user_defined("mel");
    mel.mutable_user_defined()->add_projects("labs");
    rig.cell.append({mel, with_secret(key_pair_defined("mel-key", "mel"), secret_of("mel-key"))});
  }
  api::HttpReply put(const std::string& body, const std::string& key = "alice-key",
                     const std::string& session = "s1") {
    return rig.ask(
        {.method = "PUT", .target = "/v1/sessions/" + session + "/shares", .body = body, .key = key});
  }
  api::HttpReply get(const std::string& target, const std::string& key) {
    return rig.ask({.target = target, .key = key});
  }
  json::value shown(const std::string& key, const std::string& session = "s1") {
    const auto reply = get("/v1/sessions/" + session, key);
    EXPECT_EQ(reply.status, 200u) << reply.body;
    return ApiRig::json_of(reply);
  }
  std::string listed(const std::string& query, const std::string& key) {
    const auto reply = get("/v1/sessions" + query, key);
    EXPECT_EQ(reply.status, 200u) << reply.body;
    const json::value body = ApiRig::json_of(reply);
    std::string names;
    for (const auto& session : body.at("sessions").as_array())
      names += std::string(session.at("name").as_string()) + " ";
    return names;
  }
};

// ---- the request ----

TEST_F(SessionShares, AreTheOwnersToGiveAndToWithdraw) {
  const auto given = put(R"({"user": "bob"})");
  ASSERT_EQ(given.status, 200u) << given.body;
  EXPECT_EQ(json::serialize(ApiRig::json_of(given).at("session").at("shares")), R"([{"user":"bob"}])");
  EXPECT_EQ(put(R"({"project": "labs"})").status, 200u);
  EXPECT_EQ(json::serialize(shown("alice-key").at("shares")),
            R"([{"project":"default/labs"},{"user":"bob"}])");
  EXPECT_FALSE(shown("alice-key").at("shared").as_bool());
  EXPECT_EQ(put(R"({"project": "default/labs", "withdraw": true})").status, 200u);
  EXPECT_EQ(json::serialize(shown("alice-key").at("shares")), R"([{"user":"bob"}])");
  EXPECT_EQ(put(R"({"user": "bob", "withdraw": true})").status, 200u);
  EXPECT_EQ(json::serialize(shown("alice-key").at("shares")), "[]");
}

TEST_F(SessionShares, ABodyNamesOneWithWhom) {
  for (const char* body :
       {"{}", R"({"user": "bob", "project": "labs"})", R"({"user": 1})", R"({"user": "bob", "more": 1})",
        R"({"user": "bob", "withdraw": "yes"})", "[]", "x"})
    EXPECT_EQ(put(body).status, 400u) << body;
  EXPECT_EQ(ApiRig::code_of(put(R"({"user": "nobody"})")), "unknown-user");
  EXPECT_EQ(ApiRig::code_of(put(R"({"project": "none"})")), "unknown-project");
  EXPECT_EQ(ApiRig::code_of(put(R"({"user": "bob"})", "alice-key", "nothing")), "unknown-session");
}

TEST_F(SessionShares, AreNobodyElsesToGive) {
  const std::string id = to_string(session_id("s1"));
  EXPECT_EQ(ApiRig::code_of(put(R"({"user": "bob"})", "admin-key", id)), "denied");
  EXPECT_EQ(ApiRig::code_of(put(R"({"user": "bob"})", "bob-key", id)), "unknown-session");
  put(R"({"user": "bob"})");
  EXPECT_EQ(ApiRig::code_of(put(R"({"user": "mel"})", "bob-key", id)), "denied");
  EXPECT_EQ(ApiRig::code_of(put(R"({"user": "bob", "withdraw": true})", "bob-key", id)), "denied");
}

// ---- who sees what ----

TEST_F(SessionShares, ShowTheSessionToWhomItIsSharedWith) {
  const std::string id = to_string(session_id("s1"));
  EXPECT_EQ(ApiRig::code_of(get("/v1/sessions/s1", "bob-key")), "unknown-session");
  put(R"({"user": "bob"})");
  const json::value bobs = shown("bob-key");
  EXPECT_TRUE(bobs.at("shared").as_bool());
  EXPECT_TRUE(bobs.at("shares").is_null());
  EXPECT_EQ(bobs.at("owner").at("user").as_string(), "alice");
  EXPECT_EQ(get("/v1/sessions/" + id + "/why", "bob-key").status, 200u);
  EXPECT_EQ(get("/v1/events?session=" + id, "bob-key").status, 200u);
  EXPECT_EQ(ApiRig::code_of(get("/v1/sessions/" + id + "/logs", "bob-key")), "");
  // Whoever sees it by right sees with whom it is shared.
  EXPECT_EQ(json::serialize(shown("admin-key", id).at("shares")), R"([{"user":"bob"}])");
  EXPECT_FALSE(shown("admin-key", id).at("shared").as_bool());
  put(R"({"user": "admin"})");
  EXPECT_TRUE(shown("admin-key", id).at("shared").as_bool());
  EXPECT_EQ(shown("admin-key", id).at("shares").as_array().size(), 2u);
  put(R"({"user": "bob", "withdraw": true})");
  EXPECT_EQ(ApiRig::code_of(get("/v1/sessions/" + id, "bob-key")), "unknown-session");
}

TEST_F(SessionShares, OpenNoEnvironment) {
  const auto made = rig.ask({.method = "POST",
                             .target = "/v1/sessions",
                             .body = R"({"name": "secret", "image": "python:3.11",
                                         "resources": {"cpu": "1", "mem": "1g"}, "env": {"TOKEN": "abc"}})",
                             .key = "alice-key"});
  ASSERT_EQ(made.status, 201u) << made.body;
  EXPECT_EQ(shown("alice-key", "secret").at("env").at("TOKEN").as_string(), "abc");
  ASSERT_EQ(put(R"({"user": "bob"})", "alice-key", "secret").status, 200u);
  EXPECT_TRUE(shown("bob-key", "secret").at("env").is_null());
}

TEST_F(SessionShares, LetNobodyEndIt) {
  const std::string id = to_string(session_id("s1"));
  put(R"({"user": "bob"})");
  EXPECT_EQ(ApiRig::code_of(rig.ask({.method = "DELETE", .target = "/v1/sessions/" + id, .key = "bob-key"})),
            "denied");
  const auto many = rig.ask({.method = "POST",
                             .target = "/v1/sessions/terminate",
                             .body = R"({"ids": [")" + id + R"("]})",
                             .key = "bob-key"});
  EXPECT_EQ(many.body.find("\"ending\""), std::string::npos) << many.body;
  EXPECT_EQ(shown("alice-key").at("status").as_string(), "RUNNING");
}

TEST_F(SessionShares, StandInListsBesideOnesOwn) {
  rig.cell.append({session_requested("bobs", Spec(), "bob")});
  EXPECT_EQ(listed("", "bob-key"), "bobs ");
  put(R"({"user": "bob"})", "alice-key", "s2");
  put(R"({"project": "labs"})");
  EXPECT_EQ(listed("", "bob-key"), "s2 bobs ") << "in order of arrival";
  EXPECT_EQ(listed("?shared=true", "bob-key"), "s2 ");
  EXPECT_EQ(listed("?user=alice", "bob-key"), "s2 ");
  EXPECT_EQ(listed("?user=bob", "bob-key"), "bobs ");
  EXPECT_EQ(listed("", "mel-key"), "s1 ");
  EXPECT_EQ(listed("", "alice-key"), "s1 s2 ");
  EXPECT_EQ(listed("?shared=true", "alice-key"), "");
  EXPECT_EQ(listed("?shared=true", "admin-key"), "");
  EXPECT_EQ(get("/v1/sessions?shared=maybe", "bob-key").status, 400u);
  // In pages of one.
  const auto first = ApiRig::json_of(get("/v1/sessions?limit=1", "bob-key"));
  EXPECT_EQ(first.at("sessions").as_array()[0].at("name").as_string(), "s2");
  EXPECT_EQ(listed("?limit=1&page_token=" + std::string(first.at("next_page_token").as_string()), "bob-key"),
            "bobs ");
  // One that has ended stays seen as long as it is in the state.
  rig.cell.append({session_terminating("s2"), kernel_terminated(kernel_name("s2"))});
  EXPECT_EQ(listed("", "bob-key"), "bobs ");
  EXPECT_EQ(listed("?state=all", "bob-key"), "bobs s2 ");
  EXPECT_EQ(listed("?state=all&shared=true", "bob-key"), "s2 ");
}

TEST_F(SessionShares, AProjectIsSharedWithItsMembersAndNotWithTheOwner) {
  put(R"({"project": "default/default"})");
  EXPECT_EQ(listed("", "alice-key"), "s1 s2 ") << "alice is a member herself";
  EXPECT_FALSE(shown("alice-key").at("shared").as_bool());
  EXPECT_EQ(listed("", "bob-key"), "s1 ");
  rig.cell.append({without_projects("bob")});
  EXPECT_EQ(listed("", "bob-key"), "");
}

TEST_F(SessionShares, TheirEventsAreSeen) {
  const std::string id = to_string(session_id("s1"));
  const auto types = [&](const std::string& key) {
    const auto reply = get("/v1/events?limit=1000", key);
    const json::value body = ApiRig::json_of(reply);
    std::string out;
    for (const auto& event : body.at("events").as_array())
      if (event.at("session").is_string() && event.at("session").as_string() == id)
        out += std::string(event.at("type").as_string()) + " ";
    return out;
  };
  EXPECT_EQ(types("bob-key"), "");
  put(R"({"user": "bob"})");
  EXPECT_EQ(types("bob-key"), types("alice-key"));
  EXPECT_NE(types("bob-key").find("SessionShared"), std::string::npos);
  put(R"({"user": "bob", "withdraw": true})");
  EXPECT_EQ(types("bob-key"), "");
}

// ---- streams of the API ----

// What a stream says next, with the frames of one row or event alone.
class Frames {
 public:
  explicit Frames(std::shared_ptr<api::FrameStream> stream) : stream_(std::move(stream)) {}
  // The next frame that has the text; "" where the stream ends without one.
  std::string next(const std::string& text) {
    while (true) {
      for (; at_ < batch_.frames.size(); ++at_)
        if (batch_.frames[at_]->find(text) != std::string::npos) return *batch_.frames[at_++];
      if (batch_.end) return "";
      auto promise = std::make_shared<std::promise<api::FrameStream::Batch>>();
      stream_->next([promise](api::FrameStream::Batch batch) { promise->set_value(std::move(batch)); });
      auto future = promise->get_future();
      if (future.wait_for(std::chrono::seconds(20)) != std::future_status::ready) return "nothing";
      batch_ = future.get();
      at_ = 0;
    }
  }

 private:
  std::shared_ptr<api::FrameStream> stream_;
  api::FrameStream::Batch batch_;
  std::size_t at_ = 0;
};

TEST_F(SessionShares, AWatchedSessionComesWithItsShareAndGoesWithIt) {
  const std::string id = to_string(session_id("s1"));
  Frames bobs(get("/v1/watch?tables=sessions", "bob-key").stream);
  Frames mels(get("/v1/watch?tables=sessions", "mel-key").stream);
  Frames alices(get("/v1/watch?tables=sessions", "alice-key").stream);
  put(R"({"user": "bob"})");
  const std::string came = bobs.next(id);
  EXPECT_TRUE(came.starts_with("event: put")) << came;
  EXPECT_NE(came.find(R"("shares":null,"shared":true)"), std::string::npos) << came;
  const std::string owners = alices.next(id);
  EXPECT_NE(owners.find(R"("shares":[{"user":"bob"}],"shared":false)"), std::string::npos) << owners;
  rig.cell.append({session_terminating("s1")});
  EXPECT_NE(bobs.next(id).find("TERMINATING"), std::string::npos);
  put(R"({"project": "labs"})");  // is refused: it ends
  put(R"({"user": "bob", "withdraw": true})");
  EXPECT_TRUE(bobs.next(id).starts_with("event: gone"));
  put(R"({"project": "labs"})", "alice-key", "s2");
  EXPECT_TRUE(mels.next("\"key\"").find(to_string(session_id("s2"))) != std::string::npos)
      << "nothing of s1 came before";
}

TEST_F(SessionShares, AStreamOfEventsEndsWithTheShare) {
  const std::string id = to_string(session_id("s1"));
  put(R"({"user": "bob"})");
  const auto watch = [&](const std::string& query) {
    return Frames(
        rig.ask({.target = "/v1/events" + query, .key = "bob-key", .accept = "text/event-stream"}).stream);
  };
  Frames of_one = watch("?session=" + id), of_all = watch("");
  rig.cell.append({kernel_opened("s1", "shell", "main")});
  EXPECT_NE(of_one.next("KernelOpened"), "");
  EXPECT_NE(of_all.next("KernelOpened"), "");
  put(R"({"user": "bob", "withdraw": true})");
  EXPECT_NE(of_one.next("event: error").find("rights-changed"), std::string::npos);
  rig.cell.append({kernel_opened("s1", "shell", "main")});
  rig.cell.append({session_requested("bobs", Spec(), "bob")});
  EXPECT_EQ(of_all.next("id: ").find("KernelOpened"), std::string::npos);
}

// ---- streams into kernels ----

TEST_F(SessionShares, LetThemIntoItsKernels) {
  const std::string id = to_string(session_id("s1"));
  put(R"({"user": "bob"})");
  put(R"({"project": "labs"})");
  for (const char* what : {"exec", "shell", "copy"}) {
    for (const char* key : {"bob-key", "mel-key"})
      EXPECT_EQ(open(what, "s1", key).status, 101u) << what << key;
    EXPECT_EQ(ApiRig::code_of(open(what, id, "admin-key")), "denied") << what;
    EXPECT_EQ(ApiRig::code_of(open(what, "s2", "bob-key")), "unknown-session") << what;
  }
  put(R"({"user": "admin"})");
  EXPECT_EQ(open("shell", id, "admin-key").status, 101u);
}

TEST_F(SessionShares, AreInTheLogByWhoOpened) {
  put(R"({"user": "bob"})");
  const Offset before = rig.cell.position();
  StreamClient client(open("shell", "s1", "bob-key"));
  client.say("{}");
  channel()->say(inside::Begun{});
  EXPECT_TRUE(client.json().as_object().contains("begun"));
  const auto page = rig.cell.read_journal(before + 1, 100, 1u << 20);
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->records.size(), 1u);
  EXPECT_EQ(page->records[0].record->events(0).kernel_opened().user(), "bob");
}

class Cuts : public SessionShares {
 protected:
  // A stream of theirs into s1 that has begun.
  std::unique_ptr<StreamClient> into(const std::string& key, const std::string& what = "shell") {
    const std::size_t number = rig.cell.channels.opened();
    auto client = std::make_unique<StreamClient>(open(what, "s1", key));
    client->say(what == "exec" ? kEcho : "{}");
    agent = channel(number);
    agent->say(inside::Begun{});
    EXPECT_TRUE(client->json().as_object().contains("begun"));
    return client;
  }
};

TEST_F(Cuts, AShareThatIsWithdrawnCutsWhatItOpened) {
  put(R"({"user": "bob"})");
  put(R"({"project": "labs"})");
  for (const char* what : {"shell", "exec"}) {
    const auto client = into("bob-key", what);
    const auto there = agent;
    const auto others = into("mel-key", what);
    put(R"({"user": "bob", "withdraw": true})");
    EXPECT_EQ(client->problem(), "access-lost 1008");
    EXPECT_TRUE(there->wait_until_gone());
    agent->say(inside::Out{"still here"});
    EXPECT_NE(others->next().find("still here"), std::string::npos);
    put(R"({"user": "bob"})");
  }
}

TEST_F(Cuts, AMembershipThatEndsCutsToo) {
  put(R"({"project": "labs"})");
  const auto client = into("mel-key");
  rig.cell.append({user_defined("mel")});
  EXPECT_EQ(client->problem(), "access-lost 1008");
  EXPECT_TRUE(agent->wait_until_gone());
}

TEST_F(Cuts, AUserWhoIsDisabledIsCutToo) {
  put(R"({"user": "admin"})");
  put(R"({"user": "bob"})");
  const auto client = into("bob-key");
  v1::Event off = user_defined("bob");
  off.mutable_user_defined()->set_disabled(true);
  rig.cell.append({off});
  EXPECT_EQ(client->problem(), "signed-out 1008");
}

TEST_F(Cuts, ARoleThatActsNowhereActsInNoSharedSession) {
  put(R"({"user": "bob"})");
  const auto client = into("bob-key");
  rig.cell.append({user_with_role("bob", "monitor")});
  EXPECT_EQ(client->problem(), "access-lost 1008");
  EXPECT_EQ(ApiRig::code_of(open("shell", "s1", "bob-key")), "denied");
}

}  // namespace
}  // namespace berth::testing
