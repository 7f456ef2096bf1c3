// ChainAudit: walks a journal's bytes and says where they stop being what its leaders signed.
//
// It knows no cluster's secret and folds nothing: it reads envelopes, headers and what stands in a few kinds
// of events, and hashes all. What it checks of each record is what every reader checks before folding
// (FORMAT.md); what the signatures cover, whoever wrote it, is proved by them. A record that the fold would
// forbid counts as applied here until the next signed head says otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "events/log/event_log.h"
#include "projections/audit/record_glance.h"
#include "projections/audit/signed_head.h"
#include "projections/fold/chain.h"

namespace berth::projections {

struct AuditFinding {
  Offset offset = 0;    // the first that is bad
  std::string code;     // "record-damaged", "head-forged", ...: the README of this folder's user lists them
  std::string message;  // for people
};

struct AuditCounts {
  std::uint64_t records = 0, voided = 0, applied = 0, heads = 0, keys = 0;
};

class ChainAudit {
 public:
  // `cluster`: whose log it must be; none: that of its first record. `kept`: a head that the log must extend.
  // The walk begins at offset 0.
  explicit ChainAudit(std::optional<Uuid> cluster = std::nullopt,
                      std::optional<SignedHead> kept = std::nullopt);

  // The next offset. False: what follows says nothing more, since something is bad.
  bool take(const LogEntry& entry);
  // The log has nothing at next(), and goes on behind it, or with what was there before.
  void miss();
  // After the last one. What no signed head covers is judged by its links alone.
  void finish();

  bool is_good() const { return !finding_; }
  const std::optional<AuditFinding>& finding() const { return finding_; }
  const AuditCounts& counts() const { return counts_; }
  Offset next() const { return chain_.next; }
  const ChainPoint& point() const { return chain_; }
  // The newest head that was right.
  const std::optional<SignedHead>& head() const { return head_; }
  bool kept_found() const { return kept_found_; }

 private:
  std::string judge(const LogEntry& entry);
  std::string continues(const RecordGlance& record) const;
  void apply(const RecordGlance& record, const Hash256& link, Offset at);
  void take_key(const v1::HeadKeyChanged& event, Offset at);
  void take_head(const v1::ChainHeadRecorded& event, Offset at);
  bool is_claim_right(const RecordGlance& record, Offset at);
  void extend(const Hash256& link);
  void bad(Offset offset, std::string code, std::string message);
  void suspect(Offset offset, std::string message);

  std::optional<Uuid> cluster_;
  std::optional<SignedHead> kept_;
  bool kept_found_ = false;
  std::uint64_t epoch_ = 0, sequence_ = 0;
  std::int64_t time_ = 0;
  Hash256 link_{};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> inputs_;
  ChainPoint chain_;
  std::deque<ChainPoint> window_;
  std::string key_;  // which signs heads now
  std::optional<SignedHead> head_;
  std::optional<AuditFinding> suspicion_;  // since the newest right head
  std::optional<AuditFinding> finding_;
  AuditCounts counts_;
  RecordGlance glance_;
};

}  // namespace berth::projections
