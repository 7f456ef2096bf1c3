// Somebody who can append to the log and knows the cluster's id, but has no key: what is forged carries no
// MAC or a wrong one, and is marked, so that the checkers see when it was believed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "events/base/random.h"
#include "tests/simulation/sim_controller.h"

namespace berth::simulation {

inline constexpr const char* kForged = "forged";
inline constexpr const char* kForgedActor = "user:forger";

class Forger {
 public:
  Forger(const SimCluster& cluster, std::uint64_t seed);
  // Appends one payload to a stream that is not the journal. `view`: what an API server sees.
  void forge(const projections::State& view, const Instant& now);
  // Appends a record to the journal that would apply but for its MAC.
  void forge_record(const projections::Projection& copy, const Instant& now);

 private:
  void append(Partition partition, Channel channel, const std::string& writer, const std::string& body);
  void forge_request(const projections::State& view, const Instant& now);
  void forge_report(const projections::State& view, const Instant& now);
  void forge_order(const projections::State& view);
  void forge_beat(const projections::State& view, const Instant& now);
  void forge_acks(const projections::State& view);
  void forge_heartbeat(const projections::State& view, const Instant& now);
  const projections::AgentRow* some_agent(const projections::State& view);
  const projections::KernelRow* some_kernel(const projections::State& view);

  const SimCluster& cluster_;
  Rng rng_;
  std::unique_ptr<EventLog> log_;
};

}  // namespace berth::simulation
