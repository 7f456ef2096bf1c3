#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

TEST(Remove, WhatNothingUsesIsRemovedAndItsNameIsRetired) {
  given(definitions() + Events{preset_defined("small", "cpu", kUnit)})
      .when(remove("preset", "small"))
      .then({definition_removed("preset", "small")})
      .when(define({preset_defined("small", "cpu", kUnit)}))
      .then_refused("name-retired");
  given(definitions())
      .when(remove("image", "python:3.11"))
      .then({definition_removed("image", "python:3.11")})
      .when(define({image_registered("python:3.11")}))
      .then_refused("name-retired");
  given(definitions())
      .when(remove("group", "default"))
      .then({definition_removed("group", "default")})
      .when(define({group_defined("default")}))
      .then_refused("name-retired");
}

TEST(Remove, AGroupIsInUseByItsAgentsAndSessions) {
  Case agents = given(world());
  agents.when(remove("group", "default")).then_refused("in-use");
  EXPECT_NE(agents.decided()[0].request_refused().message().find("agent a1"), std::string::npos);
  Case sessions = given(definitions() + Events{session_requested("s1")});
  sessions.when(remove("group", "default")).then_refused("in-use");
  EXPECT_NE(sessions.decided()[0].request_refused().message().find("session s1"), std::string::npos);
}

TEST(Remove, AnImageIsInUseByLiveSessionsAlone) {
  const v1::SessionSpec spec = Spec().image("python:3.11");
  given(definitions() + Events{session_requested("s1", spec)})
      .when(remove("image", "python:3.11"))
      .then_refused("in-use");
  given(definitions() + Events{session_requested("s1", spec), session_cancelled("s1")})
      .when(remove("image", "python:3.11"))
      .then({definition_removed("image", "python:3.11")});
}

TEST(Remove, ARefusalNamesAFewOfManyUsers) {
  Case c = given(definitions());
  for (int i = 1; i <= 8; ++i) c.and_given({session_requested("s" + std::to_string(i))});
  c.when(remove("group", "default")).then_refused("in-use");
  EXPECT_NE(c.decided()[0].request_refused().message().find("session s5 and 3 more"), std::string::npos)
      << c.decided()[0].request_refused().message();
}

TEST(Remove, AnAgentIsRemovedOnceItIsDeadAndEmpty) {
  given(world()).when(remove("agent", "a1")).then_refused("in-use");
  given(world() + Events{session_requested("s1"), session_scheduled("s1", "a1"), agent_lost("a1")})
      .when(remove("agent", "a1"))
      .then_refused("in-use");
  given(world() + Events{agent_left("a1")})
      .when(remove("agent", "a1"))
      .then({agent_removed("a1")})
      .when(enroll_agent("a1"))
      .then_refused("name-retired");
}

TEST(Remove, WhatDoesNotExistIsRefused) {
  for (const char* kind : {"group", "image", "preset", "agent"})
    given(world()).when(remove(kind, "nobody")).then_refused("unknown-" + std::string(kind));
  for (const char* kind : {"planet", ""})
    given(world()).when(remove(kind, "nobody")).then_refused("unknown-kind");
}

// ---- people ----

TEST(Remove, AUserGoesWithKeysAndPasswordAndTheNameIsRetired) {
  Case c = given(world() + Events{key_pair_defined("AK1", "bob"), password_set("bob")});
  c.when(remove("user", "bob")).then({definition_removed("user", "bob")});
  EXPECT_EQ(c.state().key_pairs.size(), 0u);
  c.when(create_user("bob")).then_refused("name-retired");
  c.when(define({user_defined("bob")})).then_refused("name-retired");
  c.when(remove("user", "bob")).then_refused("unknown-user");
}

TEST(Remove, AUserAProjectAndADomainAreInUseByTheirLiveSessions) {
  Case c = given(world() + Events{session_requested("s1")});
  c.when(remove("user", "alice")).then_refused("in-use");
  EXPECT_NE(c.decided()[0].request_refused().message().find("session s1"), std::string::npos);
}

TEST(Remove, AProjectIsInUseByItsMembersAndADomainByWhatIsInIt) {
  Case c = given(definitions());
  c.when(remove("project", "default/default")).then_refused("in-use");
  c.when(remove("domain", "default")).then_refused("in-use");
  c.when(put_membership("alice", "default", "none"));
  c.when(remove("project", "default/default")).then({definition_removed("project", "default/default")});
  c.when(put_project("default", "default")).then_refused("name-retired");
  c.when(remove("user", "alice")).then({definition_removed("user", "alice")});
  c.when(remove("domain", "default")).then({definition_removed("domain", "default")});
  c.when(put_domain("default")).then_refused("name-retired");
}

TEST(Remove, AskedToEndTheSessionsItIsRefusedUntilTheyHaveEnded) {
  v1::Event stop = session_terminating("s1", "user-removed");
  Case c = given(world() + running("s1", "a1") + Events{session_requested("s2")});
  c.when(remove("user", "alice", true));
  ASSERT_EQ(c.decided().size(), 3u);
  const v1::Event& answer = c.decided()[2];
  EXPECT_EQ(answer.request_refused().code(), "sessions-ending");
  EXPECT_NE(answer.request_refused().message().find("1 sessions of user alice are ending"),
            std::string::npos);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(c.decided()[i].request_id(), "") << "only the refusal is the answer";
  c.when(remove("user", "alice", true)).then_refused("sessions-ending");
  c.and_given({kernel_terminated(kernel_name("s1"))});
  c.when(remove("user", "alice", true)).then({definition_removed("user", "alice")});
}

TEST(Remove, WhereAllSessionsOnlyWaitedTheyEndAndItIsRemovedAtOnce) {
  Case c = given(world() + Events{session_requested("s1"), session_requested("s2", Spec(), "bob")});
  c.when(remove("user", "alice", true));
  ASSERT_EQ(c.decided().size(), 2u);
  EXPECT_EQ(c.decided()[0].session_cancelled().reason(), "user-removed");
  EXPECT_EQ(c.decided()[1].definition_removed().name(), "alice");
}

TEST(Remove, TheSessionsOfAGroupEndInPieces) {
  Case c = given(definitions());
  for (int i = 0; i < 201; ++i) c.and_given({session_requested("s" + std::to_string(i))});
  c.when(remove("group", "default", true));
  ASSERT_EQ(c.decided().size(), 201u);
  EXPECT_EQ(c.decided()[200].request_refused().code(), "sessions-ending");
  c.when(remove("group", "default", true));
  ASSERT_EQ(c.decided().size(), 2u);
  EXPECT_EQ(c.decided()[1].definition_removed().name(), "default");
}

TEST(Remove, AKeyPairIsRemovedByItsUserAndByNoOther) {
  const Events keys = {key_pair_defined("AK1", "alice")};
  given(world() + keys).when(sent_by(remove("key", "AK1"), "bob")).then_refused("unknown-key-pair");
  given(world() + keys).when(sent_by(remove("key", "AK1"), "alice")).then({definition_removed("key", "AK1")});
}

}  // namespace
}  // namespace berth::testing::decisions
