// A controller process in the simulator: durable projection, core, and a disk that outlives its crashes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/cell/controller.h"
#include "events/base/files/disk_error.h"
#include "events/log/memory_log.h"
#include "projections/store/journal_follower.h"
#include "projections/store/memory_store.h"
#include "tests/simulation/hostility.h"
#include "tests/simulation/leader_audit.h"
#include "tests/simulation/strange/hang.h"

namespace berth::simulation {

class SeededRandom final : public RandomSource {
 public:
  explicit SeededRandom(std::uint64_t seed) : rng_(seed) {}
  Uuid uuid() override { return rng_.uuid(); }

 private:
  Rng rng_;
};

struct SimCluster {
  Uuid cluster;
  std::string secret;
  LogLayout layout;
  std::shared_ptr<MemoryLogServer> server;
  std::vector<LogEntry> archive;  // the journal's first records, where it has lost them: for checkers

  // Of [0, end).
  LogEntry journal_at(Offset offset) const;
  JournalTrust trust() const { return JournalSigner(cluster, secret); }
};

bool is_poison(const v1::Request& request);  // session name "poison..."

class SimController final : public projections::ProjectionObserver {
 public:
  // A turn's clocks. The wall clock may jump between the tick and the flush.
  struct Clocks {
    Instant now;
    Timestamp wall_at_flush = 0;
    Timestamp true_wall = 0;
  };

  SimController(const SimCluster& cluster, std::string name, std::uint64_t seed, const Hostility& hostility);

  const std::string& name() const { return name_; }
  void start(const Instant& now);
  void crash();
  bool up() const { return controller_ != nullptr; }
  // One turn of all its threads.
  void turn(const Clocks& clocks);
  bool leading() const { return up() && controller_->deciding(); }
  const std::string& failure() const { return failure_; }

  // What happens to it in a strange run (strangeness.h).
  void hang(const Hang& hang) { hang_ = hang; }
  bool hangs(const Instant& now) const { return now.boottime < hang_.until; }
  // Writes to its disk fail, with an error that may pass, until told otherwise.
  void set_disk_failing(bool failing);
  void lose_disk();  // REQUIRES: it is down
  // A copy of another one's state, as an operator brings it. REQUIRES: it is down.
  void take_state_of(const SimController& other) { disk_ = other.disk_; }
  // It has refused to go on because the journal's beginning, which its state lacks, is gone.
  bool has_refused() const { return refused_; }
  // Up to where the journal is in the state on its disk.
  Offset stored();

  projections::Projector& projector() { return *projector_; }
  const projections::State* state() const { return up() ? &projector_->state() : nullptr; }
  // As its API server counts it (ADR 0114). REQUIRES: it is up.
  Timestamp cluster_time(const Instant& now) const;
  // In its state or in its history.
  bool knows(const SessionId& session) const;
  std::uint64_t elections() const { return elections_; }
  // Of every payload that it appended to the journal and to orders, in order, over all its lives.
  const Hash128& appended() const { return appended_; }

  void on_record(const LogEntry& entry, const projections::ApplyOutcome& outcome,
                 const projections::Projection& projection) override;
  void on_chain_point(const projections::ChainPoint& point) override;
  void on_rebuilt(const Error& why, Offset from) override;
  void on_warning(const Error& error) override;

 private:
  void follow_journal(const Instant& now);
  void compare_journal(const Instant& now);
  void answer_end();
  void journal_failed(const Error& error);
  bool hangs(bool Hang::*call) const { return boottime_ < hang_.until && hang_.*call; }
  void read_inputs(std::vector<controller::Input>& inputs);
  void read_liveness(std::vector<controller::Input>& inputs);
  // What a leader decided leaves its scheduler's model whole; a broken invariant fails the run.
  void audit_scheduler();
  void do_outputs(controller::Outputs& out);
  void append(controller::Append append);
  // Also glances. A stream that is out of reach is looked at when it is back.
  void check_inputs(const std::vector<controller::CheckInput>& checks);

  const SimCluster& cluster_;
  std::string name_;
  SeededRandom random_;
  projections::MemoryStore disk_;
  std::unique_ptr<HangingLog> log_;
  std::unique_ptr<projections::Projector> projector_;
  std::unique_ptr<projections::JournalFollower> follower_;
  std::unique_ptr<controller::Controller> controller_;
  std::unique_ptr<LogReader> inputs_;
  std::unique_ptr<LogReader> liveness_;
  std::vector<ReadFrom> positions_;
  std::vector<controller::CheckInput> checks_to_make_;
  std::vector<controller::Input> queue_;
  bool reload_wanted_ = false;
  bool end_wanted_ = false;
  bool glance_wanted_ = false;
  bool suspicious_ = false;
  Timestamp compared_at_ = 0;
  bool full_ = false;
  std::uint64_t elections_ = 0;
  Hash128 appended_{};
  std::string failure_;
  bool start_again_ = false;  // the log was out of reach
  bool refused_ = false;
  Timestamp boottime_ = 0;  // of this turn
  Hang hang_;
  std::optional<Offset> late_end_;  // the journal's end as it was when it was asked for
  bool disk_fails_ = false;
  DiskPatience patience_;
  Hostility hostility_;
  LeaderAudit audit_;
};

}  // namespace berth::simulation
