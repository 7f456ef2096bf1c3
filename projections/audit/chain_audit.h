// ChainAudit: walks a journal's bytes and says where they stop being what its leaders signed.
//
// It knows no cluster's secret and folds nothing: it reads envelopes, headers and what stands in a few kinds
// of events, and hashes all. What it checks of each record is what every reader checks before folding
// (FORMAT.md); what the signatures cover, whoever wrote it, is proved by them.
//
//   record --> pending: judged by what every reader checks; may change
//                 | a right signed head over it is read
//                 v
//              settled: it counts if the head says so
//
// A record that the cluster ignored (no right MAC) may look as if it counted, and hide the right one behind
// it; one that the fold forbade looks so too. The next signed head lists both as void (P34): they are named
// as ignored, and break no proof. So nothing that is pending is bad before the end of the log.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "events/log/event_log.h"
#include "projections/audit/record_glance.h"
#include "projections/audit/signed_head.h"
#include "projections/fold/chain.h"

namespace berth::projections {

struct AuditFinding {
  Offset offset = 0;    // the first that is bad
  Code code;            // "record-damaged", "head-forged", ...: the README of this folder's user lists them
  std::string message;  // for people
};

struct AuditCounts {
  std::uint64_t records = 0, voided = 0, applied = 0, heads = 0, keys = 0;
  std::uint64_t ignored = 0;  // of the void ones: right by all that is checked here
};

// A record that continues the one before, and that a signed head says did not apply.
struct IgnoredRecord {
  Offset offset = 0;
  std::uint64_t epoch = 0;
  // Its epoch went on, so the fold has not forbidden it: it has no right MAC. Else it may be either.
  bool has_no_mac = false;
};
std::string to_string(const IgnoredRecord& record);  // for people

class ChainAudit {
 public:
  static constexpr std::size_t kIgnoredNamed = 16;  // the first ones; AuditCounts has all

  // `cluster`: whose log it must be; none: that of its first record. `kept`: a head that the log must extend.
  // The walk begins at offset 0.
  explicit ChainAudit(std::optional<Uuid> cluster = std::nullopt,
                      std::optional<SignedHead> kept = std::nullopt);

  // Told of each offset once, in order, when nothing changes any more whether its record counts. Before the
  // first take(); called within it and within finish().
  using OnSettled = std::function<void(Offset, bool is_ignored)>;
  void set_on_settled(OnSettled on_settled) { on_settled_ = std::move(on_settled); }

  // The next offset. False: what follows says nothing more, since something is bad.
  bool take(const LogEntry& entry);
  // The log has nothing at next(), and goes on behind it, or with what was there before.
  void miss();
  // After the last one. What no signed head covers is judged by its links alone.
  void finish();

  bool is_good() const { return !finding_; }
  const std::optional<AuditFinding>& finding() const { return finding_; }
  // Something looks wrong that a signed head to come may settle. Before finish().
  bool doubts() const { return !finding_ && suspicion_; }
  AuditCounts counts() const;
  const std::vector<IgnoredRecord>& ignored() const { return now_.ignored; }
  Offset next() const { return chain_.next; }
  // Its `applied` may change as long as records are pending.
  const ChainPoint& point() const { return chain_; }
  // The newest head that was right.
  const std::optional<SignedHead>& head() const { return now_.head; }
  bool kept_found() const { return kept_found_; }

 private:
  // What the walk has come to after some record.
  struct View {
    std::uint64_t epoch = 0, sequence = 0;
    bool dead = false;  // a restore ended the epoch: no record of it follows
    std::int64_t time = 0;
    Hash256 link{};
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> inputs;
    std::string key;  // which signs heads now
    std::optional<SignedHead> head;
    std::uint64_t voided = 0, applied = 0, heads = 0, keys = 0, ignored_all = 0;
    std::vector<IgnoredRecord> ignored;
  };
  struct Seen {
    Offset offset = 0;
    std::size_t bytes = 0;
    Hash256 link{};
    RecordGlance glance;
    std::string void_because;                 // in any view; empty: the record may count
    std::optional<AuditFinding> suspicion;    // as long as no signed head covers it
    bool counts = false, is_ignored = false;  // in now_
  };

  Seen look(const LogEntry& entry);
  void look_inside(const LogEntry& entry, Seen& seen);
  void look_at_claim(Seen& seen);
  // Why the record is void in this view; empty: it counts.
  std::string continues(const View& view, const Seen& seen) const;
  // Takes a record that counts into the view. Says why the fold would forbid it.
  std::optional<AuditFinding> apply(View& view, const Seen& seen) const;
  std::optional<AuditFinding> take_key(View& view, const v1::HeadKeyChanged& event, Offset at) const;
  std::optional<AuditFinding> take_head(View& view, const v1::ChainHeadRecorded& event, Offset at) const;
  void ignore(View& view, const Seen& seen) const;

  void judge_pending(Seen& seen);
  void drop_oldest();
  bool consider(Seen& seen);
  std::set<std::string> keys_known() const;
  bool settle(const SignedHead& head);
  bool settle_one(View& view, Seen& seen, const std::vector<bool>& applied, Offset begin);
  void compare_with_kept();
  void extend(const Hash256& link);
  void bad(AuditFinding finding);
  void suspect(AuditFinding finding);

  std::optional<Uuid> cluster_;
  std::optional<SignedHead> kept_;
  bool kept_found_ = false;
  OnSettled on_settled_ = [](Offset, bool) {};
  View settled_;  // after the records before pending_
  View now_;      // after all
  std::deque<Seen> pending_;
  std::size_t pending_bytes_ = 0;
  ChainPoint chain_;
  std::deque<Hash256> window_;             // rolling hashes before chain_, the newest last
  std::optional<AuditFinding> suspicion_;  // the first since the newest right head
  std::optional<AuditFinding> finding_;
  std::uint64_t records_ = 0;
};

}  // namespace berth::projections
