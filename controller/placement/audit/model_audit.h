// The audit of the scheduler's model: every sum, index and membership equals a recount of the tables.
//
// The recount shares no code with the functions that keep the sums up to date, so a forgotten update is found
// after the pass that forgot it, not when a decision is wrong much later. Reads only. The invariants hold
// between two passes; inside a pass, a WhatIf or a Forecast the tables show what would be.
#pragma once

#include <cstdint>
#include <string>

#include "controller/placement/cluster/cluster.h"

namespace berth::placement {

// A part of the tables that is recounted in one go.
struct AuditPortion {
  enum class Table : std::uint8_t {
    kAgentNames,    // ids, labels, which group an agent is in
    kAgents,        // some agents: used amounts, containers, holders, rows of the search index
    kGroups,        // one group: its agents, settings, lanes, heads, counts
    kPending,       // ids, wait causes, held places
    kClasses,       // classes, their pending sessions, refusals
    kRequirements,  // uses
    kLive,          // some live sessions: ids, kernels, holders
    kHoldings,      // members of session groups, amounts by user, declared ends
  };
  Table table = Table::kAgentNames;
  std::uint32_t begin = 0;  // of kAgents, kGroups, kLive: the first row
  bool operator==(const AuditPortion&) const = default;
};

// The first broken invariant of all portions, as text for the operator's log; empty if all hold.
// REQUIRES: no pass is under way.
std::string broken_invariant(const Model& model);

// Audits a live scheduler a portion at a time, so cheaply that production can afford it.
//
// Each pass earns kRowsPerPass rows; a portion is recounted when its rows are earned, so the average cost of
// a pass is bounded whatever the size of the cell: about half a microsecond at 5,000 agents (`berth-bench
// place` measures it). A portion of more than kMostRows would keep the leader from its heartbeat and is left
// out. Counts rows instead of time, so a simulation audits the same portions in each run. Owned by the strand
// that owns the Cluster.
class ModelAuditor {
 public:
  static constexpr std::uint64_t kRowsPerPass = 8;
  static constexpr std::uint64_t kMostRows = 500'000;

  // Call after each pass. Returns the first broken invariant of the portion that was due; empty if all hold
  // or none was due. A caller stops the process with the text: the model decides wrongly from here on.
  std::string after_pass(const Cluster& cluster);

  // How often all portions have been audited.
  std::uint64_t cycles() const { return cycles_; }

 private:
  AuditPortion next_;
  std::uint64_t earned_ = 0;  // rows
  std::uint64_t cycles_ = 0;
};

}  // namespace berth::placement
