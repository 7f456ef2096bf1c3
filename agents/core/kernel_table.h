// KernelTable: the kernels that the agent knows, the facts that are still to be reported, and the ended
// kernels that wait for their Forget.
//
//   kPulling (its image is fetched)
//      v
//   kDeferred (waits for a lease or for room)
//      v
//   kGiven (with the backend)
//      v
//   kEnded (from any of them)
//
// A kernel's fact only moves forward within the attempt and never after its end (P22). An ended kernel stays
// until its Forget, and its end is told again and again until then. Pure; iterates in key order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agents/core/allocation.h"
#include "agents/core/order_gate.h"
#include "agents/kernel/backend.h"
#include "events/schema/v1/order.pb.h"
#include "events/schema/v1/report.pb.h"

namespace berth::agents {

enum class KernelPhase : std::uint8_t { kPulling, kDeferred, kGiven, kEnded };

struct KernelRecord {
  KernelKey key;
  KernelPhase phase = KernelPhase::kGiven;
  v1::KernelFact fact;                     // newest
  std::string session_name;                // empty: unknown
  bool amounts_known = false;              // from its order, or found by recover()
  bool requeueable = false;                // may only run under a lease (P24)
  Given given;                             // REQUIRES amounts_known
  std::unique_ptr<v1::StartKernel> order;  // until the kernel is with the backend
  std::string rootfs;
  bool stopping = false;
  bool stopped_to_leave = false;  // stopping because the agent leaves
  Duration grace = 0;
  OrderPosition stopped_at;    // position of a stop that came before the start
  bool unwanted = false;       // in no snapshot: forgotten at its end
  bool was_given = false;      // the backend knows it
  std::uint32_t tellings = 0;  // of the end
  Timestamp tell_at = 0;       // of the next telling, boottime

  bool ended() const { return phase == KernelPhase::kEnded; }
};

class KernelTable {
 public:
  using Records = std::map<KernelKey, KernelRecord>;

  // Ends are told again after `retell_first`, doubling up to `retell_max`.
  KernelTable(Duration retell_first, Duration retell_max)
      : retell_first_(retell_first), retell_max_(retell_max) {}

  KernelRecord* find(const KernelKey& key);
  // REQUIRES: the key is not in the table.
  KernelRecord& add(const KernelKey& key, KernelPhase phase);
  void erase(const KernelKey& key);
  const Records& records() const { return records_; }
  std::vector<KernelKey> keys() const;
  std::size_t live() const { return live_; }  // all but the ended

  // Moves forward only: false if the kernel is at that state or beyond.
  bool advance(KernelRecord& record, v1::KernelState state);
  // Sets the fact TERMINATED, for good. False if the kernel had ended before.
  bool end(KernelRecord& record, v1::KernelEnd end, Code code, std::string message);

  // The kernel's fact is to be told at the next flush.
  void mark(const KernelRecord& record) { changed_.insert(record.key); }
  bool changed() const { return !changed_.empty(); }
  void clear_changes() { changed_.clear(); }
  // Moves at most `max` changed facts into the report. `now`: boottime.
  void take_changes(std::size_t max, Timestamp now, v1::Report& report);
  // The record's fact is in a report. From now on an end waits for its Forget.
  void told(KernelRecord& record, Timestamp now);
  // Marks the ends that are due to be told again. `now`: boottime.
  void mark_due(Timestamp now);

 private:
  Duration retell_first_;
  Duration retell_max_;
  Records records_;
  std::set<KernelKey> changed_;
  std::set<std::pair<Timestamp, KernelKey>> due_;
  std::size_t live_ = 0;
};

}  // namespace berth::agents
