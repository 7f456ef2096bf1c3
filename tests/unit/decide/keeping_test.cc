// What keeps a cluster: history's rule, and the keys that seal secrets.
#include "controller/decide/keeping/history.h"
#include "projections/sealed_secrets.h"
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

constexpr std::int64_t kDayMs = 24 * kHour / kMillisecond;

TEST(SetHistoryRule, IsAWeekAtLeastOrForEver) {
  v1::Event rule;
  rule.mutable_history_rule_set()->set_keep_ms(30 * kDayMs);
  given(world()).when(set_history_rule(30 * kDayMs)).then({rule});
  rule.mutable_history_rule_set()->set_keep_ms(0);
  given(world()).when(set_history_rule(0)).then({rule});
  for (const std::int64_t bad : {std::int64_t{1}, kDayMs, std::int64_t{-1}, INT64_MAX})
    given(world()).when(set_history_rule(bad)).then_refused("history-keep-out-of-range");
}

TEST(PruneHistory, NeverTheNewestWeek) {
  given(world()).when(prune_history(kTestStart / kMillisecond)).then_refused("history-too-recent");
  given(world()).when(prune_history(0)).then_refused("history-pruned-already");
  v1::Event pruned;
  pruned.mutable_history_pruned()->set_before_ns(kTestStart - 30 * kDay);
  given(world()).when(prune_history((kTestStart - 30 * kDay) / kMillisecond)).then({pruned});
}

TEST(PruneHistory, ByItsRuleItIsPrunedOnceADay) {
  Given g = testing::given(world());
  EXPECT_FALSE(controller::prune_due(g.state(), kTestStart)) << "for ever";
  v1::Event rule;
  rule.mutable_history_rule_set()->set_keep_ms(30 * kDayMs);
  g.when({rule}).then_applied();
  const auto due = controller::prune_due(g.state(), kTestStart);
  ASSERT_TRUE(due);
  EXPECT_LE(*due, kTestStart - 30 * kDay);
  EXPECT_GT(*due, kTestStart - 31 * kDay);
  v1::Event pruned;
  pruned.mutable_history_pruned()->set_before_ns(*due);
  g.when({pruned}).then_applied();
  EXPECT_FALSE(controller::prune_due(g.state(), kTestStart)) << "not before tomorrow";
  EXPECT_TRUE(controller::prune_due(g.state(), kTestStart + kDay));
}

TEST(AddSealKey, IsTheNewestAndSealedWithAnOlderOne) {
  v1::Event added;
  added.mutable_seal_key_added()->set_number(2);
  *added.mutable_seal_key_added()->mutable_key() = some_sealed();
  given(world()).when(add_seal_key(2)).then({added});
  given(world()).when(add_seal_key(1)).then_refused("seal-key-malformed");
  given(world() + Events{added}).when(add_seal_key(2)).then_refused("seal-key-exists");
}

TEST(DestroySealKey, NeverTheNewestNorOneThatIsUsed) {
  v1::Event added;
  added.mutable_seal_key_added()->set_number(2);
  *added.mutable_seal_key_added()->mutable_key() = some_sealed();
  v1::Event password = password_set("alice");
  *password.mutable_password_set()->mutable_hash() = some_sealed();
  given(world() + Events{added}).when(destroy_seal_key(2)).then_refused("seal-key-in-use");
  given(world() + Events{added, password}).when(destroy_seal_key(1)).then_refused("seal-key-in-use");
  v1::Event destroyed;
  destroyed.mutable_seal_key_destroyed()->set_number(1);
  given(world() + Events{added}).when(destroy_seal_key(1)).then({destroyed});
}

TEST(ResealSecrets, LeavesWhatWasChangedMeanwhile) {
  v1::Event added;
  added.mutable_seal_key_added()->set_number(2);
  *added.mutable_seal_key_added()->mutable_key() = some_sealed();
  v1::Event password = password_set("alice");
  *password.mutable_password_set()->mutable_hash() = some_sealed();
  const Events events = world() + Events{added, password};
  v1::Event resealed;
  *resealed.mutable_secret_resealed() = reseal_password("alice", 1).reseal_secrets().secrets(0);
  given(events).when(reseal_password("alice", 1)).then({resealed});
  given(events).when(reseal_password("alice", 7)).then_refused("nothing-to-reseal");
  given(events).when(reseal_password("nobody", 1)).then_refused("nothing-to-reseal");
}

// Key 3 is the newest, key 2 is destroyed, and nothing is sealed with it.
Events world_without_key_2() {
  v1::Event second, third, destroyed;
  second.mutable_seal_key_added()->set_number(2);
  *second.mutable_seal_key_added()->mutable_key() = some_sealed();
  third.mutable_seal_key_added()->set_number(3);
  *third.mutable_seal_key_added()->mutable_key() = some_sealed();
  destroyed.mutable_seal_key_destroyed()->set_number(2);
  return world() + Events{second, third, destroyed};
}

// A server stood still while the key with which it seals was destroyed: nobody could open what it sends.
TEST(SealedSecrets, P29_ABoxOfADestroyedKeyIsRefused) {
  v1::Request key = add_key_pair("AK2", "alice"), password = set_password("alice"), more = add_seal_key(9);
  v1::Request session = request_session("s1"), resealed = reseal_password("alice", 1), head;
  *key.mutable_add_key_pair()->mutable_key()->mutable_secret() = some_sealed(2);
  *password.mutable_set_password()->mutable_hash() = some_sealed(2);
  *more.mutable_add_seal_key()->mutable_key() = some_sealed(2);
  *session.mutable_request_session()->mutable_environment() = some_sealed(2);
  session.set_keyed_hash(std::string(16, 'h'));
  v1::Event with_key = key_pair_defined("AK3", "alice");
  *with_key.mutable_key_pair_defined()->mutable_secret() = some_sealed(2);
  for (const v1::Request& request : {key, password, more, session, resealed, define({with_key})}) {
    SCOPED_TRACE(request.ShortDebugString());
    given(world_without_key_2() + Events{password_set("alice")})
        .when(request)
        .then_refused("seal-key-destroyed");
  }
}

// A restore gave key 1 up: what that sealed opens nowhere, and keeps its user from no new key pair.
TEST(AddKeyPair, P29_DeadKeyPairsTakeNoRoom) {
  Events history = world();
  for (int i = 0; i < 16; ++i) {
    v1::Event key = key_pair_defined("AKx" + std::to_string(i), "alice");
    *key.mutable_key_pair_defined()->mutable_secret() = some_sealed(1);
    key.mutable_key_pair_defined()->set_active(true);
    history.push_back(key);
  }
  v1::Request more = add_key_pair("AK2", "alice");
  *more.mutable_add_key_pair()->mutable_key()->mutable_secret() = some_sealed(2);
  given(history).when(more).then_refused("too-many-keys");

  Case c = given(history);
  v1::Event restored;
  restored.mutable_cluster_restored()->set_backup(std::string(32, 'b'));
  restored.mutable_cluster_restored()->set_taken_ns(kTestStart);
  restored.mutable_cluster_restored()->add_lost_seal_keys(1);
  Given& folded = c;
  folded.when({restored}).then_applied().when_elected();
  EXPECT_EQ(projections::count_sealed_before(c.state(), 2), 0u) << "nothing is left to seal anew";
  c.when(more);
  ASSERT_EQ(c.decided().size(), 1u);
  EXPECT_TRUE(c.decided()[0].has_key_pair_defined()) << c.decided()[0].ShortDebugString();
}

v1::Event server_sealing(const std::string& server, std::uint32_t number) {
  v1::Event e;
  e.mutable_server_sealing()->set_server(server);
  e.mutable_server_sealing()->set_number(number);
  return e;
}

TEST(DestroySealKey, P29_WaitsForEachServerThatIsHeard) {
  v1::Event added, destroyed;
  added.mutable_seal_key_added()->set_number(2);
  *added.mutable_seal_key_added()->mutable_key() = some_sealed();
  destroyed.mutable_seal_key_destroyed()->set_number(1);
  const Events history = world() + Events{added, server_sealing("c1", 2), server_sealing("c2", 1)};
  Case c = given(history);
  c.when(destroy_seal_key(1)).then_refused("seal-key-not-learned");
  EXPECT_NE(c.decided()[0].request_refused().message().find("server c2 sealed with key 1"),
            std::string::npos);

  v1::Request without = destroy_seal_key(1);
  without.mutable_destroy_seal_key()->add_without("c2");
  given(history).when(without).then({destroyed});
  given(history + Events{server_sealing("c2", 2)}).when(destroy_seal_key(1)).then({destroyed});

  Case late = given(history);
  late.after(26 * kHour).when(destroy_seal_key(1)).then({destroyed});
}

TEST(RecordSealing, IsTheServersOwnWordAndIsWrittenOnceADay) {
  Case c = given(world() + Events{user_with_role("root", "superadmin")});
  c.when(record_sealing("c1", 1)).then({server_sealing("c1", 1)});
  c.when(record_sealing("c1", 1)).then_refused("not-newer");
  c.when(record_sealing("c1", 2)).then({server_sealing("c1", 2)});
  c.when(sent_by(record_sealing("c1", 9), "root")).then_refused("denied");
  for (const v1::Request& bad : {record_sealing("", 1), record_sealing("c1", 0),
                                 record_sealing(std::string(129, 'x'), 1), record_sealing("a\nb", 1)})
    c.when(bad).then_refused("invalid-value");
  c.after(21 * kHour).when(record_sealing("c1", 2)).then({server_sealing("c1", 2)});
  EXPECT_EQ(c.state().sealers.size(), 1u);
}

TEST(RecordBackup, IsOfTheNewestAndOfWhoReadsTheJournal) {
  Case c = given(world() + Events{user_with_role("root", "superadmin")});
  v1::Event taken;
  *taken.mutable_backup_taken() = record_backup(kTestStart - kHour).record_backup().backup();
  c.when(sent_by(record_backup(kTestStart - kHour), "alice")).then_refused("denied");
  c.when(sent_by(record_backup(kTestStart - kHour), "root")).then({taken});
  EXPECT_EQ(c.state().kept().backup, std::string(32, 'b'));
  c.when(record_backup(kTestStart - 2 * kHour)).then_refused("not-newer");
  c.when(record_backup(kTestStart + kDay)).then_refused("invalid-value");
  c.when(record_backup(kTestStart, 'z')).then_refused("invalid-value");
}

}  // namespace
}  // namespace berth::testing::decisions
