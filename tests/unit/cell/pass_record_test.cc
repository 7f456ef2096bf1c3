// P29: what a pass began with stands in the log, so that the pass can be run again.
#include "tests/unit/cell/leader_fixture.h"

namespace berth::controller {
namespace {

class PassRecord : public LeaderTest {
 protected:
  void SetUp() override {
    given_leader();
    given_agent();
  }
  // Of the agent. The leader hears itself, so it knows that the silence is not its own.
  void given_silence() {
    for (Duration silent = 0; silent <= kUnreachableAfter; silent += kSecond / 2) {
      pass(kSecond / 2);
      for (const auto& own : appends_to(Stream::kHealth)) when(HealthRead{own.payload});
    }
  }
  std::vector<std::string> said_lost() const {
    std::vector<std::string> lost;
    for (const auto& event : events())
      for (const auto& agent : event.unreachable_changed().lost()) lost.push_back(agent);
    return lost;
  }
  std::vector<v1::SessionScheduled> placements() const {
    std::vector<v1::SessionScheduled> found;
    for (const auto& event : events())
      if (event.has_session_scheduled()) found.push_back(event.session_scheduled());
    return found;
  }
};

TEST_F(PassRecord, P29_APlacementNamesTheEventAtWhichItsPassBegan) {
  ask_for_session();
  const auto placed = placements();
  ASSERT_EQ(placed.size(), 1u);
  const auto began = projections::from_proto(placed[0].pass());
  const auto* session =
      controller->projection().state().sessions.find(SessionId(*Uuid::from_bytes(placed[0].session_id())));
  EXPECT_GT(began, session->created);  // the pass saw the request
  EXPECT_EQ(began.sequence, session->created.sequence);
}

TEST_F(PassRecord, P29_APassThatHoldsASilentAgentUnreachableSaysSoFirst) {
  given_silence();
  EXPECT_TRUE(said_lost().empty());  // no pass, nothing to say
  ask_for_session();
  EXPECT_EQ(said_lost(), std::vector<std::string>{"a1"});
  EXPECT_TRUE(placements().empty());
  ask_for_session();
  EXPECT_TRUE(said_lost().empty());  // it stands in the log
}

TEST_F(PassRecord, P29_AnAgentThatJoinsAgainIsSaidToBeBack) {
  given_silence();
  ask_for_session();
  read_all_back();
  v1::Report again = join();
  again.mutable_join()->set_nonce(std::string(Rng(5).uuid().view()));
  tell(again);
  std::vector<std::string> back;
  for (const auto& event : events())
    for (const auto& agent : event.unreachable_changed().back()) back.push_back(agent);
  EXPECT_EQ(back, std::vector<std::string>{"a1"});
  EXPECT_EQ(placements().size(), 1u);
}

}  // namespace
}  // namespace berth::controller
