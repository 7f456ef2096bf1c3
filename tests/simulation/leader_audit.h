// LeaderAudit: what a leader says, against what it could know when it said it. One a controller; it shares
// nothing with the controller but the schema.
//
//   `routed` of a chain head: every order up to it was acknowledged by the log (P21)
//   an order whose append failed is appended again (P22)
//   header time: no more than a tolerance ahead of what the true clock has counted in the epoch (P16)
//   AgentLost: not while the leader could not read `health`, nor a lease after that (P24)
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "events/base/clock.h"
#include "events/schema/v1/order.pb.h"
#include "events/schema/v1/record.pb.h"
#include "projections/fold/projection.h"

namespace berth::simulation {

class LeaderAudit {
 public:
  void begin_turn(Timestamp boottime, Timestamp true_wall, bool health_in_reach);
  // A record that this controller appends to the journal.
  void writes(const v1::Record& record);
  // A record that its durable fold applied: what is noted there is to be ordered.
  void read(const v1::Record& record, const std::vector<projections::OrderNote>& notes);
  void order_appended(const std::string& payload) { failed_.erase(payload); }
  void order_failed(const std::string& payload, const v1::Order& order) {
    failed_[payload] = {order.election_nonce()};
  }
  void acknowledged(const v1::Order& order);
  // `nonce`: of the election by which it leads; empty: it does not.
  void end_turn(std::string_view nonce);
  // What it knew is gone: its process crashed, or its copy was rebuilt.
  void forget();

  const std::string& failure() const { return failure_; }

 private:
  using Place = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;  // epoch, sequence, index
  void check_routed(const Place& routed);
  void check_time(const v1::RecordHeader& header);
  bool was_ordered(const std::string& agent, const Place& place) const;

  Timestamp boottime_ = 0, true_wall_ = 0;
  Timestamp stalled_since_ = 0, stalled_at_ = 0;  // boottime; 0: never
  struct Began {
    std::uint64_t epoch = 0;
    Timestamp header = 0, true_wall = 0;
  } began_;
  std::uint64_t due_epoch_ = 0;
  struct Due {
    Place place;
    std::string agent;
    bool snapshot = false;
    auto operator<=>(const Due&) const = default;
  };
  std::set<Due> due_;                        // of the newest epoch
  std::map<std::string, Place> newest_due_;  // by agent
  std::map<std::string, std::set<Place>> orders_;
  std::map<std::string, Place> snapshots_;  // the newest
  struct Failed {
    std::string nonce;  // a later reign of the same controller sends snapshots instead
    int turns = 0;      // that it had since, which a paused process has not
    Timestamp since = 0;
  };
  std::map<std::string, Failed> failed_;  // orders by payload
  std::string failure_;
};

}  // namespace berth::simulation
