// Controller: follows the journal, stands for election, leads. Pure: no I/O, no threads, no clock; the
// runtime and the simulator drive it.
//
//            silence for T, copy = log's end                own election read back
//  FOLLOWING ------------------------------> STANDING --------------------------------> LEADER
//    ^  ^                                       |                                          |
//    |  +----- another election read, its own --+                                          |
//    |         not appended or not back in D                                               |
//    +-- copy of the durable fold -- RELOADING <-- higher epoch read, append failed or ----+
//                                        ^         unknown, own record void or not back in D
//    FOLLOWING, STANDING ----------------+  the copy differs from the log, or is longer
//
// FOLLOWING and STANDING fold what they read. A LEADER decides on its own undurable records and pipelines
// them (P10, leader/leader.h); when it has lost, its optimistic state is worth nothing and is dropped with
// it. Work per call is bounded: step() takes one input in, flush() decides at most some hundred things and
// says in Outputs::more when there are more.
//
// Owned by one strand.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "controller/cell/config.h"
#include "controller/cell/leader/leader.h"
#include "controller/cell/ports.h"
#include "controller/decide/context.h"
#include "events/base/random.h"
#include "events/base/time/heard_time.h"
#include "events/codec/signing.h"

namespace berth::controller {

struct Following {
  bool end_asked = false;  // where the journal ends: the last question before it stands
};
struct Standing {
  Timestamp since = 0;  // boottime
};
struct Reloading {};

class Controller {
 public:
  enum class Mode : std::uint8_t { kStandby, kCandidate, kLeader };

  // `projection`: a copy of the durable fold as loaded; the journal goes on at its chain().next().
  Controller(ControllerConfig config, std::unique_ptr<projections::Projection> projection,
             RandomSource& random, InHistory in_history);
  Controller(const Controller&) = delete;  // its leader refers to it
  Controller& operator=(const Controller&) = delete;

  void step(Input input, const Instant& now, Outputs& out);
  // Decides what can be decided. Call it when the queue of inputs is empty, or every few hundred inputs.
  void flush(const Instant& now, Outputs& out);
  // The program stops: a leader says so, and decides nothing more. Nothing else may be called after it.
  void leave(const Instant& now, Outputs& out);

  Mode mode() const;
  // A leader that has compared its copy with the log, checked its inputs, and decides.
  bool deciding() const { return leader() != nullptr && leader()->deciding(); }
  // When each agent was heard last (LeaseBook::heard); of a leader alone.
  std::vector<std::pair<std::string, Timestamp>> beats() const;
  // When a heartbeat of the current epoch was heard last, its own too; boottime, 0: never.
  Timestamp heartbeat_heard() const { return heartbeat_heard_; }
  // The header time that such a heartbeat told last; 0: never.
  Timestamp time_heard() const { return time_.told(); }
  // How far the cluster's time is ahead of this machine's boottime clock, as heartbeats told it; nothing is
  // known while time_heard() is 0.
  Duration time_ahead() const { return time_.ahead(); }
  const projections::Projection& projection() const { return *projection_; }
  // REQUIRES: mode() is kLeader.
  const placement::Cluster& scheduler() const;
  const ControllerCounters& counters() const { return counters_; }

 private:
  using State = std::variant<Following, Standing, Reloading, std::unique_ptr<Leader>>;

  void on(InputRead input, const Instant& now, Outputs& out);
  void on(JournalRead input, const Instant& now, Outputs& out);
  void on(HealthRead input, const Instant& now, Outputs& out);
  void on(ControlRead input, const Instant& now, Outputs& out);
  void on(Appended input, const Instant& now, Outputs& out);
  void on(JournalEnd input, const Instant& now, Outputs& out);
  void on(InputChecked input, const Instant& now, Outputs& out);
  void on(InputsLost input, const Instant& now, Outputs& out);
  void on(ChainPointRead input, const Instant& now, Outputs& out);
  void on(Reloaded input, const Instant& now, Outputs& out);
  void on(SelectionFound input, const Instant& now, Outputs& out);
  void on(Tick input, const Instant& now, Outputs& out);

  void follow(const JournalRead& input, const Instant& now, Outputs& out);
  void watch_leader(const Instant& now, Outputs& out);
  bool may_stand(const Instant& now) const;
  void stand(const Instant& now, Outputs& out);
  void lead(const Instant& now, Outputs& out);
  void reload(Outputs& out);
  // Call it with each Leadership that a Leader returned: on Lost it drops the leader.
  void drop_if_lost(const Leadership& leadership, Outputs& out);

  Leader* leader();
  const Leader* leader() const;

  ControllerConfig config_;
  std::unique_ptr<projections::Projection> projection_;
  RandomSource& random_;
  InHistory in_history_;
  Verifier verifier_;
  Tickets tickets_;
  ControllerCounters counters_;
  Timestamp leader_heard_ = 0;  // boottime; 0: not yet set
  Timestamp heartbeat_heard_ = 0;
  HeardTime time_;           // by heartbeats
  std::uint64_t stood_ = 0;  // since a heartbeat of the current epoch was heard
  Timestamp stood_at_ = 0;   // boottime

  // An election of ours that may still come. The nonce stays until this or another election is read; the
  // ticket is 0 once the append's outcome is known.
  struct Election {
    Uuid nonce;
    std::uint64_t ticket = 0;
  };
  Election election_;
  State state_;
};

}  // namespace berth::controller
