// Signed chain heads in the fold, and an audit that knows nothing but the log's bytes: what it must find.
#include "projections/audit/chain_audit.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "events/codec/chain_head.h"
#include "events/codec/envelope.h"
#include "tests/support/given.h"
#include "tests/support/projector_rig.h"

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

// Of this cluster's log, and of somebody who reaches the log's broker and has another secret.
JournalSigner secret_of(const Uuid& cluster, char secret) { return {cluster, std::string(32, secret)}; }

// A log whose leader signs, as the leader does; a reader beside it, which has the cluster's secret, says what
// applied and what a state hashes to.
class SignedLog {
 public:
  explicit SignedLog(char seed = 'a', const Uuid& cluster = test_cluster())
      : cluster_(cluster),
        signer_(cluster, ring()),
        journal(cluster),
        reader(cluster, Projection::Tracking::kRows, secret_of(cluster, 's')) {
    journal.sign_with(secret_of(cluster, 's'));
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
  // Right in all but the MAC.
  void forge(const v1::Record& record) {
    journal.append_bytes(secret_of(cluster_, 'x').sign(record.SerializeAsString()));
    EXPECT_EQ(read().text(), "signature");
  }
  void forge(const Events& events = {clock_confirmed()}) { forge(journal.next_record(events)); }
  v1::Event head() {
    const auto* row = reader.state().heads.find("head");
    v1::Event event;
    auto& head = *event.mutable_chain_head_recorded();
    *head.mutable_claim() = journal.claim();
    head.set_state_hash(std::string(as_view(reader.state_hash())));
    head.set_from(row->offset);
    head.set_applied(reader.chain().last().applied);
    head.set_voids(
        reader.chain().voids(voids_begin(row->offset, journal.chain().next()), journal.chain().next()));
    return signed_anew(event);
  }
  v1::Event signed_anew(v1::Event event) {
    const auto* row = reader.state().heads.find("head");
    auto& head = *event.mutable_chain_head_recorded();
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

std::string code_of(const ChainAudit& audit) { return audit.finding() ? audit.finding()->code.word() : ""; }

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

// ---- records that the cluster ignored (P34) ----

void expect_as_its_readers(const ChainAudit& audit, const SignedLog& log) {
  ASSERT_TRUE(audit.is_good()) << audit.finding()->message;
  EXPECT_EQ(audit.counts().applied, log.reader.counters().applied);
  EXPECT_EQ(audit.counts().voided, log.reader.counters().voided);
  EXPECT_EQ(audit.point().applied, log.reader.chain().last().applied);
}

TEST(IgnoredRecords, P34_ARecordWithoutARightMacIsNamedAndTheRightOneBehindItCounts) {
  SignedLog log;
  log.work(3);
  const Offset at = log.journal.chain().next();
  log.forge();
  log.work(3);
  log.sign();
  log.work(2);
  const ChainAudit audit = audit_of(log.journal.entries(), log.kept());
  expect_as_its_readers(audit, log);
  ASSERT_EQ(audit.ignored().size(), 1u);
  EXPECT_EQ(audit.ignored()[0].offset, at);
  EXPECT_EQ(
      to_string(audit.ignored()[0]),
      "the record at offset 5 continues the one before, and the cluster ignored it: it has no right MAC");
  EXPECT_EQ(audit.head()->offset, log.kept().offset);
}

// Forged records that continue one another, an election among them, in two stretches; late records and gaps.
TEST(IgnoredRecords, P34_WhateverIsForgedTheSameRecordsCount) {
  SignedLog log;
  for (int stretch = 0; stretch < 2; ++stretch) {
    log.work(2);
    v1::Record election;
    auto& elected = *election.add_events()->mutable_controller_elected();
    elected.set_nonce(wire("mallory"));
    *elected.mutable_claim() = log.journal.claim();
    elected.set_rules(kRules);
    election.mutable_header()->set_epoch(log.journal.epoch() + 1);
    log.forge(election);
    v1::Record next;
    next.mutable_header()->set_epoch(log.journal.epoch() + 1);
    next.mutable_header()->set_sequence(1);
    next.mutable_header()->set_link(std::string(as_view(blake2b_256(log.journal.payloads().back()))));
    *next.add_events() = input_rewound(v1::REQUESTS, 0, 7);
    log.forge(next);
    const v1::Record late = log.journal.next_record({clock_confirmed()});
    log.work(1);
    log.journal.add_gap();
    log.journal.elect();
    log.read();
    log.journal.append_void(late);
    log.forge();
    log.work(2);
    log.sign();
  }
  const ChainAudit audit = audit_of(log.journal.entries());
  expect_as_its_readers(audit, log);
  EXPECT_EQ(audit.counts().ignored, 4u);
  EXPECT_EQ(audit.counts().heads, 2u);
}

TEST(IgnoredRecords, P34_AForgedKeyOrHeadOrClaimBreaksNoProof) {
  SignedLog log;
  log.work(1);
  v1::Event key = log.rotation('z'), head = log.head(), claim = log.head();
  key.mutable_head_key_changed()->set_signature(std::string(64, 'x'));
  head.mutable_chain_head_recorded()->set_signature(std::string(64, 'x'));
  claim.mutable_chain_head_recorded()->mutable_claim()->set_rolling(std::string(32, 'x'));
  for (const v1::Event& event : {key, head, claim}) {
    log.forge({event});
    log.work(1);
  }
  log.journal.append_bytes("no record of berth's");
  log.read();
  log.sign();
  expect_as_its_readers(audit_of(log.journal.entries()), log);
}

// The leader was deposed before its head was read: what it signed is so all the same.
TEST(IgnoredRecords, P34_AHeadInARecordThatIsVoidTellsTooAndAFollowingOneTellsAgain) {
  SignedLog log;
  log.work(1);
  log.forge();
  log.work(1);
  const v1::Record late = log.journal.next_record({log.head()});
  log.journal.elect();
  log.read();
  log.journal.append_void(late);
  EXPECT_EQ(log.read().text(), "epoch");
  expect_as_its_readers(audit_of(log.journal.entries()), log);
  log.work(1);
  log.sign();
  expect_as_its_readers(audit_of(log.journal.entries()), log);
}

TEST(IgnoredRecords, P34_BeforeASignedHeadTellsTheLogIsNotProved) {
  SignedLog log;
  log.work(3);
  log.forge();
  log.work(3);
  const ChainAudit audit = audit_of(log.journal.entries());
  EXPECT_EQ(code_of(audit), "record-damaged");
  EXPECT_EQ(audit.finding()->offset, 7u)
      << "the first behind the right one: it does not continue the forged one";
}

// A head signs over what its leader took as effective: every reader compares it with its own.
TEST(IgnoredRecords, P34_AHeadWithAnotherListIsVoidForEveryReader) {
  SignedLog log;
  log.work(1);
  log.forge();
  log.work(1);
  v1::Event head = log.head();
  for (const std::string& list :
       {std::string(), std::string("\1\1"), std::string("\4\1\0", 3), std::string("x")}) {
    head.mutable_chain_head_recorded()->set_voids(list);
    v1::Record record = log.journal.next_record({log.signed_anew(head)});
    log.journal.append_void(record);
    EXPECT_EQ(log.read().text(), "claim") << to_hex(list);
  }
  log.sign();
  expect_as_its_readers(audit_of(log.journal.entries()), log);
}

TEST(IgnoredRecords, P34_WhatTheFoldForbadeIsNamedToo) {
  SignedLog log;
  log.work(1);
  log.journal.append_void(log.journal.next_record({session_cancelled("nobody")}));
  EXPECT_NE(log.read().text(), "");
  log.journal.elect();
  log.read();
  log.sign();
  const ChainAudit audit = audit_of(log.journal.entries());
  expect_as_its_readers(audit, log);
  ASSERT_EQ(audit.ignored().size(), 1u);
  EXPECT_FALSE(audit.ignored()[0].has_no_mac);
}

// A node that starts from what it has stored checks the same list as a reader of all.
TEST(IgnoredRecords, P34_AReaderThatBeginsAtACheckpointComesToTheSameList) {
  SignedLog log;
  log.work(2);
  log.forge();
  log.work(2);
  projections::MemoryStore store;
  projections::ProjectorOptions options;
  options.trust = secret_of(test_cluster(), 's');
  {
    projections::Projector projector(test_cluster(), store, options, nullptr);
    ASSERT_TRUE(projector.open());
    projector.apply(log.journal.entries(), 0);
    ASSERT_TRUE(projector.flush());
  }
  log.forge();
  log.work(2);
  log.sign();
  projections::Projector projector(test_cluster(), store, options, nullptr);
  ASSERT_TRUE(projector.open());
  projector.apply(log.journal.entries(), 0);
  EXPECT_EQ(projector.verified(), log.kept().offset);
  EXPECT_EQ(hash_of(projector), to_hex(as_view(log.reader.state_hash())));
}

TEST(VoidRuns, ThereIsOneFormOfEachList) {
  VoidRuns runs;
  EXPECT_EQ(runs.bytes(), "");
  const std::vector<bool> applied = {true, true, false, false, false, true, false, true};
  for (const bool one : applied) runs.add(one);
  EXPECT_EQ(runs.bytes(), "\2\3\1\1");
  EXPECT_EQ(read_void_runs(runs.bytes(), 10, 18), applied);
  for (const auto& bad : {std::string("\2"), std::string("\2\3\1"), std::string("\2\7"),
                          std::string("\2\1\0\2", 4), std::string("\x82\0\1", 3), std::string("\x82")})
    EXPECT_EQ(read_void_runs(bad, 10, 18), std::nullopt) << to_hex(bad);
  VoidRuns long_one;
  std::vector<bool> all(kVoidsListed, false);
  all[700] = true;
  for (const bool one : all) long_one.add(one);
  EXPECT_EQ(read_void_runs(long_one.bytes(), 0, all.size()), all);
  EXPECT_EQ(voids_begin(0, 40'000), 40'000 - kVoidsListed);
  EXPECT_EQ(voids_begin(39'000, 40'000), 39'000u);
  EXPECT_EQ(voids_begin(0, 7), 0u);
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
