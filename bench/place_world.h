// A cluster of mixed agents and a stream of mixed requests for the benchmark `place`.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/placement/cluster/cluster.h"
#include "controller/placement/pass/pass.h"
#include "events/base/random.h"

namespace berth::bench {

class PlaceWorld : public placement::PassVisitor {
 public:
  PlaceWorld(std::uint64_t agents, std::uint64_t seed, placement::Select select);

  // Asks for sessions and places them until the cluster is 95 % full; the number placed.
  std::uint64_t fill();
  // Ends as many as it places, of the same shapes; the number placed.
  std::uint64_t churn(std::uint64_t sessions);
  // So many sessions that wait, one shape after the other; nothing is placed.
  void queue_up(std::uint64_t sessions);

  placement::Cluster& cluster() { return cluster_; }
  double full() const;

  void placed(const SessionId& session, std::span<const placement::KernelPlacement> kernels) override;
  void refused(const SessionId&, placement::Reason) override { ++refused_; }
  void retried(const SessionId&, std::uint32_t) override {}

 private:
  struct Shape {
    std::vector<placement::KernelSpec> kernels;
    placement::Mode mode = placement::Mode::kSingleNode;
    Amount cpu = 0;  // of all kernels together
    Amount shares = 0;
  };
  struct Running {
    SessionId id;
    std::uint32_t shape;
  };
  void add_agents(std::uint64_t count);
  void add_shapes();
  std::vector<placement::fragmentation::ClassShare> class_mix() const;
  void ask(std::uint32_t shape);
  void run_passes();

  placement::Cluster cluster_;
  Rng rng_;
  placement::SlotId cpu_, mem_, shares_;
  std::vector<Shape> shapes_;
  std::vector<std::uint32_t> mix_;  // shapes by how often they are asked for
  std::vector<Running> running_;
  Amount cpu_capacity_ = 0, cpu_used_ = 0, shares_capacity_ = 0, shares_used_ = 0;
  std::uint64_t asked_ = 0, placed_ = 0, refused_ = 0;
};

}  // namespace berth::bench
