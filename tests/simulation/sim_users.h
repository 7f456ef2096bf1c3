// People in the simulator: they ask, repeat with the same key until they are answered, and end what they
// started.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "tests/simulation/demands.h"
#include "tests/simulation/sim_controller.h"
#include "tests/simulation/strange/strangeness.h"

namespace berth::simulation {

class SimUsers {
 public:
  // `demands` may be null: nothing besides what every run has.
  SimUsers(const SimCluster& cluster, std::uint64_t seed, int sessions, Demands* demands, bool every_policy);

  // Definitions and enrolments that the cluster starts with.
  void set_up(const std::vector<std::string>& agents, const Instant& now);
  // `view`: what an API server sees, null while none is up.
  void turn(const Instant& now, const projections::State* view);
  enum class Mood : std::uint8_t {
    kBusy,
    kFinishing,  // no new work; what runs is ended, and nothing that waits
    kWatching,   // nothing is asked for and nothing ended
    kWindingUp,  // everything that lives is ended
  };
  void be(Mood mood) { mood_ = mood; }
  // One session for each agent, on that agent alone, that takes all that it has. Returns their names.
  std::vector<std::string> ask_for_whole(const std::vector<v1::AgentJoined>& agents, const Instant& now);
  // One session with a kernel for each of so many agents. Returns its name.
  std::string ask_for_gang(std::uint32_t agents, const Instant& now);
  // Returns the request's key, for is_answered().
  std::string ask_fence(const std::string& agent, const Instant& now);
  // The operator's word that the clock is right (P16), true or not.
  void ask_confirm_clock(const Instant& now);
  // One batch that runs for an hour unless its time limit of one second ends it. Returns its name.
  std::string ask_for_limited(const Instant& now);
  // As in a strange run (strangeness.h): times are the cluster's, as the API server told it last.
  void hear(Timestamp cluster_time, const Instant& now) { heard_ = {cluster_time, now.boottime}; }
  void be_strange(const Strangeness& strangeness, std::uint64_t seed);
  void ask_no_drains(const std::vector<std::string>& agents, const Instant& now);
  bool is_answered(const std::string& key) const;
  bool has_accepted(const std::string& session_name) const;
  // Nothing is on its way from a server that stands still.
  bool all_sent() const { return late_.empty(); }
  // Every request has an answer in this state.
  bool all_answered(const projections::State& view) const;
  std::string unanswered(const projections::State& view) const;  // for people
  std::size_t asked() const { return asks_.size(); }
  // Sessions whose acceptance was seen, since the last forget_answers().
  const std::set<SessionId>& acknowledged() const { return acknowledged_; }
  // By request id: the last wall clock, in ms, at which the request may be decided.
  std::map<std::string, std::int64_t> deadlines() const;
  // After a truncation: what is unanswered again is asked again.
  void forget_answers();

 private:
  struct Ask {
    v1::Request request;
    bool answered = false;
    Timestamp sent_at = 0;
  };
  void ask(v1::Request request, const Instant& now);
  void take_answer(Ask& ask, const projections::RequestRow& answer);
  void send_conflict(const projections::State& view, const Instant& now);
  bool wants_ended(const projections::SessionRow& session) const;
  Timestamp cluster_time(const Instant& now) const;
  void send(Ask& ask, const Instant& now);
  void set_up_preemption(v1::ResourceGroupDefined* group);
  void draw_policies(v1::ResourceGroupDefined* group);
  void draw_standing(v1::SessionSpec* spec);
  v1::Request session_request(const Instant& now);
  void end_some(const Instant& now, const projections::State& view);

  const SimCluster& cluster_;
  Rng rng_;
  SeededRandom random_;
  Signer signer_;
  std::unique_ptr<EventLog> log_;
  std::vector<Ask> asks_;
  std::set<SessionId> acknowledged_;
  std::map<SessionId, Timestamp> ended_;  // asked to end, when
  int sessions_left_;
  int number_ = 0;
  Mood mood_ = Mood::kBusy;
  Demands* demands_;
  std::optional<Rng> policies_;  // nullopt: those of every run
  Instant heard_;                // the newest header time, and when it was heard
  bool by_cluster_time_ = false;

  // What the API server that stands still will send.
  struct Late {
    Timestamp at = 0;  // boottime
    Partition partition;
    std::string id, payload;
  };
  void send_late(const Instant& now);
  std::optional<Rng> late_rng_;  // nullopt: no server stands still
  std::vector<Late> late_;
};

}  // namespace berth::simulation
