// Signed chain heads in the fold, and an audit that knows nothing but the log's bytes: what it must find.
#include "projections/audit/chain_audit.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "events/codec/chain_head.h"
#include "events/codec/envelope.h"
#include "tests/support/given.h"

namespace berth::testing {
namespace {

using projections::ApplyOutcome;
using projections::ChainAudit;
using projections::Projection;
using projections::SignedHead;

SealingRing ring() {
  SealingRing ring;
  ring.add({1, std::string(kSealKeyBytes, 'k')});
  return ring;
}

// A log whose leader signs, as the leader does; a reader beside it says what applied and what a state hashes
// to.
class SignedLog {
 public:
  explicit SignedLog(char seed = 'a', const Uuid& cluster = test_cluster())
      : cluster_(cluster),
        signer_(cluster, ring()),
        journal(cluster),
        reader(cluster, Projection::Tracking::kRows) {
    journal.elect();
    v1::Event key;
    *key.mutable_head_key_changed() = signer_.first(std::string(kHeadSeedBytes, seed));
    journal.append({key});
    read();
  }
  void work(int records) {
    for (int i = 0; i < records; ++i) journal.append({clock_confirmed()});
    read();
  }
  v1::Event head() {
    const auto* row = reader.state().heads.find("head");
    v1::Event event;
    auto& head = *event.mutable_chain_head_recorded();
    *head.mutable_claim() = journal.claim();
    head.set_state_hash(std::string(as_view(reader.state_hash())));
    head.set_from(row->offset);
    head.set_applied(reader.chain().last().applied);
    BERTH_CHECK(signer_.sign(row->public_key, row->secret_key, head), "the ring opens the seed");
    return event;
  }
  void sign() {
    journal.append({head()});
    ASSERT_TRUE(read().applied());
  }
  v1::Event rotation(char seed) {
    const auto* row = reader.state().heads.find("head");
    v1::Event event;
    *event.mutable_head_key_changed() =
        *signer_.next(row->public_key, row->secret_key, std::string(kHeadSeedBytes, seed));
    return event;
  }
  ApplyOutcome read() {
    ApplyOutcome outcome;
    for (const LogEntry& entry : journal.entries(reader.chain().next())) outcome = reader.apply(entry);
    return outcome;
  }
  SignedHead kept() const { return signed_head_of(*reader.state().heads.find("head")); }

 private:
  Uuid cluster_;
  HeadSigner signer_;

 public:
  TestJournal journal;
  Projection reader;
};

ChainAudit audit_of(const std::vector<LogEntry>& log, std::optional<SignedHead> kept = std::nullopt) {
  ChainAudit audit(std::nullopt, std::move(kept));
  for (const LogEntry& entry : log)
    if (!audit.take(entry)) break;
  audit.finish();
  return audit;
}

std::string code_of(const ChainAudit& audit) { return audit.finding() ? audit.finding()->code : ""; }

// Three heads, and five records that none covers yet.
SignedLog three_heads() {
  SignedLog log;
  for (int i = 0; i < 3; ++i) {
    log.work(10);
    log.sign();
  }
  log.work(5);
  return log;
}

TEST(ChainAudit, AWholeLogIsGoodAndCountsAsItsReadersDo) {
  SignedLog log = three_heads();
  const ChainAudit audit = audit_of(log.journal.entries(), log.kept());
  EXPECT_TRUE(audit.is_good()) << audit.finding()->message;
  EXPECT_TRUE(audit.kept_found());
  EXPECT_EQ(audit.counts().heads, 3u);
  EXPECT_EQ(audit.point().applied, log.reader.chain().last().applied);
  EXPECT_EQ(audit.point().rolling, log.reader.chain().rolling());
}

TEST(ChainAudit, AByteThatWasFlippedIsNamedByItsOffset) {
  SignedLog log = three_heads();
  for (const Offset at : {Offset{1}, Offset{7}, Offset{20}, log.journal.chain().next() - 2}) {
    auto entries = log.journal.entries();
    entries[at].payload[entries[at].payload.size() / 2] ^= 1;
    const ChainAudit audit = audit_of(entries);
    ASSERT_FALSE(audit.is_good()) << at;
    EXPECT_EQ(audit.finding()->offset, at);
    EXPECT_EQ(code_of(audit), "record-damaged");
  }
}

// The checksum is made right again: the link of the next record still tells.
TEST(ChainAudit, ARecordThatWasWrittenAnewIsFoundByTheNextOnesLink) {
  SignedLog log = three_heads();
  auto entries = log.journal.entries();
  const auto envelope = open_envelope(entries[5].payload);
  v1::Record record;
  ASSERT_TRUE(record.ParseFromString(std::string(envelope->body)));
  record.mutable_events(0)->mutable_clock_confirmed()->set_wall_ns(7);
  entries[5].payload = make_envelope(test_cluster(), record.SerializeAsString());
  const ChainAudit audit = audit_of(entries);
  ASSERT_FALSE(audit.is_good());
  EXPECT_EQ(audit.finding()->offset, 6u) << "the first whose link does not fit";
}

TEST(ChainAudit, ATailThatWasCutIsFoundByTheHeadThatWasKept) {
  SignedLog log = three_heads();
  auto entries = log.journal.entries();
  entries.resize(20);
  EXPECT_TRUE(audit_of(entries).is_good()) << "the log alone cannot tell";
  const ChainAudit audit = audit_of(entries, log.kept());
  EXPECT_EQ(code_of(audit), "log-cut");
  EXPECT_EQ(audit.finding()->offset, 20u);
}

TEST(ChainAudit, ALogThatWasSplicedInIsFound) {
  SignedLog log = three_heads(), other('b');
  for (int i = 0; i < 4; ++i) {
    other.work(11);
    other.sign();
  }
  auto entries = log.journal.entries();
  const auto spliced = other.journal.entries();
  std::copy(spliced.begin() + 18, spliced.begin() + static_cast<std::ptrdiff_t>(entries.size()),
            entries.begin() + 18);
  const ChainAudit audit = audit_of(entries);
  ASSERT_FALSE(audit.is_good());
  EXPECT_EQ(audit.finding()->offset, 18u);
}

TEST(ChainAudit, AnotherKeysSignatureIsFound) {
  SignedLog log;
  log.work(3);
  v1::Event forged = log.head();
  const HeadSigner other(test_cluster(), ring());
  const auto key = other.first(std::string(kHeadSeedBytes, 'z'));
  ASSERT_TRUE(other.sign(key.public_key(), key.secret_key(), *forged.mutable_chain_head_recorded()));
  log.journal.append({forged});
  EXPECT_EQ(log.read().text(), "event 0: a chain head under another key than the log's");
  const ChainAudit audit = audit_of(log.journal.entries());
  EXPECT_EQ(code_of(audit), "head-forged");
  EXPECT_EQ(audit.finding()->offset, 5u);
}

// Whoever holds the cluster's secret can write the whole log anew: the head that was kept tells.
TEST(ChainAudit, ALogThatWasSignedAnewFromItsBeginningIsNotTheOneOfTheKeptHead) {
  const SignedHead kept = three_heads().kept();
  SignedLog anew('b');
  for (int i = 0; i < 4; ++i) {
    anew.work(10);
    anew.sign();
  }
  EXPECT_TRUE(audit_of(anew.journal.entries()).is_good());
  EXPECT_EQ(code_of(audit_of(anew.journal.entries(), kept)), "head-differs");
}

TEST(ChainAudit, AnotherClustersLogIsNamed) {
  SignedLog log = three_heads(), other('a', *Uuid::parse("99999999-2222-8333-8444-555555555555"));
  other.work(40);
  const ChainAudit audit = audit_of(other.journal.entries(), log.kept());
  EXPECT_EQ(code_of(audit), "other-cluster");
  ChainAudit named(test_cluster());
  EXPECT_FALSE(named.take(other.journal.entries()[0]));
  EXPECT_EQ(code_of(named), "other-cluster");
}

TEST(ChainAudit, AKeyThatTheOldOneSignedIsFollowedAndAForeignOneIsNot) {
  SignedLog log;
  log.work(3);
  log.sign();
  const SignedHead kept = log.kept();
  log.journal.append({log.rotation('c')});
  ASSERT_TRUE(log.read().applied());
  log.work(3);
  log.sign();
  const ChainAudit audit = audit_of(log.journal.entries(), kept);
  EXPECT_TRUE(audit.is_good()) << audit.finding()->message;
  EXPECT_EQ(audit.counts().keys, 2u);
  EXPECT_NE(audit.head()->key, kept.key);

  v1::Event foreign = log.rotation('d');
  foreign.mutable_head_key_changed()->set_signature(std::string(64, 'x'));
  log.journal.append({foreign});
  EXPECT_EQ(log.read().text(), "event 0: a head key that the one before has not signed");
  EXPECT_EQ(code_of(audit_of(log.journal.entries())), "key-forged");
}

TEST(ChainAudit, AFalseCountIsVoidForEveryReader) {
  SignedLog log;
  log.work(3);
  v1::Event head = log.head();
  const auto* row = log.reader.state().heads.find("head");
  head.mutable_chain_head_recorded()->set_applied(99);
  HeadSigner(test_cluster(), ring())
      .sign(row->public_key, row->secret_key, *head.mutable_chain_head_recorded());
  log.journal.append({head});
  EXPECT_EQ(log.read().text(), "claim");
}

TEST(SignedHead, AFileThatWasCutInHalfSaysSo) {
  const std::string text = boost::json::serialize(projections::to_json(three_heads().kept()));
  ASSERT_TRUE(projections::read_head(std::string_view(text)).ok());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 1})
    EXPECT_EQ(projections::read_head(std::string_view(text).substr(0, size)).error().code, "head-damaged")
        << size;
  auto changed = boost::json::parse(text).as_object();
  changed["count"] = 1;
  EXPECT_EQ(projections::read_head(changed).error().code, "head-damaged");
}

}  // namespace
}  // namespace berth::testing
