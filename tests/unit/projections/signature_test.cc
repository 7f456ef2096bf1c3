// P1 in the journal: whoever reaches the log can append to it, and only the cluster's own signature counts.
#include <gtest/gtest.h>

#include "events/codec/journal_signer.h"
#include "tests/support/given.h"

namespace berth::testing {
namespace {

using projections::ApplyOutcome;
using projections::Projection;
using projections::VoidReason;

const std::string kSecret(32, 's');

JournalSigner cluster_seal() { return {test_cluster(), kSecret}; }

// A reader that holds the secret, and the journal that it reads.
struct Reader {
  Reader() : projection(test_cluster(), Projection::Tracking::kRows, cluster_seal()) {}

  ApplyOutcome read(const std::string& payload) {
    return projection.apply(projection.chain().next(), payload);
  }
  std::string body(const v1::Record& record) { return record.SerializeAsString(); }
  v1::Record election(std::uint32_t rules) {
    TestJournal copy = journal;
    copy.raise_rules(rules);
    v1::Record record;
    const auto opened = open_envelope(copy.elect());
    record.ParseFromArray(opened->body.data(), static_cast<int>(opened->body.size()));
    return record;
  }

  TestJournal journal;
  Projection projection;
};

std::string unsigned_payload(const v1::Record& record, std::uint16_t rules) {
  return make_envelope(test_cluster(), record.SerializeAsString(), rules);
}

TEST(Signature, P1_OnlyARecordThatTheClusterSignedApplies) {
  Reader reader;
  const v1::Record election = reader.election(kRules);
  EXPECT_EQ(reader.read(unsigned_payload(election, kRules)).reason, VoidReason::kSignature);
  EXPECT_EQ(
      reader.read(JournalSigner(test_cluster(), std::string(32, 'x')).sign(reader.body(election))).reason,
      VoidReason::kSignature);
  EXPECT_EQ(reader.projection.state().epoch().epoch, 0u) << "a forged election changes nothing";
  EXPECT_EQ(reader.projection.chain().next(), 2u) << "and stops nobody";
}

TEST(Signature, P1_ASignedRecordAppliesAndAnAlteredOneDoesNot) {
  Reader reader;
  const v1::Record election = reader.election(kRules);
  std::string altered = cluster_seal().sign(reader.body(election));
  altered.back() ^= 1;
  EXPECT_EQ(reader.read(altered).reason, VoidReason::kEnvelopeMalformed) << "its checksum is wrong";
  TestJournal claims_anew = reader.journal;
  claims_anew.append_bytes(altered);
  const auto opened = open_envelope(claims_anew.elect());
  EXPECT_TRUE(reader.read(cluster_seal().sign(opened->body)).applied());
  EXPECT_EQ(reader.projection.state().epoch().epoch, 1u);
}

// The envelope is signed too: `rules` and `min_reader` can stop a reader.
TEST(Signature, P1_NobodyElseBringsRulesThatStopAReader) {
  Reader reader;
  const v1::Record election = reader.election(4'000'000'000);
  EXPECT_EQ(reader.read(unsigned_payload(election, kRules)).reason, VoidReason::kSignature);
  std::string payload = cluster_seal().sign(reader.body(reader.election(kRules)));
  Envelope envelope = *open_envelope(payload);
  envelope.min_reader = 999;
  EXPECT_EQ(reader.read(make_envelope(envelope)).reason, VoidReason::kSignature);
}

TEST(Signature, P15_RulesOfAnElectionBeyondThisBuildStopItBeforeTheyAreFolded) {
  Reader reader;
  const v1::Record election = reader.election(kRules + 1);
  const ApplyOutcome outcome = reader.read(cluster_seal().sign(reader.body(election)));
  EXPECT_EQ(outcome.what, ApplyOutcome::What::kStop);
  EXPECT_EQ(outcome.error.code, "reader-too-old");
}

// P1: from the log's first record on, whatever the record says of its rules.
TEST(Signature, P1_AnUnsignedRecordIsVoidFromTheFirstRecordOn) {
  for (const std::uint16_t rules : {std::uint16_t{0}, kRules}) {
    Reader reader;
    v1::Record election = reader.election(rules);
    EXPECT_EQ(reader.read(unsigned_payload(election, rules)).reason, VoidReason::kSignature) << rules;
    EXPECT_EQ(reader.projection.state().epoch().epoch, 0u);
  }
  Reader reader;
  const std::string election = cluster_seal().sign(reader.body(reader.election(kRules)));
  ASSERT_TRUE(reader.read(election).applied());
  v1::Record next;
  next.mutable_header()->set_epoch(1);
  next.mutable_header()->set_sequence(1);
  next.mutable_header()->set_link(std::string(as_view(blake2b_256(election))));
  next.mutable_header()->set_time_ns(reader.journal.time());
  *next.add_events() = clock_confirmed();
  EXPECT_EQ(reader.read(unsigned_payload(next, kRules)).reason, VoidReason::kSignature);
  EXPECT_TRUE(reader.read(cluster_seal().sign(reader.body(next))).applied());
}

TEST(Signature, AReaderWithoutTheSecretBelievesWhatItReadsAndSaysSo) {
  Projection projection(test_cluster(), Projection::Tracking::kRows);
  EXPECT_FALSE(projection.verifies());
  TestJournal journal;
  EXPECT_TRUE(projection.apply(0, journal.elect()).applied());
  EXPECT_TRUE(Reader().projection.verifies());
}

}  // namespace
}  // namespace berth::testing
