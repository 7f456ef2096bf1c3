// What every Store does. A test program gives a factory: struct F { Store& store(); void reopen(); }.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "projections/store/projector.h"
#include "tests/support/projector_rig.h"

namespace berth::testing {

template <class Factory> class StoreContract : public ::testing::Test {
 protected:
  // Folds the journal, writing every `batch` records.
  void fold(const TestJournal& journal, std::size_t batch, projections::Projector& projector) {
    for (const auto& entry : journal.entries(projector.next())) {
      const auto outcome = projector.apply(std::span(&entry, 1), 1);
      ASSERT_EQ(outcome.next, projections::Projector::Next::kGoOn) << to_string(outcome.error);
      if (projector.next() % batch == 0) write(projector);
    }
    write(projector);
  }
  void write(projections::Projector& projector) {
    const auto saved = projector.flush();
    ASSERT_TRUE(saved) << to_string(saved.error());
  }
  projections::Projector projector() {
    return projections::Projector(test_cluster(), factory_.store(), {}, nullptr);
  }

  Factory factory_;
};
TYPED_TEST_SUITE_P(StoreContract);

TYPED_TEST_P(StoreContract, IsEmptyAtFirst) {
  EXPECT_FALSE(this->factory_.store().read_meta()->has_value());
  auto projector = this->projector();
  ASSERT_TRUE(projector.open());
  EXPECT_EQ(projector.next(), 0u);
}

TYPED_TEST_P(StoreContract, GivesBackTheStateThatWasWritten) {
  const auto journal = busy_journal(100);
  auto first = this->projector();
  ASSERT_TRUE(first.open());
  this->fold(journal, 17, first);
  this->factory_.reopen();
  auto second = this->projector();
  ASSERT_TRUE(second.open());
  EXPECT_EQ(second.next(), journal.payloads().size());
  EXPECT_EQ(hash_of(second), folded_hash(journal));
  EXPECT_EQ(second.projection().chain().rolling(), journal.chain().rolling());
}

TYPED_TEST_P(StoreContract, RemembersTheWholeWindowOfTheChainFromItsFirstPoint) {
  const auto journal = busy_journal(40);
  auto first = this->projector();
  ASSERT_TRUE(first.open());
  this->fold(journal, 7, first);
  this->factory_.reopen();
  auto second = this->projector();
  ASSERT_TRUE(second.open());
  const auto& chain = second.projection().chain();
  for (Offset at = 0; at <= chain.next(); ++at) {
    ASSERT_NE(chain.at(at), nullptr) << at;
    EXPECT_EQ(chain.at(at)->rolling, journal.chain().at(at)->rolling) << at;
  }
}

TYPED_TEST_P(StoreContract, P17_ALostTailIsReplayedToTheSameState) {
  const auto journal = busy_journal(100);
  auto first = this->projector();
  ASSERT_TRUE(first.open());
  for (const auto& entry : journal.entries()) {
    first.apply(std::span(&entry, 1), 1);
    if (entry.offset == 123) this->write(first);  // and nothing after
  }
  this->factory_.reopen();
  auto second = this->projector();
  ASSERT_TRUE(second.open());
  EXPECT_EQ(second.next(), 124u);
  this->fold(journal, 50, second);
  EXPECT_EQ(hash_of(second), folded_hash(journal));
}

TYPED_TEST_P(StoreContract, ResetGoesToTheNewestCheckpointThatIsNotTooNew) {
  const auto journal = busy_journal(100);
  auto projector = this->projector();
  ASSERT_TRUE(projector.open());
  for (const auto& entry : journal.entries()) {
    projector.apply(std::span(&entry, 1), 1);
    if (projector.next() != 50 && projector.next() != 100) continue;
    this->write(projector);
    ASSERT_TRUE(this->factory_.store().checkpoint());
  }
  this->write(projector);
  const Error why = make_error("internal-error", "test");
  ASSERT_TRUE(projector.rebuild(why, 120));
  EXPECT_EQ(projector.next(), 100u);
  ASSERT_TRUE(projector.rebuild(why, 99));
  EXPECT_EQ(projector.next(), 50u);
  this->fold(journal, 50, projector);
  EXPECT_EQ(hash_of(projector), folded_hash(journal));
  ASSERT_TRUE(projector.rebuild(why, 49));
  EXPECT_EQ(projector.next(), 0u);
}

TYPED_TEST_P(StoreContract, ListsHistoryNewestFirstInPagesAndFindsItById) {
  auto journal = busy_journal(60);
  journal.advance(projections::kHistoryAfter + kSecond);
  journal.append({session_requested("last")});
  auto projector = this->projector();
  ASSERT_TRUE(projector.open());
  this->fold(journal, 40, projector);
  this->factory_.reopen();
  auto& store = this->factory_.store();

  std::vector<Timestamp> ends;
  std::size_t pages = 0;
  std::string token;
  do {
    auto page = store.read_history(7, token);
    ASSERT_TRUE(page) << to_string(page.error());
    for (const auto& entry : page->entries) ends.push_back(entry.session.ended_at);
    token = page->next_token;
    ++pages;
  } while (!token.empty());
  EXPECT_EQ(ends.size(), 48u);  // 4 of 5 ended
  EXPECT_EQ(pages, 7u);
  EXPECT_TRUE(std::is_sorted(ends.rbegin(), ends.rend()));

  auto found = store.find_history(session_id("s4"));
  ASSERT_TRUE(found && found->has_value());
  EXPECT_EQ((*found)->session.name, "s4");
  ASSERT_EQ((*found)->kernels.size(), 1u);
  EXPECT_EQ((*found)->kernels[0].hostname(), "main1");
  EXPECT_FALSE(store.find_history(session_id("s0"))->has_value());  // still PENDING
  EXPECT_EQ(store.read_history(7, "nonsense").error().code, "invalid-token");
}

TYPED_TEST_P(StoreContract, FindsTheNewestPastSessionOfANameAndOfAUser) {
  TestJournal journal;
  journal.elect();
  const auto ended = [&](const std::string& id, const std::string& name, const std::string& user) {
    v1::Event requested = session_requested(id, Spec(), user);
    requested.mutable_session_requested()->set_name(name);
    journal.append({requested});
    journal.advance(kSecond);
    journal.append({session_cancelled(id)});
  };
  for (const v1::Event& event : definitions() + Events{user_defined("bob")}) journal.append({event});
  ended("s1", "job", "alice");
  ended("s2", "job", "alice");
  ended("s3", "job", "bob");
  ended("s4", "job-2", "bob");
  journal.advance(projections::kHistoryAfter + kSecond);
  journal.append({session_requested("last")});
  auto projector = this->projector();
  ASSERT_TRUE(projector.open());
  this->fold(journal, 1, projector);
  this->factory_.reopen();
  const auto found = [&](const std::string& user, const std::string& name) {
    const auto entry = this->factory_.store().find_history_by_name(user, name);
    EXPECT_TRUE(entry);
    return entry && entry->has_value() ? to_string((*entry)->session.id) : std::string();
  };
  EXPECT_EQ(found("alice", "job"), to_string(session_id("s2")));
  EXPECT_EQ(found("bob", "job"), to_string(session_id("s3")));
  EXPECT_EQ(found("", "job"), to_string(session_id("s3")));
  EXPECT_EQ(found("bob", "job-2"), to_string(session_id("s4")));
  EXPECT_EQ(found("alice", "job-2"), "");
  EXPECT_EQ(found("", "jo"), "");
}

// What ended at the bound stays; what ended before is found neither by its id nor by its name.
TYPED_TEST_P(StoreContract, DropsWhatEndedBeforeTheBoundOfAPrunedHistory) {
  auto journal = busy_journal(60);
  journal.advance(projections::kHistoryAfter + kSecond);
  journal.append({session_requested("last")});
  auto projector = this->projector();
  ASSERT_TRUE(projector.open());
  this->fold(journal, 40, projector);
  const auto all = this->factory_.store().read_history(100, "");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->entries.size(), 48u);
  const auto& kept = all->entries[9];
  const auto& oldest = all->entries.back();
  ASSERT_LT(oldest.session.ended_at, kept.session.ended_at);

  v1::Event pruned;
  pruned.mutable_history_pruned()->set_before_ns(kept.session.ended_at);
  journal.append({pruned});
  const auto expect_bounded = [&](const std::string& when) {
    SCOPED_TRACE(when);
    const auto left = this->factory_.store().read_history(100, "");
    ASSERT_TRUE(left);
    ASSERT_EQ(left->entries.size(), 10u);
    EXPECT_EQ(left->next_token, "");
    EXPECT_EQ(left->entries.back().session.ended_at, kept.session.ended_at);
    EXPECT_FALSE(this->factory_.store().find_history(oldest.session.id)->has_value());
    EXPECT_FALSE(this->factory_.store().find_history_by_name("", oldest.session.name)->has_value());
    EXPECT_TRUE(this->factory_.store().find_history(kept.session.id)->has_value());
  };
  projector.apply(journal.entries(projector.next()), 1);
  expect_bounded("from the record on, before anything is written or removed");
  ASSERT_TRUE(projector.flush());
  this->factory_.reopen();
  projections::Projector again(test_cluster(), this->factory_.store(), {}, nullptr);
  ASSERT_TRUE(again.open());
  expect_bounded("after a start, before anything is removed");
  ASSERT_TRUE(again.prune(kSecond));
  this->factory_.reopen();
  expect_bounded("removed: a store that was not told of the bound has no more");
}

REGISTER_TYPED_TEST_SUITE_P(StoreContract, IsEmptyAtFirst, GivesBackTheStateThatWasWritten,
                            RemembersTheWholeWindowOfTheChainFromItsFirstPoint,
                            P17_ALostTailIsReplayedToTheSameState,
                            ResetGoesToTheNewestCheckpointThatIsNotTooNew,
                            ListsHistoryNewestFirstInPagesAndFindsItById,
                            FindsTheNewestPastSessionOfANameAndOfAUser,
                            DropsWhatEndedBeforeTheBoundOfAPrunedHistory);

}  // namespace berth::testing
