// How the cluster is kept, as the log says it: history's rule, restores, sealing keys.
#include <gtest/gtest.h>

#include "events/codec/chain_head.h"
#include "projections/sealed_secrets.h"
#include "tests/support/given.h"
#include "tests/support/limits.h"

namespace berth::testing {
namespace {

v1::Sealed sealed_with(std::uint32_t key) {
  v1::Sealed sealed;
  sealed.set_key(key);
  sealed.set_nonce(std::string(24, 'n'));
  sealed.set_box(std::string(40, static_cast<char>('a' + key)));
  return sealed;
}

v1::Event history_pruned(Timestamp before) {
  v1::Event e;
  e.mutable_history_pruned()->set_before_ns(before);
  return e;
}

v1::Event cluster_restored(Timestamp taken) {
  v1::Event e;
  e.mutable_cluster_restored()->set_backup(std::string(32, 'b'));
  e.mutable_cluster_restored()->set_taken_ns(taken);
  return e;
}

v1::Event seal_key_added(std::uint32_t number, std::uint32_t by) {
  v1::Event e;
  e.mutable_seal_key_added()->set_number(number);
  *e.mutable_seal_key_added()->mutable_key() = sealed_with(by);
  return e;
}

v1::Event seal_key_destroyed(std::uint32_t number) {
  v1::Event e;
  e.mutable_seal_key_destroyed()->set_number(number);
  return e;
}

v1::Event password_sealed_with(std::uint32_t key) {
  v1::Event e = password_set("alice");
  *e.mutable_password_set()->mutable_hash() = sealed_with(key);
  return e;
}

v1::Event password_resealed(std::uint32_t before, std::uint32_t after) {
  v1::Event e;
  auto& resealed = *e.mutable_secret_resealed();
  resealed.set_kind(v1::SECRET_KIND_PASSWORD);
  resealed.set_name("alice");
  resealed.set_before(before);
  *resealed.mutable_secret() = sealed_with(after);
  return e;
}

TEST(Keeping, HistoryIsPrunedForwardAlone) {
  Given g = given(definitions());
  EXPECT_EQ(g.state().kept().pruned_before, 0);
  g.when({history_pruned(kTestStart - kHour)}).then_applied();
  EXPECT_EQ(g.state().kept().pruned_before, kTestStart - kHour);
  g.when({history_pruned(kTestStart - kHour)}).then_forbidden("already").when_elected();
  g.when({history_pruned(kTestStart + 400 * kDay)}).then_forbidden("to come").when_elected();
}

TEST(Keeping, ARestoreEndsWhatSignedPeopleIn) {
  Given g = given(definitions() + Events{password_set("alice"), browser_session_started("b1", "alice"),
                                         login_link_issued("alice")});
  g.when({cluster_restored(kTestStart)}).then_applied();
  EXPECT_EQ(g.state().browser_sessions.size(), 0u);
  EXPECT_EQ(g.state().login_links.size(), 0u);
  EXPECT_NE(g.state().passwords.find("alice"), nullptr) << "the old password still signs in";
  EXPECT_EQ(g.state().kept().restored_from, std::string(32, 'b'));
}

// The restored journal begins with empty input streams.
TEST(Keeping, P35_ARestoreDropsWhatNamesInputs) {
  Given g = given(definitions() +
                  Events{internal_error_recorded(v1::REQUESTS, 0, 3), internal_error_recorded("session:x")});
  g.when({cluster_restored(kTestStart)}).then_applied();
  EXPECT_EQ(g.state().quarantine.find("requests/0@3"), nullptr);
  EXPECT_NE(g.state().quarantine.find("session:x"), nullptr) << "the session is the same one";
}

// The lost part of the log may have had many elections; nobody is to take those of now for those.
TEST(Keeping, ARestoreLeadsToAnEpochThatTheLostPartNeverHad) {
  Given g = given(definitions());
  const std::uint64_t before = g.state().epoch().epoch;
  g.when({cluster_restored(kTestStart)}).then_applied();
  EXPECT_EQ(g.state().epoch().epoch, before + 1'000);
  EXPECT_TRUE(g.state().epoch().dead) << "no record but an election follows";
  g.when_elected();
  EXPECT_EQ(g.state().epoch().epoch, before + 1'001);
  g.when({clock_confirmed()}).then_applied();
}

// An agent may still have a kernel of the lost part under the number that the session's next start would
// have.
TEST(Keeping, P35_ARestoreLeadsToAttemptsThatTheLostPartNeverHad) {
  Given g = given(definitions() + agent("a1") + Events{session_requested("old")} + running("s1", "a1"));
  g.when({cluster_restored(kTestStart)}).then_applied();
  g.when_elected();
  EXPECT_EQ(g.state().kernels.find(kernel_id(kernel_name("s1")))->attempt, 1u)
      << "what runs keeps its number";
  g.when({session_requested("new")}).then_applied();
  for (const char* name : {"old", "new"}) {
    v1::Event scheduled = session_scheduled(name, "a1");
    g.when({scheduled}).then_forbidden("is not the next").when_elected();
    scheduled.mutable_session_scheduled()->set_attempt(1'000'001);
    g.when({scheduled}).then_applied();
  }
}

TEST(Keeping, ASealingKeyIsNewerThanTheOneThatSealsIt) {
  Given g = given(definitions());
  g.when({seal_key_added(2, 1)}).then_applied();
  g.when({seal_key_added(2, 1)}).then_forbidden("not the newest").when_elected();
  g.when({seal_key_added(3, 3)}).then_forbidden("no older one").when_elected();
  g.when({seal_key_added(3, 2)}).then_applied();
}

TEST(Keeping, ASecretIsSealedAnewAndItsOldKeyThenDestroyed) {
  Given g = given(definitions() + Events{password_sealed_with(1), seal_key_added(2, 1)});
  EXPECT_EQ(projections::count_sealed_before(g.state(), 2), 1u);
  g.when({seal_key_destroyed(1)}).then_forbidden("what lives").when_elected();
  g.when({seal_key_destroyed(2)}).then_forbidden("the newest").when_elected();
  g.when({password_resealed(1, 2)}).then_applied();
  EXPECT_EQ(g.state().passwords.find("alice")->def.hash().key(), 2u);
  g.when({password_resealed(1, 2)}).then_forbidden("another key").when_elected();
  EXPECT_EQ(projections::count_sealed_before(g.state(), 2), 0u);
  g.when({seal_key_destroyed(1)}).then_applied();
  g.when({seal_key_destroyed(1)}).then_forbidden("is destroyed").when_elected();
}

// The seed of the key that signs chain heads is a secret as any other: else a key that is destroyed would
// take it along, and no head would be signed any more.
TEST(Keeping, TheHeadKeyIsSealedAnewBeforeItsSealingKeyIsDestroyed) {
  SealingRing ring;
  ring.add({1, std::string(kSealKeyBytes, 'k')});
  v1::Event head;
  *head.mutable_head_key_changed() = HeadSigner(test_cluster(), ring).first(std::string(kHeadSeedBytes, 's'));
  Given g = given(definitions() + Events{head, seal_key_added(2, 1)});
  EXPECT_EQ(projections::count_sealed_before(g.state(), 2), 1u);
  g.when({seal_key_destroyed(1)}).then_forbidden("what lives").when_elected();

  ring.add({2, std::string(kSealKeyBytes, 'l')});
  const HeadSigner signer(test_cluster(), ring);
  const std::string public_key = head.head_key_changed().public_key();
  v1::Event resealed;
  resealed.mutable_secret_resealed()->set_kind(v1::SECRET_KIND_HEAD);
  resealed.mutable_secret_resealed()->set_before(1);
  *resealed.mutable_secret_resealed()->mutable_secret() =
      *signer.sealed_anew(public_key, head.head_key_changed().secret_key());
  g.when({resealed}).then_applied();
  g.when({seal_key_destroyed(1)}).then_applied();
  v1::ChainHeadRecorded signed_head;
  EXPECT_TRUE(signer.sign(public_key, g.state().heads.find("head")->secret_key, signed_head));
}

// The second net: whoever wrote the event, a secret in force opens.
TEST(Keeping, P29_NoSecretComesIntoForceThatADestroyedKeySealed) {
  Given g = given(definitions() + Events{seal_key_added(2, 1), seal_key_added(3, 1), seal_key_destroyed(2)});
  v1::Event key = key_pair_defined("AK9", "alice");
  *key.mutable_key_pair_defined()->mutable_secret() = sealed_with(2);
  v1::Event session = session_requested("s1");
  *session.mutable_session_requested()->mutable_environment() = sealed_with(2);
  for (const v1::Event& e : {password_sealed_with(2), key, session, seal_key_added(4, 2)})
    g.when({e}).then_forbidden("a destroyed key").when_elected();
  g.when({password_sealed_with(1)}).then_applied();
  g.when({password_resealed(1, 2)}).then_forbidden("a destroyed key").when_elected();
}

v1::Event server_sealing(const std::string& server, std::uint32_t number) {
  v1::Event e;
  e.mutable_server_sealing()->set_server(server);
  e.mutable_server_sealing()->set_number(number);
  return e;
}

TEST(Keeping, AServerThatIsNotHeardForADayIsForgotten) {
  Given g = given(definitions());
  g.when({server_sealing("c1", 1), server_sealing("c2", 1)}).then_applied();
  const auto lags = [&](std::uint32_t number, const std::set<std::string>& without = {}) {
    const auto* row = projections::find_lagging_sealer(g.state(), number, g.journal().time(), without);
    return row == nullptr ? std::string() : row->server;
  };
  EXPECT_EQ(lags(1), "c1");
  EXPECT_EQ(lags(1, {"c1"}), "c2");
  g.when({server_sealing("c1", 2)}).then_applied();
  EXPECT_EQ(lags(1), "c2");
  g.after(26 * kHour).when({server_sealing("c1", 2)}).then_applied();
  EXPECT_EQ(lags(1), "");
  EXPECT_EQ(g.state().sealers.size(), 1u);
  g.when({cluster_restored(kTestStart)}).then_applied();
  EXPECT_EQ(g.state().sealers.size(), 0u) << "they were of the lost part";
}

// Key pairs without a secret have that number.
TEST(Restored, P29_LosesNoKeyWithoutANumber) {
  v1::Event restored = cluster_restored(kTestStart);
  restored.mutable_cluster_restored()->add_lost_seal_keys(0);
  given(definitions()).when({restored}).then_forbidden("without a number");
}

}  // namespace
}  // namespace berth::testing
