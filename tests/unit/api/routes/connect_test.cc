// Connections to apps and ports of a session, as bytes in a WebSocket.
#include "tests/unit/api/support/app_image.h"
#include "tests/unit/api/support/inside_rig.h"

namespace berth::testing {
namespace {

constexpr std::size_t kPiece = 64u << 10;

class Connect : public InsideRig {
 protected:
  Connect() {
    rig.cell.append({image_with_apps()});
    for (const v1::Event& event : running_lab("lab")) rig.cell.append({event});
  }
  api::HttpReply ask(const std::string& app) { return open("apps/" + app + "/connect", "lab"); }
  std::shared_ptr<FakeApp> app(std::size_t number = 0) { return rig.cell.apps.await(number); }
};

TEST_F(Connect, BytesGoBothWaysAsTheyAre) {
  StreamClient client(ask("db"));
  client.type(std::string("a\0\xff", 3));  // before anybody has answered
  EXPECT_EQ(app()->app(), "db");
  EXPECT_EQ(app()->take(3), std::string("a\0\xff", 3));
  app()->say(std::string("\1\0b", 3));
  EXPECT_EQ(client.next(), std::string("\1\0b", 3));
  client.type("c");
  EXPECT_EQ(app()->take(1), "c");
}

TEST_F(Connect, EitherWayEndsAndTheAppsEndIsTheStreams) {
  StreamClient client(ask("db"));
  client.type("all of it");
  client.say(R"({"end_of_input": true})");
  EXPECT_EQ(app()->take(9), "all of it");
  EXPECT_TRUE(app()->wait_until_finished());
  app()->say("an answer");
  app()->end();
  EXPECT_EQ(client.next(), "an answer");
  EXPECT_EQ(client.close(), 1000);
  EXPECT_TRUE(app()->wait_until_gone());
}

// At once, so that it comes while the journal is still asked.
TEST_F(Connect, AnEndOfInputWaitsForWhatWasSaidBefore) {
  StreamClient client(ask("db"));
  client.say(R"({"end_of_input": true})");
  EXPECT_TRUE(app()->wait_until_finished());
}

TEST_F(Connect, APortIsReachedByItsNumberButForBerthsOwn) {
  StreamClient client(ask("8888"));
  EXPECT_EQ(app()->app(), "8888");
  for (const char* port : {"2000", "2001", "2200", "7681"}) {
    EXPECT_EQ(ApiRig::code_of(ask(port)), "port-refused") << port;
    EXPECT_EQ(ask(port).status, 400u);
  }
  for (const char* bad : {"0", "08888", "70000", "99999999999", "no.name", "-a", "a--b"})
    EXPECT_EQ(ApiRig::code_of(ask(bad)), "invalid-name") << bad;
  EXPECT_EQ(rig.cell.apps.opened(), 1u);
}

TEST_F(Connect, WhatTheSessionsOwnProgramServesIsReachedByItsPort) {
  StreamClient client(ask("mine"));
  EXPECT_EQ(app()->app(), "8501");
}

TEST_F(Connect, WhatIsNotDeclaredOrListensNowhereIsRefused) {
  EXPECT_EQ(ask("nothing").status, 404u);
  EXPECT_EQ(ApiRig::code_of(ask("nothing")), "unknown-app");
  EXPECT_EQ(ask("top").status, 409u);
  EXPECT_EQ(ApiRig::code_of(ask("top")), "app-in-terminal");
  EXPECT_EQ(rig.cell.apps.opened(), 0u);
}

TEST_F(Connect, AnAppThatIsNotThereIsAProblem) {
  for (const auto& [code, close] : {std::pair{"port-not-open", "1011"},
                                    {"no-such-app", "1008"},
                                    {"app-ended", "1008"},
                                    {"not-for-this-backend", "1008"},
                                    {"helper-silent", "1011"}}) {
    rig.cell.apps.refusal = make_error(Code::told(code), "no");
    StreamClient client(ask("db"));
    EXPECT_EQ(client.problem(), std::string(code) + " " + close);
  }
}

TEST_F(Connect, AConnectionIsAnOpening) {
  const Offset before = rig.cell.position();
  StreamClient client(ask("8888"));
  app();
  const auto page = rig.cell.read_journal(before + 1, 100, 1u << 20);
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->records.size(), 1u);
  EXPECT_EQ(page->records[0].record->events(0).kernel_opened().kind(), v1::WAY_KIND_APP);
  EXPECT_EQ(page->records[0].record->events(0).kernel_opened().name(), "8888");
}

TEST_F(Connect, WhatIsSaidWronglyEndsIt) {
  for (const char* text :
       {"", "{}", "hello", R"({"columns": 80, "rows": 24})", R"({"end_of_input": false})"}) {
    StreamClient client(ask("db"));
    client.say(text);
    EXPECT_EQ(client.problem(), "message-invalid 1008") << text;
  }
  StreamClient empty(ask("db"));
  empty.type("");
  EXPECT_EQ(empty.problem(), "message-invalid 1008");
  StreamClient long_one(ask("db"));
  long_one.type(std::string(kPiece + 1, 'x'));
  EXPECT_EQ(long_one.problem(), "message-invalid 1009");
  for (const bool text : {false, true}) {
    StreamClient twice(ask("db"));
    twice.say(R"({"end_of_input": true})");
    if (text)
      twice.say(R"({"end_of_input": true})");
    else
      twice.type("x");
    EXPECT_EQ(twice.problem(), "message-invalid 1008");
  }
}

TEST_F(Connect, SixtyFourMebibytesGoBothWays) {
  StreamClient client(ask("db"));
  const auto there = app();
  constexpr std::size_t kPieces = 1024;
  const std::string up(kPiece, 'u'), down(kPiece, 'd');
  for (std::size_t i = 0; i < kPieces; ++i) {
    client.type(up);
    there->say(down);
    ASSERT_EQ(there->take(kPiece), up);
    std::string came;
    while (came.size() < kPiece) {
      const std::string message = client.next();
      ASSERT_LE(message.size(), kPiece);
      ASSERT_NE(message, "nothing");
      came += message;
    }
    ASSERT_EQ(came, down);
  }
}

TEST_F(Connect, WhoReadsSlowlyKeepsTheOtherSideFromWriting) {
  StreamClient client(ask("db"));
  const auto there = app();
  client.take(false);
  constexpr std::size_t kSize = 8u << 20;
  there->say(std::string(kSize, 'x'));
  there->hold_writes(true);
  EXPECT_FALSE(client.type_ahead("1"));  // the app takes nothing
  EXPECT_GT(there->untaken(), kSize / 2);
  there->hold_writes(false);
  client.take(true);
  std::size_t came = 0;
  while (came < kSize) {
    const std::string message = client.next();
    ASSERT_NE(message, "nothing");
    ASSERT_LE(message.size(), kPiece);
    came += message.size();
  }
  EXPECT_EQ(came, kSize);
}

TEST_F(Connect, AClientThatTakesNothingForLongIsCut) {
  StreamClient client(ask("db"));
  app();
  client.relay().stalled();
  EXPECT_EQ(client.problem(), "too-slow 1008");
}

TEST_F(Connect, ItIsCutWithItsSessionAndWithTheRightToIt) {
  StreamClient client(ask("db"));
  app();
  v1::Event disabled = user_defined("alice");
  disabled.mutable_user_defined()->set_disabled(true);
  rig.cell.append({disabled});
  EXPECT_EQ(client.problem(), "signed-out 1008");
  EXPECT_TRUE(app()->wait_until_gone());
  rig.cell.append({user_defined("alice")});
  StreamClient other(ask("db"));
  app(1);
  rig.cell.append({session_terminating("lab")});
  EXPECT_EQ(other.problem(), "session-ended 1008");
  EXPECT_TRUE(app(1)->wait_until_gone());
}

TEST_F(Connect, AConnectionThatIsLostIsToldWithTheReasonIfThereIsOne) {
  StreamClient client(ask("db"));
  app()->fail();
  EXPECT_EQ(client.problem(), "agent-unreachable 1011");
  StreamClient other(ask("db"));
  app(1)->fail();
  EXPECT_TRUE(app(1)->wait_until_gone());
  rig.cell.append({kernel_terminated(kernel_name("lab"))});
  EXPECT_EQ(other.problem(), "session-ended 1008");
}

TEST_F(Connect, TheTokenOfAnAppIsToldToNobody) {
  rig.cell.apps.token = std::string(inside::kTokenSize, 'a');
  StreamClient client(ask("jupyter"));
  app()->say("said");
  app()->end();
  EXPECT_EQ(client.next(), "said");
  EXPECT_EQ(client.close(), 1000);
}

TEST_F(Connect, ItIsCountedAmongTheStreamsToApps) {
  const auto streams = [&] {
    const auto text = rig.ask({.target = "/metrics"}).body;
    const auto at = text.find("\nberth_api_app_streams ") + 1;
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(streams(), "berth_api_app_streams 0");
  StreamClient client(ask("db"));
  EXPECT_EQ(streams(), "berth_api_app_streams 1");
}

}  // namespace
}  // namespace berth::testing
