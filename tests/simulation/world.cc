#include "tests/simulation/world.h"

#include <algorithm>
#include <cstdio>

#include "tests/simulation/chaos.h"
#include "tests/simulation/checkers.h"

namespace berth::simulation {
namespace {

constexpr Duration kTurn = 20 * kMillisecond;
constexpr Duration kChaos = 16 * kSecond;
constexpr Duration kHealMax = 120 * kSecond;
constexpr Duration kCalm =
    4 * kSecond;  // longer than a reader with a wrong copy may take to compare it with the log (ADR 0031)
constexpr Timestamp kStart = 1'700'000'000ll * kSecond;

class World {
 public:
  explicit World(const WorldOptions& options)
      : options_(options),
        rng_(options.seed),
        cluster_(make_cluster(options.seed)),
        users_(cluster_, options.seed * 7 + 1, options.sessions),
        rare_(rare_faults(options.seed)),
        rare_rng_(options.seed ^ 0xFA017) {
    now_ = {kStart, kSecond};
    for (int i = 0; i < options.controllers; ++i)
      controllers_.push_back({std::make_unique<SimController>(
          cluster_, "c" + std::to_string(i + 1), options.seed * 100 + static_cast<std::uint64_t>(i))});
    for (int i = 0; i < options.agents; ++i) {
      agents_.push_back(std::make_unique<SimAgent>(cluster_, "a" + std::to_string(i + 1),
                                                   options.seed * 1000 + static_cast<std::uint64_t>(i)));
      agent_paused_.push_back(0);
    }
  }

  WorldReport run() {
    start();
    while (now_.boottime < kChaos && report_.failures.empty()) {
      chaos();
      turn();
    }
    heal();
    const Timestamp limit = now_.boottime + kHealMax;
    for (Timestamp since = now_.boottime; now_.boottime < limit && report_.failures.empty(); turn()) {
      if (!settled())
        since = now_.boottime;
      else if (now_.boottime >= since + kCalm)
        break;
    }
    finish();
    return report_;
  }

 private:
  struct Controller {
    std::unique_ptr<SimController> process;
    Timestamp paused_until = 0;
    Duration clock_error = 0;
  };

  static SimCluster make_cluster(std::uint64_t seed) {
    SimCluster cluster;
    cluster.cluster = Rng(seed ^ 0xC1u).uuid();
    cluster.secret = std::string(32, 'k');
    cluster.layout.requests = 2;
    cluster.layout.reports = 2;
    cluster.layout.orders = 2;
    cluster.server = MemoryLogServer::create(cluster.layout, MemoryLogMode::kManual);
    return cluster;
  }

  void start() {
    faults_ = {800, 4, 6, 10, 200, 200};
    for (auto& c : controllers_) c.process->start(now_);
    std::vector<std::string> names;
    for (auto& a : agents_) {
      a->start(now_);
      names.push_back(a->name());
    }
    users_.set_up(names, now_);
  }

  void chaos() {
    for (auto& c : controllers_) {
      if (!c.process->up() && rng_.chance(1, 30))
        c.process->start(now_);
      else if (c.process->up() && rng_.chance(1, 400)) {
        c.process->crash();
        ++report_.crashes;
      } else if (rng_.chance(1, 300))
        c.paused_until = now_.boottime + static_cast<Duration>(rng_.below(3000)) * kMillisecond;
    }
    for (std::size_t i = 0; i < agents_.size(); ++i) {
      auto& agent = *agents_[i];
      if (!agent.up() && rng_.chance(1, 30))
        agent.start(now_);
      else if (agent.up() && rng_.chance(1, 400)) {
        agent.crash();
        ++report_.crashes;
      } else if (rng_.chance(1, 400))
        agent_paused_[i] = now_.boottime + static_cast<Duration>(rng_.below(9000)) * kMillisecond;
      if (rng_.chance(1, 300))
        agent.set_cut_off(true);
      else if (rng_.chance(1, 60))
        agent.set_cut_off(false);
    }
    if (rare_.journal && rng_.chance(1, 400)) truncate();
    rare_chaos();
  }

  void rare_chaos() {
    if (rare_.streams && rare_rng_.chance(1, 150)) truncate_stream();
    // The first leader's clock is believed: before it there is nothing to compare a clock with.
    const bool dated = std::any_of(controllers_.begin(), controllers_.end(), [](const Controller& c) {
      return c.process->up() && c.process->state()->epoch().time != 0;
    });
    for (auto& c : controllers_)
      if (rare_.clocks && dated && rare_rng_.chance(1, 300)) {
        c.clock_error = draw_clock_error(rare_rng_);
        ++report_.jumps;
      }
    for (auto& agent : agents_)
      if (rare_.reboots && rare_rng_.chance(1, 600)) {
        agent->reboot();
        ++report_.reboots;
      }
  }

  void truncate_stream() {
    constexpr Stream kStreams[] = {Stream::kRequests, Stream::kReports, Stream::kOrders};
    const Stream stream = kStreams[rare_rng_.below(3)];
    const Partition partition{
        stream, static_cast<std::uint32_t>(rare_rng_.below(cluster_.layout.partitions_of(stream)))};
    const Extent extent = cluster_.server->extent(partition);
    const Offset lost = 1 + rare_rng_.below(6);
    if (extent.end < lost) return;
    cluster_.server->truncate(partition, extent.end - lost);
    ++report_.input_truncations;
  }

  // The log loses its tail although it was acknowledged and read (a replica without the newest records took
  // over).
  void truncate() {
    const Partition journal{Stream::kJournal, 0};
    const Extent extent = cluster_.server->extent(journal);
    if (extent.end < 12) return;
    cluster_.server->truncate(journal, extent.end - 1 - rng_.below(6));
    ++report_.truncations;
    users_.forget_answers();
  }

  void turn() {
    now_.wall += kTurn;
    now_.boottime += kTurn;
    for (auto& agent : agents_) agent->machine_turn(now_);
    advance(*cluster_.server, rng_, faults_);
    for (auto& c : controllers_)
      if (now_.boottime >= c.paused_until) c.process->turn({now_.wall + c.clock_error, now_.boottime});
    for (std::size_t i = 0; i < agents_.size(); ++i)
      if (now_.boottime >= agent_paused_[i]) agents_[i]->turn(now_);
    users_.turn(now_, view());
    // With a truncated journal the cluster has forgotten what runs; machines are compared once it has
    // settled.
    if (report_.truncations == 0) check_machines(agents_, report_.failures);
    if (options_.verbose && now_.boottime % (2 * kSecond) < kTurn)
      std::printf("%.1f s: %s\n", static_cast<double>(now_.boottime) / static_cast<double>(kSecond),
                  describe().c_str());
    for (auto& c : controllers_) {
      if (!c.process->failure().empty()) report_.failures.push_back(c.process->failure());
      // P16: whatever the clocks say.
      if (c.process->up() && c.process->state()->epoch().time > now_.wall + controller::kClockTolerance)
        fail("time ran ahead");
    }
  }

  const projections::State* view() const {
    for (const auto& c : controllers_)
      if (c.process->up() && now_.boottime >= c.paused_until) return c.process->state();
    return nullptr;
  }

  void heal() {
    faults_ = {1000, 0, 0, 0, 500, 500};
    for (auto& c : controllers_) {
      c.paused_until = c.clock_error = 0;
      if (!c.process->up()) c.process->start(now_);
    }
    for (std::size_t i = 0; i < agents_.size(); ++i) {
      agent_paused_[i] = 0;
      agents_[i]->set_cut_off(false);
      if (!agents_[i]->up()) agents_[i]->start(now_);
    }
    users_.wind_up();
  }

  bool settled() {
    const auto* state = view();
    if (state == nullptr || !users_.all_answered(*state)) return false;
    bool any_live = false;
    state->sessions.for_each_unordered(
        [&](const projections::SessionRow& row) { any_live = any_live || !projections::is_end(row.status); });
    if (any_live) return false;
    for (const auto& agent : agents_)
      if (!agent->machine().running().empty()) return false;
    for (const auto& c : controllers_)
      if (c.process->projector().next() != cluster_.server->extent({Stream::kJournal, 0}).end) return false;
    return now_.boottime > kChaos + 10 * kSecond || !anything_on_its_way();
  }

  // Beats and heartbeats always are; they change nothing that is compared.
  bool anything_on_its_way() const {
    const auto counts = [](const InFlight& append) {
      return append.partition.stream != Stream::kHealth && append.partition.stream != Stream::kControl;
    };
    return std::any_of(cluster_.server->in_flight().begin(), cluster_.server->in_flight().end(), counts);
  }

  void fail(std::string what) { report_.failures.push_back(std::move(what)); }

  void finish() {
    if (report_.failures.empty() && !settled()) fail("not live after the faults stopped: " + describe());
    JournalAuditor auditor(cluster_);
    auditor.audit();
    for (const auto& failure : auditor.failures()) fail(failure);
    report_.records = auditor.applied();
    report_.voids = auditor.voids();
    report_.sessions = auditor.sessions();
    report_.preempted = auditor.preempted();
    report_.virtual_seconds = static_cast<double>(now_.boottime) / static_cast<double>(kSecond);
    std::string appended;
    for (auto& c : controllers_) appended += as_view(c.process->appended());
    report_.appended = blake2b_128(appended);
    if (!report_.failures.empty()) return;
    if (auditor.live() != 0) fail("the auditor counts live sessions where the cluster has none");
    check_replay(auditor);
    check_machines(agents_, report_.failures);
    for (auto& c : controllers_) c.process->crash();
    for (auto& c : controllers_) report_.elections += c.process->elections();
  }

  void check_replay(const JournalAuditor& auditor) {
    projections::Projection fresh(cluster_.cluster, projections::Projection::Tracking::kRows,
                                  cluster_.trust());
    const Partition journal{Stream::kJournal, 0};
    for (Offset offset = 0; offset < cluster_.server->extent(journal).end; ++offset) {
      auto outcome = fresh.apply(offset, cluster_.server->payload_at(journal, offset));
      if (outcome.what == projections::ApplyOutcome::What::kMismatch)
        outcome = fresh.apply(offset, cluster_.server->payload_at(journal, offset), true);
      if (!outcome.applied()) continue;
      for (const auto& event : fresh.record().events())
        report_.events = blake2b_128(std::string(as_view(report_.events)) + event.SerializeAsString());
    }
    report_.state = fresh.state_hash();
    if (fresh.counters().applied != auditor.applied())
      fail("the fold applied " + std::to_string(fresh.counters().applied) + " records, the auditor " +
           std::to_string(auditor.applied()));
    for (auto& c : controllers_) {
      projections::Projection projection(c.process->projector().projection());
      if (projection.chain().next() == fresh.chain().next() && projection.state_hash() != fresh.state_hash())
        fail("a replay gives another state than the live fold");
    }
    fresh.state().kernels.for_each_unordered([&](const projections::KernelRow& row) {
      if (row.holds_slots()) fail("a slot leaked");
    });
    for (const auto& name : fresh.state().agents.sorted_keys())
      if (const auto* use = fresh.state().occupancy().find(name))
        for (const auto& slot : use->slots.entries())
          if (slot.amount != 0) fail("a slot leaked: " + slot.slot + " of " + name);
  }

  std::string describe() {
    const auto* state = view();
    if (state == nullptr) return "no controller is up";
    std::string text = "epoch " + std::to_string(state->epoch().epoch) + ", answered " +
                       (users_.all_answered(*state) ? "all" : "not all");
    for (const SessionId& id : state->sessions.sorted_keys()) {
      const auto* s = state->sessions.find(id);
      if (!projections::is_end(s->status))
        text += ", " + s->name + " " + projections::name_of(s->status) + " " + s->reason_code;
    }
    for (const auto& agent : agents_) {
      text += ", " + agent->name() + " runs " + std::to_string(agent->machine().running().size());
      for (const auto& key : agent->machine().running())
        text += " (" + to_string(key.kernel).substr(0, 8) + "/" + std::to_string(key.attempt) + ")";
    }
    for (const auto& key : state->kernels.sorted_keys()) {
      const auto* k = state->kernels.find(key);
      if (k->holds_slots())
        text += ", journal has " + to_string(key).substr(0, 8) + "/" + std::to_string(k->attempt) + " on " +
                k->agent + " " + projections::name_of(k->state);
    }
    for (const auto& name : state->agents.sorted_keys())
      text += std::string(", ") + name + " " + projections::name_of(state->agents.find(name)->state);
    for (auto& c : controllers_)
      if (c.process->up())
        text += std::string(", ") + (c.process->leading() ? "leading" : "standing by") + " at " +
                std::to_string(c.process->projector().next());
    text += ", journal ends at " + std::to_string(cluster_.server->extent({Stream::kJournal, 0}).end) +
            ", in flight " + std::to_string(cluster_.server->in_flight().size());
    return text;
  }

  WorldOptions options_;
  Rng rng_;
  SimCluster cluster_;
  SimUsers users_;
  RareFaults rare_;
  Rng rare_rng_;  // of its own: a new kind of fault leaves other seeds as they were
  Instant now_;
  MemoryLogFaults faults_;
  std::vector<Controller> controllers_;
  std::vector<std::unique_ptr<SimAgent>> agents_;
  std::vector<Timestamp> agent_paused_;
  WorldReport report_;
};

}  // namespace

WorldReport run_world(const WorldOptions& options) { return World(options).run(); }

}  // namespace berth::simulation
