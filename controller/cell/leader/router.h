// Router: turns what a record means for agents into orders (P21).
//
// Orders are made when the record is closed, from the leader's own state, and kept beside it; they leave when
// the record was read back. A snapshot is made at the end of the leader's flush: the report that asked for it
// may take several records. Who leads next sends snapshots to the agents whose orders the log may not have
// (fold_log.cc).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "controller/cell/config.h"
#include "controller/cell/ports.h"
#include "events/codec/signing.h"
#include "events/schema/v1/order.pb.h"
#include "projections/fold/projection.h"

namespace berth::controller {

inline constexpr Duration kStopGrace = 10 * kSecond;

class Router {
 public:
  // `nonce`: of the leader's election, which its orders name.
  Router(const ControllerConfig& config, Verifier& verifier, const Uuid& nonce)
      : config_(config), verifier_(verifier), nonce_(nonce) {}

  // Orders for the notes of the record just closed, each with its position, but for snapshots.
  std::vector<std::pair<projections::Position, Append>> orders(
      const projections::State& state, const v1::Record& record,
      const std::vector<projections::OrderNote>& notes);
  // All that the agent should have now, at its last order's position: one order, or its parts where one would
  // be too large. None if the agent is unknown.
  std::vector<std::pair<projections::Position, Append>> snapshot(const projections::State& state,
                                                                 const std::string& agent);

 private:
  Append signed_order(const projections::AgentRow& agent, const v1::Order& order);
  void seal_environment(const projections::State& state, const projections::AgentRow& agent,
                        v1::StartKernel* start);
  void fill_snapshot(const projections::State& state, const projections::AgentRow& agent,
                     v1::Snapshot* snapshot);
  void fill_event(const projections::State& state, const v1::Event& event, const std::string& agent,
                  v1::Order* order) const;

  const ControllerConfig& config_;
  Verifier& verifier_;
  Uuid nonce_;
};

}  // namespace berth::controller
