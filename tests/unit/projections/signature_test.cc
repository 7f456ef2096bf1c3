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
  explicit Reader(bool from_first, std::uint32_t rules = kRules)
      : journal(test_cluster(), rules),
        projection(test_cluster(), Projection::Tracking::kRows, {cluster_seal(), from_first}) {}

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
  Reader reader(true);
  const v1::Record election = reader.election(kRules);
  EXPECT_EQ(reader.read(unsigned_payload(election, kRules)).reason, VoidReason::kSignature);
  EXPECT_EQ(
      reader.read(JournalSigner(test_cluster(), std::string(32, 'x')).sign(reader.body(election))).reason,
      VoidReason::kSignature);
  EXPECT_EQ(reader.projection.state().epoch().epoch, 0u) << "a forged election changes nothing";
  EXPECT_EQ(reader.projection.chain().next(), 2u) << "and stops nobody";
}

TEST(Signature, P1_ASignedRecordAppliesAndAnAlteredOneDoesNot) {
  Reader reader(true);
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
  Reader reader(true);
  const v1::Record election = reader.election(4'000'000'000);
  EXPECT_EQ(reader.read(unsigned_payload(election, kRules)).reason, VoidReason::kSignature);
  std::string payload = cluster_seal().sign(reader.body(reader.election(kRules)));
  Envelope envelope = *open_envelope(payload);
  envelope.min_reader = 999;
  EXPECT_EQ(reader.read(make_envelope(envelope)).reason, VoidReason::kSignature);
}

TEST(Signature, P15_RulesOfAnElectionBeyondThisBuildStopItBeforeTheyAreFolded) {
  Reader reader(true);
  const v1::Record election = reader.election(kRules + 1);
  const ApplyOutcome outcome = reader.read(cluster_seal().sign(reader.body(election)));
  EXPECT_EQ(outcome.what, ApplyOutcome::What::kStop);
  EXPECT_EQ(outcome.error.code, "reader-too-old");
}

// A cluster that an older build made: its journal begins without signatures.
TEST(Signature, P1_BeforeRulesThatSignRecordsFoldAsTheyDid) {
  Reader reader(false, 3);
  EXPECT_TRUE(reader.read(unsigned_payload(reader.election(3), 3)).applied());
  Reader strict(true, 3);
  EXPECT_EQ(strict.read(unsigned_payload(strict.election(3), 3)).reason, VoidReason::kSignature)
      << "in a cluster that signs from the first record on";
}

TEST(Signature, P1_OnceAnElectionOfSuchRulesAppliedNothingUnsignedDoes) {
  Reader reader(false, 3);
  const std::string old = unsigned_payload(reader.election(3), 3);
  ASSERT_TRUE(reader.read(old).applied());
  reader.journal.append_bytes(old);
  v1::Record forged = reader.election(kRules);
  forged.mutable_header()->set_epoch(2);
  EXPECT_EQ(reader.read(unsigned_payload(forged, 3)).reason, VoidReason::kSignature)
      << "not even the election that begins it";
  reader.journal.append_bytes(unsigned_payload(forged, 3));
  v1::Record election = reader.election(kRules);
  election.mutable_header()->set_epoch(2);
  const std::string signed_election = cluster_seal().sign(reader.body(election));
  ASSERT_TRUE(reader.read(signed_election).applied());
  v1::Record next;
  next.mutable_header()->set_epoch(2);
  next.mutable_header()->set_sequence(1);
  next.mutable_header()->set_link(std::string(as_view(blake2b_256(signed_election))));
  next.mutable_header()->set_time_ns(reader.journal.time());
  *next.add_events() = clock_confirmed();
  EXPECT_EQ(reader.read(unsigned_payload(next, 3)).reason, VoidReason::kSignature) << "by an older leader";
  EXPECT_TRUE(reader.read(cluster_seal().sign(reader.body(next))).applied());
}

TEST(Signature, AReaderWithoutTheSecretBelievesWhatItReadsAndSaysSo) {
  Projection projection(test_cluster(), Projection::Tracking::kRows);
  EXPECT_FALSE(projection.verifies());
  TestJournal journal;
  EXPECT_TRUE(projection.apply(0, journal.elect()).applied());
  EXPECT_TRUE(Reader(true).projection.verifies());
}

}  // namespace
}  // namespace berth::testing
