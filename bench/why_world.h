// A full cluster and a long queue of mixed requests for the benchmark `why`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/why_cell.h"
#include "controller/placement/pass/pass.h"
#include "events/base/random.h"

namespace berth::bench {

struct WhyPolicy {
  std::string head_of_line = "greedy";
  std::string order = "fifo";
  bool preempt = false;
};

class WhyWorld : public placement::PassVisitor {
 public:
  WhyWorld(std::uint64_t agents, std::uint64_t seed, const WhyPolicy& policy);

  // Asks and places until hardly anything fits any more, then lets so many wait, all with their reasons.
  void fill(std::uint64_t waiting);
  // Some sessions end and as many new ones are asked for; nothing is decided yet.
  void end_some(std::uint64_t count);
  // The leader's passes. Nothing of them is recorded yet.
  void run_passes();
  // Folds what the passes decided.
  void record();
  const SessionId& pick_waiting();

  WhyCell& cell() { return cell_; }
  std::size_t running() const { return running_.size(); }

  void placed(const SessionId& session, std::span<const placement::KernelPlacement> kernels) override;
  void refused(const SessionId& session, placement::Reason reason) override;
  void preempted(const SessionId& victim, const SessionId& preemptor, placement::PreemptMode mode) override;
  void reserved(const SessionId& session, std::span<const placement::KernelPlacement> kernels) override;
  void unreserved(const SessionId& session) override;
  void retried(const SessionId&, std::uint32_t) override {}

 private:
  void define(const WhyPolicy& policy);
  void add_agents(std::uint64_t count);
  void ask();
  template <class M>
  void name_places(const SessionId& session, std::span<const placement::KernelPlacement> kernels, M* event);
  void start(const v1::SessionScheduled& scheduled);
  void end(const SessionId& session);

  WhyCell cell_;
  Rng rng_;
  const WhyPolicy policy_;
  std::vector<SessionId> asked_;  // some of them run by now
  std::vector<SessionId> running_;
  std::vector<v1::Event> decided_;  // by passes, not recorded yet
  std::vector<SessionId> victims_;  // among `decided_`
};

}  // namespace berth::bench
