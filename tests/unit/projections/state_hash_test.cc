// P14: the state hash is a sum over rows, kept incrementally.
#include <gtest/gtest.h>

#include "events/codec/chain_head.h"
#include "tests/support/folders.h"
#include "tests/support/given.h"
#include "tests/support/producers.h"

namespace berth::testing {
namespace {

using projections::Projection;

TEST(StateHash, OfNothingIsZero) {
  Projection projection(test_cluster(), Projection::Tracking::kRows);
  EXPECT_EQ(projection.state_hash(), Hash128{});
}

// One row of table 15, key "x": BLAKE2b-128 of 0f, the key's length in two bytes, the key, and the row's
// bytes.
TEST(StateHash, KnownVectorOfOneRow) {
  projections::Table<projections::QuarantineRow> table;
  table.track_changes();
  table.put({"x", 0, true});
  StateHash hash;
  table.flush(hash, nullptr);
  const std::string input("\x0f\x01\x00x\x0a\x01x\x18\x01", 9);
  EXPECT_EQ(hash.value(), blake2b_128(input));
}

TEST(StateHash, DoesNotDependOnTheOrderOfRows) {
  const auto fold = [](const std::vector<std::string>& names) {
    projections::Table<projections::QuarantineRow> table;
    table.track_changes();
    StateHash hash;
    for (const auto& name : names) {
      table.put({name, 1, false});
      table.flush(hash, nullptr);
    }
    return hash.value();
  };
  EXPECT_EQ(fold({"a", "b", "c"}), fold({"c", "a", "b"}));
  EXPECT_NE(fold({"a", "b", "c"}), fold({"a", "b"}));
}

TEST(StateHash, EveryTableIsInIt) {
  Given g = given(definitions() + agent("a1"));
  v1::Event scheduled = session_scheduled("s1", "a1"), limit, preset, group = group_defined("default"),
            learned, head, rule, seal_key;
  SealingRing ring;
  ring.add({1, std::string(kSealKeyBytes, 'k')});
  *head.mutable_head_key_changed() = HeadSigner(test_cluster(), ring).first(std::string(kHeadSeedBytes, 's'));
  rule.mutable_history_rule_set()->set_keep_ms(1'000);
  seal_key.mutable_seal_key_added()->set_number(2);
  *seal_key.mutable_seal_key_added()->mutable_key() = head.head_key_changed().secret_key();
  group.mutable_resource_group_defined()->set_order("fair-share");
  group.mutable_resource_group_defined()->set_select("fgd");
  learned.mutable_selection_learned()->set_group("default");
  scheduled.mutable_session_scheduled()->set_turn(1);
  limit.mutable_limit_set()->set_scope(v1::SCOPE_KIND_USER);
  limit.mutable_limit_set()->set_id("alice");
  preset.mutable_preset_defined()->set_name("small");
  v1::Event sealing;
  sealing.mutable_server_sealing()->set_server("c1");
  sealing.mutable_server_sealing()->set_number(2);
  g.and_given({group,
               key_pair_defined("AK", "alice"),
               answering(session_requested("s1"), "user:alice", "r"),
               scheduled,
               limit,
               preset,
               learned,
               kernel_terminated(kernel_name("s1")),
               internal_error_recorded("group:x"),
               preset_defined("old", "cpu", kUnit),
               definition_removed("preset", "old"),
               password_set("alice"),
               login_link_issued("alice"),
               browser_session_started("b1", "alice"),
               unreachable_changed({"a1"}),
               session_shared("s1", "user", "alice"),
               web_producer(),
               head,
               rule,
               seal_key,
               sealing});
  g.and_given(agent_of_volume("a2") + Events{folder_created("data")});
  v1::Record record = g.journal().next_record({});
  auto* range = record.mutable_header()->add_ranges();
  range->set_stream(v1::REQUESTS);
  range->set_to(1);
  g.when_record(record).then_applied();
  int empty = 0;
  projections::State::each_table(g.state(), [&](const auto& table) { empty += table.size() == 0 ? 1 : 0; });
  EXPECT_EQ(empty, 0) << "this test should fill every table";
  EXPECT_EQ(g.projection().state_hash(), recomputed_hash(g.state()));
}

TEST(StateHash, UndoGivesItBack) {
  projections::Table<projections::QuarantineRow> table;
  table.track_changes();
  StateHash hash;
  table.put({"a", 1, false});
  table.put({"b", 1, false});
  table.commit();
  table.flush(hash, nullptr);
  const auto before = hash;
  table.put({"a", 2, false});
  table.erase("b");
  table.put({"c", 1, false});
  table.erase("a");
  table.put({"a", 3, true});
  table.rollback();
  std::vector<projections::RowChange> changes;
  table.flush(hash, &changes);
  EXPECT_EQ(hash, before);
  EXPECT_EQ(table.find("a")->failures, 1u);
  EXPECT_EQ(table.find("c"), nullptr);
}

TEST(StateHash, AVoidRecordLeavesItButForTheDeadEpoch) {
  const auto hash_after = [](const Events& record) {
    Given g = given(definitions() + agent("a1") + Events{session_requested("s1")});
    g.when(record).then_forbidden("");
    return g.projection().state_hash();
  };
  EXPECT_EQ(hash_after({session_cancelled("nobody")}),
            hash_after({session_scheduled("s1", "a1"), kernel_running(kernel_name("s1")), agent_fenced("a1"),
                        session_cancelled("nobody")}));
}

TEST(Table, AChangeIsListedOnceHoweverOftenARowChanged) {
  projections::Table<projections::QuarantineRow> table;
  table.track_changes();
  StateHash hash;
  for (std::uint32_t i = 1; i <= 5; ++i) table.put({"a", i, false});
  table.put({"gone", 1, false});
  table.erase("gone");
  std::vector<projections::RowChange> changes;
  table.flush(hash, &changes);
  ASSERT_EQ(changes.size(), 1u) << "what came and went between two flushes was never there";
  EXPECT_EQ(changes[0].key, "a");
  changes.clear();
  table.flush(hash, &changes);
  EXPECT_TRUE(changes.empty());
  table.erase("a");
  table.put({"a", 9, false});
  table.flush(hash, &changes);
  ASSERT_EQ(changes.size(), 2u) << "deleted, then put: the store applies them in order";
  EXPECT_FALSE(changes[0].bytes.has_value());
  EXPECT_TRUE(changes[1].bytes.has_value());
}

// Writes down what it is told: "failures before>failures after".
struct Heard {
  void on_row(const projections::QuarantineRow* before, const projections::QuarantineRow* after) {
    lines.push_back((before ? std::to_string(before->failures) : "-") + ">" +
                    (after ? std::to_string(after->failures) : "-"));
  }
  std::vector<std::string> lines;
};

TEST(Table, AListenerHearsChangesForwardsAndOnUndo) {
  projections::Table<projections::QuarantineRow> table;
  Heard heard;
  table.set_listener(&heard);
  table.put({"a", 1, false});
  table.commit();
  table.put({"a", 2, false});
  table.erase("a");
  table.rollback();
  EXPECT_EQ(heard.lines, (std::vector<std::string>{"->1", "1>2", "2>-", "->2", "2>1"}));
}

TEST(Table, ACopyTellsNobodyAndAClearedListenerHearsNothing) {
  projections::Table<projections::QuarantineRow> table;
  Heard heard;
  table.set_listener(&heard);
  projections::Table<projections::QuarantineRow> copy = table;
  copy.put({"a", 1, false});
  EXPECT_TRUE(heard.lines.empty());
  table.put({"a", 1, false});
  table.clear_listener();
  table.put({"a", 2, false});
  EXPECT_EQ(heard.lines, (std::vector<std::string>{"->1"}));
}

TEST(State, AListenerHearsOfTheTablesThatItFollowsAndOfNoCopy) {
  projections::State state;
  Heard heard;
  state.set_listener(&heard);
  projections::State copy(state);
  copy.quarantine.put({"b", 7, false});
  state.quarantine.put({"a", 1, false});
  state.turns.put({"default", 1});
  EXPECT_EQ(heard.lines, (std::vector<std::string>{"->1"}));
  state.set_listener(nullptr);
  state.rollback();
  EXPECT_EQ(heard.lines.size(), 1u);
}

TEST(State, ACopyKeepsItsOwnIndexes) {
  Given g = given(definitions() + agent("a1") + Events{session_requested("s1")});
  projections::State copy(g.state());
  g.and_given({session_cancelled("s1")});
  ASSERT_NE(copy.find_live("alice", "s1"), nullptr);
  copy.sessions.erase(session_id("s1"));
  EXPECT_EQ(copy.find_live("alice", "s1"), nullptr);
  EXPECT_TRUE(copy.pending().empty());
  copy.rollback();
  EXPECT_EQ(copy.pending().size(), 1u);
  EXPECT_TRUE(g.state().pending().empty());
}

}  // namespace
}  // namespace berth::testing
