// One scheduling pass over a group: order -> admit -> filter -> score -> assign devices, and a reason for who
// waits.
//
// A pass considers sessions in the group's order. What it decides it applies to the Cluster at once (the
// session leaves the queue and holds its slots), so the next decision sees it, and tells it to the visitor.
// It does work for at most `budget` sessions; PassEnd::more says that another call continues. Continuing is
// the same as starting again: classes of equal requests that are known not to fit cost nothing until
// something is freed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "controller/placement/cluster/cluster.h"

namespace berth::placement {

struct PassOptions {
  std::uint32_t budget = 1'000;  // decisions and searches
  // True for interval passes and passes after slots were freed: the head that blocks gets one more retry
  // (skip-after-n, n > 0).
  bool count_retries = false;
  // True: every session that waits is reported, in order, though its recorded reason is the same (scenario
  // files).
  bool report_all = false;
  // The decision's clock: until when an agent that failed a session is avoided, how long a victim has run,
  // from when declared timeouts count (backfill).
  Timestamp now = 0;
};

class PassVisitor {
 public:
  virtual ~PassVisitor() = default;
  // Asked before a session is tried: Reason{} lets it through; anything else (limit...) becomes its hold,
  // which the caller lifts with Cluster::set_wait_cause when that may have changed.
  virtual Reason admit(const SessionId&) { return {}; }
  // One placement a kernel, by kernel index. The views live for the call.
  virtual void placed(const SessionId& session, std::span<const KernelPlacement> kernels) = 0;
  // Select round-robin: after placed(), the group's index as it is now, to be recorded with the placement.
  virtual void turned(std::uint64_t) {}
  // Its recorded reason changes to this one (P19).
  virtual void refused(const SessionId& session, Reason reason) = 0;
  // Preemption: this session has to go for that one; its slots stay taken until Cluster::release says that it
  // ended. Then reserved() tells which place is held for the other one; placed() follows in the first pass
  // that finds it free.
  virtual void preempted(const SessionId& /*victim*/, const SessionId& /*preemptor*/, PreemptMode) {}
  virtual void reserved(const SessionId&, std::span<const KernelPlacement> /*kernels*/) {}
  // Its place will not come free (an agent takes nothing any more, or has become smaller): it waits again, as
  // any other.
  virtual void unreserved(const SessionId&) {}
  // The head that blocks was refused once more; `retries` is the new count.
  virtual void retried(const SessionId& session, std::uint32_t retries) = 0;
};

struct PassEnd {
  bool more = false;       // the budget ran out: call again
  std::uint32_t work = 0;  // of the budget
};

// REQUIRES: the group is defined.
PassEnd pass(Cluster& cluster, std::string_view group, const PassOptions& options, PassVisitor& visitor);

}  // namespace berth::placement
