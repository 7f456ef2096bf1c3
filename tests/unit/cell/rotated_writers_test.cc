// The secret of keys that are given out is changed while they are used (ADR 0097).
#include "tests/unit/cell/producer_fixture.h"

namespace berth::controller {
namespace {

class RotatedProducer : public ProducerFixture {
 protected:
  RotatedProducer() {
    config.writers = WriterSecrets(
        config.secret, {{config.secret, {{"agent:a1", 1}, {"producer:u1", 1}}}, {kNewSecret, {}}});
    given_controller();
  }
  const std::string kNewSecret = std::string(32, 'n');
};

TEST_F(RotatedProducer, P1_TheOldKeyIsGoodUntilItsOwnerJoinsAnewAndTheNewOneIsOfTheNewSecret) {
  read_signed(asking(), signer("producer:u1"));
  EXPECT_EQ(state().sessions.size(), 1u);
  put([](v1::PutProducer& p) { p.set_rotate(true); });
  read_signed(asking(), {config.cluster, "producer:u1", 2, derive_key(config.secret, "producer:u1", 2)});
  EXPECT_EQ(refused(ProducerRefusal::kForged), 1u) << "what the secret before gives for the new generation";
  read_signed(asking(), {config.cluster, "producer:u1", 2, derive_key(kNewSecret, "producer:u1", 2)});
  EXPECT_EQ(state().sessions.size(), 2u);
}

TEST_F(RotatedProducer, P1_AfterTheEndWhatTheOldKeySignsIsRefusedAndCounted) {
  config.writers.change({{kNewSecret, {}}});
  read_signed(asking(), signer("producer:u1"));
  expect_dropped(ProducerRefusal::kForged);
  read(session(1), now.wall, signer("api:test"));
  EXPECT_EQ(state().sessions.size(), 1u) << "what servers sign is of the cluster's secret";
  const auto dropped = controller->counters().dropped;
  v1::Report report;
  report.set_snapshot_wanted(true);
  read(report, "a1", signer("agent:a1"));
  EXPECT_EQ(controller->counters().dropped, dropped + 1) << "an agent's, too";
}

}  // namespace
}  // namespace berth::controller
