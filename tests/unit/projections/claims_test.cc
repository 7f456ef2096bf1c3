// P12 and P14: the chain, and what others claim to have read of it.
#include <gtest/gtest.h>

#include "events/codec/envelope.h"
#include "tests/support/given.h"

namespace berth::testing {
namespace {

using projections::ApplyOutcome;
using projections::Chain;
using projections::Projection;
using projections::VoidReason;

Hash256 link(int i) { return blake2b_256("record " + std::to_string(i)); }

Chain chain_of(int records) {
  Chain chain;
  for (int i = 0; i < records; ++i) chain.extend(link(i));
  return chain;
}

TEST(Chain, DependsOnEveryRecordBefore) {
  const Chain chain = chain_of(10);
  Chain other;
  for (int i = 0; i < 10; ++i) other.extend(link(i == 3 ? 99 : i));
  EXPECT_EQ(chain.at(3)->rolling, other.at(3)->rolling);
  for (Offset at = 4; at <= 10; ++at) EXPECT_NE(chain.at(at)->rolling, other.at(at)->rolling) << at;
}

// BLAKE2b-256 of 32 zeros, eight zeros, and the record's hash. Frozen: a stored journal's claims depend on
// it.
TEST(Chain, KnownVector) {
  const Chain chain = chain_of(1);
  std::string input(40, '\0');
  input += as_view(link(0));
  EXPECT_EQ(chain.rolling(), blake2b_256(input));
}

TEST(Chain, ChecksClaimsInsideItsWindowOnly) {
  const int extra = 100;
  const Chain chain = chain_of(static_cast<int>(projections::kChainWindow) + extra);
  const auto rolling = [&](Offset at) { return as_view(chain.at(at)->rolling); };
  EXPECT_EQ(chain.oldest(), static_cast<Offset>(extra));
  EXPECT_EQ(chain.check(chain.next(), rolling(chain.next())), Chain::Check::kRight);
  EXPECT_EQ(chain.check(extra, rolling(extra)), Chain::Check::kRight);
  EXPECT_EQ(chain.check(extra, rolling(extra + 1)), Chain::Check::kWrong);
  EXPECT_EQ(chain.check(extra - 1, std::string(32, 'x')), Chain::Check::kTooOld);
  EXPECT_EQ(chain.check(chain.next() + 1, rolling(chain.next())), Chain::Check::kWrong) << "it lies ahead";
  EXPECT_EQ(chain.at(extra - 1), nullptr);
}

struct Reader {
  Reader() : projection(test_cluster(), Projection::Tracking::kRows) { read(); }
  ApplyOutcome read() {
    ApplyOutcome outcome;
    while (projection.chain().next() < journal.payloads().size())
      if (outcome = take();
          outcome.what == ApplyOutcome::What::kMismatch || outcome.what == ApplyOutcome::What::kStop)
        break;
    return outcome;
  }
  ApplyOutcome take(bool claim_is_wrong = false) {
    return projection.apply(projection.chain().next(), journal.payloads()[projection.chain().next()],
                            claim_is_wrong);
  }
  // An election at the next epoch with this claim.
  void elect(const v1::Claim& claim) {
    v1::Record record;
    auto* elected = record.add_events()->mutable_controller_elected();
    elected->set_nonce(wire("nonce"));
    elected->set_rules(kRules);
    *elected->mutable_claim() = claim;
    record.mutable_header()->set_epoch(journal.epoch() + 1);
    record.mutable_header()->set_time_ns(journal.time());
    journal.append_void(record);
  }
  TestJournal journal;
  Projection projection;
};

TEST(Claims, P12_ARightOneApplies) {
  Reader reader;
  reader.journal.elect();
  reader.journal.append(definitions());
  reader.elect(reader.journal.claim());
  EXPECT_TRUE(reader.read().applied());
  EXPECT_EQ(reader.projection.state().epoch().epoch, 2u);
}

TEST(Claims, P12_AnOldOneOfTheSameLogApplies) {
  Reader reader;
  reader.journal.elect();
  const auto claim = reader.journal.claim();
  reader.journal.append(definitions());
  reader.elect(claim);
  EXPECT_TRUE(reader.read().applied());
}

TEST(Claims, P12_AWrongOneIsNotTakenInBeforeTheLogWasReadAgain) {
  Reader reader;
  reader.journal.elect();
  auto claim = reader.journal.claim();
  claim.set_rolling(std::string(32, 'x'));
  reader.elect(claim);
  const auto outcome = reader.read();
  EXPECT_EQ(outcome.what, ApplyOutcome::What::kMismatch);
  EXPECT_EQ(outcome.error.code, "claim-mismatch");
  EXPECT_EQ(reader.projection.chain().next(), 1u) << "nothing was taken in";
  EXPECT_EQ(reader.take(true).reason, VoidReason::kClaim);
  EXPECT_EQ(reader.projection.chain().next(), 2u);
  EXPECT_EQ(reader.projection.state().epoch().epoch, 1u);
}

TEST(Claims, P12_AClaimIsJudgedBeforeTheEpochIs) {
  Reader reader;
  reader.journal.elect();
  auto claim = reader.journal.claim();
  claim.set_offset(7);
  v1::Record record = reader.journal.next_record({});
  *record.add_events()->mutable_chain_head_recorded()->mutable_claim() = claim;
  record.mutable_header()->set_epoch(77);
  reader.journal.append_void(record);
  EXPECT_EQ(reader.read().what, ApplyOutcome::What::kMismatch);
}

TEST(Claims, P12_OneMoreThanAWindowBackIsVoid) {
  Reader reader;
  reader.journal.elect();
  const auto claim = reader.journal.claim();
  for (std::size_t i = 0; i <= projections::kChainWindow; ++i) reader.journal.append_bytes("noise");
  reader.elect(claim);
  EXPECT_EQ(reader.read().reason, VoidReason::kClaimTooOld);
  EXPECT_EQ(reader.projection.state().epoch().epoch, 1u);
}

TEST(Claims, P12_AStateHashThatDiffersIsSaidButNeverVoid) {
  Reader reader;
  reader.journal.elect();
  reader.journal.append(definitions());
  while (reader.journal.chain().next() < projections::kChainEvery) reader.journal.append({clock_confirmed()});
  reader.read();
  const auto* point = reader.projection.chain().at(projections::kChainEvery);
  ASSERT_TRUE(point->state_hash.has_value());
  EXPECT_EQ(*point->state_hash, recomputed_hash(reader.projection.state()));
  reader.journal.append_chain_head(std::string(as_view(*point->state_hash)));
  EXPECT_TRUE(reader.read().applied());

  reader.journal.append_chain_head(
      "another hash....");  // its claim is at an offset without a state hash: nothing to compare
  EXPECT_TRUE(reader.read().applied());
}

TEST(Claims, P14_TheStateHashIsTakenAtTheSameOffsetsByEveryReader) {
  TestJournal journal;
  journal.elect();
  for (std::size_t i = 0; i < 2 * projections::kChainEvery; ++i) journal.append({clock_confirmed()});
  Projection projection(test_cluster(), Projection::Tracking::kRows);
  for (const auto& payload : journal.payloads()) projection.apply(projection.chain().next(), payload);
  for (Offset at = 1; at <= projection.chain().next(); ++at)
    EXPECT_EQ(projection.chain().at(at)->state_hash.has_value(), at % projections::kChainEvery == 0) << at;
}

}  // namespace
}  // namespace berth::testing
