// TestJournal: writes journal records as a leader would, each continuing the one before, and lets a test bend
// any part.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "events/codec/journal_signer.h"
#include "events/log/event_log.h"
#include "events/schema/v1/record.pb.h"
#include "projections/fold/chain.h"
#include "tests/support/events.h"

namespace berth::testing {

inline constexpr Timestamp kTestStart = 1'700'000'000 * kSecond;

// The nonce of the election that a TestJournal makes for this epoch.
Uuid nonce_of_election(std::uint64_t epoch = 1, const std::string& controller = "c1");

class TestJournal {
 public:
  explicit TestJournal(const Uuid& cluster = test_cluster());

  // ControllerElected at the next epoch, with a right claim.
  const std::string& elect(const std::string& controller = "c1");
  // One record of these events. Time goes on by 1 ms a record.
  const std::string& append(const Events& events);
  // A ChainHeadRecorded that claims the newest record, with this state hash.
  const std::string& append_chain_head(const std::string& state_hash);

  // The next record as it would be, to be bent and then given to append_record().
  v1::Record next_record(const Events& events) const;
  const std::string& append_record(const v1::Record& record);
  // As append_record, but the journal goes on as if it had not been written: for records that are void.
  const std::string& append_void(const v1::Record& record);
  const std::string& append_bytes(std::string payload);
  void add_gap();  // an offset without a record (P30)

  v1::Claim claim() const;
  void advance(Duration time) { time_ += time; }
  // Every record from here on is signed.
  void sign_with(JournalSigner signer) { signer_ = std::move(signer); }
  // From the next election on.
  void raise_rules(std::uint32_t rules) { rules_ = rules; }
  Timestamp time() const { return time_; }
  std::uint64_t epoch() const { return epoch_; }
  const std::vector<std::string>& payloads() const { return payloads_; }
  const projections::Chain& chain() const { return chain_; }
  std::vector<LogEntry> entries(Offset from = 0) const;

 private:
  Uuid cluster_;
  std::uint32_t rules_;  // of its elections: this build's, until they are raised
  std::optional<JournalSigner> signer_;
  std::uint64_t epoch_ = 0;
  std::uint64_t sequence_ = 0;
  std::string link_;
  Timestamp time_ = kTestStart;
  projections::Chain chain_;
  std::vector<std::string> payloads_;
  std::set<Offset> gaps_;
};

// Payload of a record.
std::string unsigned_payload(const v1::Record& record, const Uuid& cluster = test_cluster());

}  // namespace berth::testing
