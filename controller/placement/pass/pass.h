// One scheduling pass over a group: order -> admit -> filter -> score -> assign devices, and a reason for
// each session that waits.
//
// A pass considers sessions in the group's order. It applies each decision to the Cluster at once (the
// session leaves the queue and occupies its slots), so the next decision sees it, and tells the visitor. It
// works for at most `budget` sessions; PassEnd::more says that another call continues. Continuing is the same
// as starting again: a class that was refused costs nothing until the next gain.
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
  // True: the pass reports every session that waits, in order, also if its recorded reason stays the same
  // (scenario files).
  bool report_all = false;
  // The decision's clock: for agents on which a session failed, the run time of victims, and declared ends
  // (backfill).
  Timestamp now = 0;
};

class PassVisitor {
 public:
  virtual ~PassVisitor() = default;
  // Asked before a session is tried. Reason{} admits the session; any other (limit) becomes its wait cause,
  // which the caller lifts with Cluster::set_wait_cause when the cause may be gone.
  virtual Reason admit(const SessionId&) { return {}; }
  // One placement for each kernel, by kernel index. The views live for the call.
  virtual void placed(const SessionId& session, std::span<const KernelPlacement> kernels) = 0;
  // Select round-robin: after placed(), the group's index as it is now, to be recorded with the placement.
  virtual void turned(std::uint64_t) {}
  // The recorded reason of the session changes to this one (P19).
  virtual void refused(const SessionId& session, Reason reason) = 0;
  // Preemption: the victim makes room for the preemptor. The victim's slots stay taken until
  // Cluster::release. reserved() follows with the place that is held for the preemptor; placed() comes in the
  // first pass that finds the place free.
  virtual void preempted(const SessionId& /*victim*/, const SessionId& /*preemptor*/, PreemptMode) {}
  virtual void reserved(const SessionId&, std::span<const KernelPlacement> /*kernels*/) {}
  // The held place will not come free (an agent takes no session any more, or has become smaller): the
  // session waits again, as any other.
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
