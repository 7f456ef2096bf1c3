// What must hold, asked by code that shares nothing with the fold but the schema: its own reading of P5 and
// its own small model of sessions and kernels.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/sim_agent.h"

namespace berth::simulation {

// What an audit knows besides the journal.
struct Expected {
  // By request id, the last wall clock (ms) at which the request may be decided.
  std::map<std::string, std::int64_t> deadlines = {};
};

// Reads the whole journal as the log has it now.
class JournalAuditor {
 public:
  explicit JournalAuditor(const SimCluster& cluster) : cluster_(cluster) {}
  void audit(Expected expected = {});

  const std::vector<std::string>& failures() const { return failures_; }
  std::uint64_t applied() const { return applied_; }
  std::uint64_t voids() const { return voids_; }
  // Sessions that were accepted and have not ended.
  std::size_t live() const;
  std::size_t sessions() const { return sessions_.size(); }
  std::uint64_t preempted() const { return preempted_; }
  // How often each kind of event applied.
  const std::map<std::string, std::uint64_t>& seen() const { return seen_; }
  // Every kernel and attempt that was ever placed, and whether its session may be requeued.
  const std::map<agents::KernelKey, bool>& placed() const { return placed_; }

 private:
  struct Kernel {
    std::string agent;
    std::string session;
    std::map<std::string, std::int64_t> takes;
    bool is_main = false;
  };
  struct Session {
    int ends = 0;
    std::string lost_main;  // its first kernel, where that one's agent was lost, until it is placed again
    std::uint32_t attempt = 0;
    std::set<std::string> kernels;
    bool terminating = false;
    bool going_back = false;  // preempted, to wait again once its kernels have ended
    // A start failed, or its agent is gone and it may be requeued: to wait again, or to give up, as well.
    bool restarts = false;
    bool moves = false;  // ... because its agent or its lease is gone
    bool leaving() const { return terminating || going_back || ended_kernels > 0; }
    int ended_kernels = 0;            // of this placement
    std::vector<v1::Placement> held;  // RESERVED
    Offset held_at = 0;
    v1::SessionSpec spec;
    std::string user;
    Timestamp requested = 0, placed = 0;  // header times
  };

  bool continues(const v1::RecordHeader& header, bool election) const;
  bool claims_rightly(const v1::Record& record, Offset offset) const;
  bool is_poison(const v1::Record& record) const;
  void event(const v1::Event& event);
  void requested(const v1::Event& event);
  // origin_checker.cc
  bool is_forged(const v1::Record& record) const;
  void check_origin(const v1::Event& event);
  void check_timeout(const Session& session, const std::string& reason);
  // `decided_at`: the offset at which its place was decided.
  void check_limit(const Session& session, Offset decided_at);
  void scheduled(const v1::SessionScheduled& e);
  void terminated(const v1::KernelTerminated& e);
  void terminated_late(const v1::KernelTerminated& e);
  void terminating(const v1::SessionTerminating& e);
  void joined(const v1::AgentJoined& e);
  void requeued(const v1::SessionRequeued& e);
  void end(const std::string& session, const char* how);
  // preemption_checker.cc
  void preempted(const std::string& victim, const std::string& preemptor);
  void reserved(const v1::SessionReserved& e);
  void check_held(const Session& session, const v1::SessionScheduled& e);
  void check_holds_kept(const std::string& agent, const std::string& what);
  void check_plans();
  template <class M> void check_pass(const M& e);
  static std::map<std::string, std::int64_t> takes_of(const v1::SessionSpec& spec,
                                                      const v1::Placement& placement);
  void take(const std::string& agent, const std::string& what, std::int64_t amount);
  void fail(std::string what) { failures_.push_back("journal: " + std::move(what)); }

  const SimCluster& cluster_;
  std::vector<std::string> failures_;
  std::uint64_t epoch_ = 0, sequence_ = 0, applied_ = 0, voids_ = 0;
  Hash256 link_{};
  bool dead_ = false;
  std::vector<Hash256> rolling_{Hash256{}};  // after [0, n)
  std::map<std::pair<int, std::uint32_t>, std::uint64_t> next_;
  std::uint64_t preempted_ = 0;
  Timestamp time_ = 0;  // of the record under way
  Expected expected_;
  Offset offset_ = 0;  // of the record under way
  struct Limit {
    std::int64_t most = 0;
    Offset set_at = 0;
  };
  std::map<std::string, Limit> most_sessions_;  // by user
  std::map<std::string, std::uint64_t> seen_;
  std::map<agents::KernelKey, bool> placed_;
  std::set<std::string> join_nonces_;
  std::map<std::string, std::set<std::string>> plan_;  // of the record under way: victims by preemptor
  std::set<std::string> unreachable_;                  // agents, as the log says
  std::map<std::string, Session> sessions_;
  std::map<std::string, Kernel> kernels_;
  std::map<std::pair<std::string, std::uint32_t>, std::string> lost_;  // sessions, by first kernel's attempt
  std::map<std::string, std::map<std::string, std::int64_t>> capacity_,
      taken_;  // by agent: "cpu", "gpu0/cuda.shares"
};

}  // namespace berth::simulation
