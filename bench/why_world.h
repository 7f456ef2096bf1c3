// A full cluster and a long queue of mixed requests for the benchmark `why`.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/placement/cluster/cluster.h"
#include "controller/placement/pass/pass.h"
#include "events/base/random.h"

namespace berth::bench {

class WhyWorld : public placement::PassVisitor {
 public:
  WhyWorld(std::uint64_t agents, std::uint64_t seed, const placement::GroupPolicy& policy);

  // Asks and places until hardly anything fits any more, then lets so many wait, all with their reasons.
  void fill(std::uint64_t waiting);
  // Some sessions end and as many new ones are asked for; nothing is decided yet.
  void end_some(std::uint64_t count);
  void run_passes();
  const SessionId& pick_waiting();

  placement::Cluster& cluster() { return cluster_; }
  std::uint64_t told() const { return told_; }
  std::size_t running() const { return running_.size(); }

  void placed(const SessionId& session, std::span<const placement::KernelPlacement> kernels) override;
  void refused(const SessionId&, placement::Reason) override { ++told_; }
  void preempted(const SessionId& victim, const SessionId&, placement::PreemptMode) override {
    victims_.push_back(victim);
  }
  void retried(const SessionId&, std::uint32_t) override {}

 private:
  void add_agents(std::uint64_t count);
  void ask();

  placement::Cluster cluster_;
  Rng rng_;
  const placement::GroupPolicy policy_;
  placement::SlotId cpu_, mem_, shares_;
  std::vector<SessionId> asked_;  // some of them run by now
  std::vector<SessionId> running_;
  std::vector<SessionId> victims_;
  std::uint64_t told_ = 0;
};

}  // namespace berth::bench
