// People in the simulator: they ask, repeat with the same key until they are answered, and end what they
// started.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "tests/simulation/sim_controller.h"

namespace berth::simulation {

class SimUsers {
 public:
  SimUsers(const SimCluster& cluster, std::uint64_t seed, int sessions);

  // Definitions and enrolments that the cluster starts with.
  void set_up(const std::vector<std::string>& agents, const Instant& now);
  // `view`: what an API server sees, null while none is up.
  void turn(const Instant& now, const projections::State* view);
  // No new work; everything that lives is to be ended.
  void wind_up() { winding_up_ = true; }
  // Every request has an answer in this state.
  bool all_answered(const projections::State& view) const;
  std::size_t asked() const { return asks_.size(); }
  // Requests whose answer was once seen, by (actor, id).
  const std::vector<std::string>& answered() const { return answered_; }
  // After a truncation: what is unanswered again is asked again.
  void forget_answers();

 private:
  struct Ask {
    v1::Request request;
    bool answered = false;
    Timestamp sent_at = 0;
  };
  void ask(v1::Request request, const Instant& now);
  void send(Ask& ask, const Instant& now);
  void set_up_preemption(v1::ResourceGroupDefined* group);
  void draw_standing(v1::SessionSpec* spec);
  v1::Request session_request(const Instant& now);
  void end_some(const Instant& now, const projections::State& view);

  const SimCluster& cluster_;
  Rng rng_;
  SeededRandom random_;
  Signer signer_;
  std::unique_ptr<EventLog> log_;
  std::vector<Ask> asks_;
  std::vector<std::string> answered_;
  std::map<SessionId, Timestamp> ended_;  // asked to end, when
  int sessions_left_;
  int number_ = 0;
  bool winding_up_ = false;
};

}  // namespace berth::simulation
