// What keeps a cluster: history's rule, and the keys that seal secrets.
#include "controller/decide/keeping/history.h"
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

}  // namespace
}  // namespace berth::testing::decisions
