#include "tests/simulation/world.h"

#include <algorithm>
#include <cstdio>

#include "tests/simulation/checkers.h"
#include "tests/simulation/decision_audit.h"
#include "tests/simulation/dump.h"
#include "tests/simulation/forger.h"
#include "tests/simulation/hostile_log.h"
#include "tests/simulation/machine_audit.h"
#include "tests/simulation/profile_faults.h"
#include "tests/simulation/replay_checker.h"
#include "tests/simulation/strange/strange_faults.h"
#include "tests/simulation/strange/wrong_clock.h"

namespace berth::simulation {
namespace {

constexpr Duration kTurn = 20 * kMillisecond;
constexpr Duration kChaos = 16 * kSecond;
constexpr Duration kHealMax = 120 * kSecond;
constexpr Duration kCalm = 4 * kSecond;  // a reader compares a wrong copy with the log meanwhile (ADR 0031)
constexpr Timestamp kStart = 1'700'000'000ll * kSecond;
// Of a hostile run: until all that fits was placed and has ended, and until each machine runs its session.
constexpr Duration kFulfilMax = 400 * kSecond;
constexpr Duration kWholeMax = 40 * kSecond;
constexpr Duration kAbsences = 30 * kSecond;
constexpr Duration kNight = 11 * kMinute;
constexpr Duration kNightTurn = 200 * kMillisecond;
constexpr Duration kAgreed = 75 * kSecond;      // a clock is believed after a minute of agents that agree
constexpr Duration kLimitedMax = 80 * kSecond;  // an agent that joins anew may take half a minute

constexpr MemoryLogFaults kFaults{800, 4, 6, 10, 200, 200};

class World {
 public:
  explicit World(const WorldOptions& options)
      : options_(options),
        rng_(options.seed),
        strangeness_(draw_faults(options).strangeness),
        hostility_(draw_faults(options).hostility),
        cluster_(make_cluster(options.seed)),
        demands_(hostility_, options.seed),
        users_(cluster_, options.seed * 7 + 1, options.sessions, hostile() ? &demands_ : nullptr,
               options.every_policy),
        rare_(draw_faults(options).rare),
        rare_rng_(options.seed ^ 0xFA017),
        hostile_rng_(options.seed ^ 0x40571E),
        hostile_log_(cluster_, hostility_, options.seed),
        forger_(cluster_, options.seed),
        strange_faults_(cluster_, strangeness_, options.seed),
        wrong_clock_(strangeness_, options.seed) {
    now_ = {kStart, kSecond};
    report_.hostility = hostility_.text();
    if (strangeness_.any()) report_.hostility += "; strange: " + strangeness_.text();
    if (strangeness_.any()) users_.be_strange(strangeness_, options.seed);
    for (int i = 0; i < options.controllers; ++i)
      controllers_.push_back(
          {std::make_unique<SimController>(cluster_, "c" + std::to_string(i + 1),
                                           options.seed * 100 + static_cast<std::uint64_t>(i), hostility_)});
    for (int i = 0; i < options.agents; ++i) {
      agents_.push_back(std::make_unique<SimAgent>(cluster_, "a" + std::to_string(i + 1),
                                                   options.seed * 1000 + static_cast<std::uint64_t>(i),
                                                   hostility_));
      agent_paused_.push_back(0);
      fences_.emplace_back();
    }
    for (SimController* controller : processes()) strange_faults_.add(controller);
    for (const auto& agent : agents_) strange_faults_.add(agent.get());
  }

  WorldReport run() {
    start();
    chaos_until(kChaos / 2);
    const Timestamp before = now_.boottime;
    if (hostility_.absences) absences();
    if (hostility_.night) night();
    if (wrong_clock_.is_to_be_agreed()) agree_with_wrong_clock();
    chaos_until(kChaos + now_.boottime - before);
    heal();
    if (hostile()) fulfil();
    wind_up();
    finish();
    return report_;
  }

 private:
  struct Controller {
    std::unique_ptr<SimController> process;
    Timestamp paused_until = 0;
    Duration clock_error = 0;
    Duration error_at_flush = 0;  // from the next flush on
  };

  bool hostile() const { return options_.profile != Profile::kPlain; }

  void chaos_until(Timestamp boottime) {
    while (now_.boottime < boottime && report_.failures.empty()) {
      chaos();
      if (hostile()) hostile_chaos();
      strange_faults_.chaos(now_);
      wrong_clock_.chaos(site(), dated(), users_);
      turn();
    }
  }

  // The clocks of all machines are wrong by the same for so long that the leader takes them for right.
  void agree_with_wrong_clock() {
    calm();
    wrong_clock_.set_ahead();
    turn_ = kNightTurn;
    for (const Timestamp until = now_.boottime + kAgreed; now_.boottime < until && report_.failures.empty();)
      turn();
    turn_ = kTurn;
    wrong_clock_.set_right();
    faults_ = kFaults;
  }

  // Controllers stay up, so that a leader waits until it holds an agent for lost; agents go away and come
  // back.
  void absences() {
    calm();
    faults_ = kFaults;
    std::vector<Timestamp> back(agents_.size(), 0);
    const Timestamp until = now_.boottime + kAbsences;
    for (; now_.boottime < until && report_.failures.empty(); turn()) {
      hostile_log_.chaos(now_);
      for (std::size_t i = 0; i < agents_.size(); ++i) {
        if (now_.boottime >= back[i]) agents_[i]->set_cut_off(false);
        if (now_.boottime < back[i] || !hostile_rng_.chance(1, 250)) continue;
        back[i] = now_.boottime + static_cast<Duration>(4000 + hostile_rng_.below(10'000)) * kMillisecond;
        if (hostile_rng_.chance(1, 3))
          agent_paused_[i] = back[i];
        else
          agents_[i]->set_cut_off(true);
      }
    }
    calm();
    faults_ = kFaults;
  }

  // Nothing happens but that time passes: what ended before leaves the state for history at the next record.
  void night() {
    calm();
    users_.be(SimUsers::Mood::kWatching);
    turn_ = kNightTurn;
    for (const Timestamp until = now_.boottime + kNight; now_.boottime < until && report_.failures.empty();)
      turn();
    turn_ = kTurn;
    users_.be(SimUsers::Mood::kBusy);
    faults_ = kFaults;
  }

  // Everything that fits is placed, without that anything that waits is cancelled; then every machine has
  // work that takes all of it.
  void fulfil() {
    std::vector<std::string> names;
    std::vector<v1::AgentJoined> profiles;
    for (const auto& agent : agents_) {
      names.push_back(agent->name());
      profiles.push_back(agent->profile());
    }
    if (hostility_.operators) ask_no_drains(names);
    users_.be(SimUsers::Mood::kFinishing);
    // A journal that lost its first records has forgotten the agents too: a request before the first of them
    // has joined again is refused.
    const auto fulfilled = [this] {
      let_programs_die();  // no fault: programs end when they like
      return settled() && all_agents_joined();
    };
    if (!turn_until(kFulfilMax, fulfilled))
      return fail("not all that fits is placed after the faults stopped: " + describe());
    users_.be(SimUsers::Mood::kWatching);
    if (hostility_.gangs) end_gang();
    if (strangeness_.clocks) end_limited();
    const auto whole = users_.ask_for_whole(profiles, now_);
    if (!turn_until(kWholeMax, [&] { return all_run(whole); }))
      fail("a machine gets no work after the faults stopped: " + describe());
  }

  // Deadlines are kept although the clocks were set right by hours a moment ago.
  void end_limited() {
    const std::string limited = users_.ask_for_limited(now_);
    if (!turn_until(kLimitedMax, [&] { return users_.has_accepted(limited) && !is_live(limited); }))
      fail("a batch is not ended by its time limit after a clock was set right: " + describe());
  }
  bool is_live(const std::string& session) {
    const auto* state = view();
    return state == nullptr || state->find_live("u3", session) != nullptr;
  }

  bool all_agents_joined() {
    const auto* state = view();
    return state != nullptr && std::all_of(agents_.begin(), agents_.end(), [&](const auto& agent) {
             const auto* row = state->agents.find(agent->name());
             return row != nullptr && row->state == projections::AgentState::kAlive;
           });
  }

  // One kernel's end is its session's: those on other machines are stopped, although nobody asks for it.
  void end_gang() {
    const std::string gang = users_.ask_for_gang(static_cast<std::uint32_t>(agents_.size()), now_);
    if (!turn_until(kWholeMax, [&] { return all_run({gang}); }))
      return fail("a gang is not placed after the faults stopped: " + describe());
    agents_.front()->let_a_program_die(hostile_rng_);
    if (!turn_until(kWholeMax, [&] { return !is_live(gang); }))
      fail("a gang goes on although one of its kernels has ended: " + describe());
  }

  // Once everything that was asked before is answered: of requests in two partitions the later one may be
  // decided first.
  void ask_no_drains(const std::vector<std::string>& agents) {
    users_.be(SimUsers::Mood::kWatching);
    turn_until(kFulfilMax, [this] {
      const auto* state = view();
      return state != nullptr && users_.all_answered(*state);
    });
    users_.ask_no_drains(agents, now_);
  }

  template <class Done> bool turn_until(Duration most, Done done) {
    for (const Timestamp limit = now_.boottime + most; now_.boottime < limit; turn()) {
      if (!report_.failures.empty() || done()) return true;
    }
    return false;
  }

  bool all_run(const std::vector<std::string>& names) {
    const auto* state = view();
    return state != nullptr && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
             const auto* session = state->find_live("u3", name);
             return session != nullptr && session->status == projections::SessionStatus::kRunning;
           });
  }

  void wind_up() {
    users_.be(SimUsers::Mood::kWindingUp);
    const Timestamp limit = now_.boottime + kHealMax;
    for (Timestamp since = now_.boottime; now_.boottime < limit && report_.failures.empty(); turn()) {
      if (!settled())
        since = now_.boottime;
      else if (now_.boottime >= since + kCalm)
        break;
    }
  }

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
    faults_ = kFaults;
    wrong_clock_.start();
    for (auto& c : controllers_) c.process->start(now_);
    std::vector<std::string> names;
    for (auto& a : agents_) {
      a->start(now_);
      names.push_back(a->name());
    }
    users_.set_up(names, site());
  }

  // What agents and users read on their clocks.
  Instant site() const { return {now_.wall + wrong_clock_.of_others(), now_.boottime}; }

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
      if (!agent.up() && fences_[i].empty() && rng_.chance(1, 30))
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
    if (rare_.journal && rng_.chance(1, 400) && cluster_.server->extent({Stream::kJournal, 0}).end >= 12)
      truncate(1 + rng_.below(6));
    rare_chaos();
  }

  void rare_chaos() {
    if (rare_.streams && rare_rng_.chance(1, 150)) truncate_stream();
    const bool dated = this->dated();
    for (auto& c : controllers_)
      if (rare_.clocks && dated && rare_rng_.chance(1, 300)) {
        c.clock_error = c.error_at_flush = draw_clock_error(rare_rng_);
        ++report_.jumps;
      }
    for (auto& agent : agents_)
      if (rare_.reboots && rare_rng_.chance(1, 600)) {
        agent->reboot();
        ++report_.reboots;
      }
  }

  void hostile_chaos() {
    hostile_log_.chaos(now_);
    const auto* state = view();
    if (hostility_.forger && state != nullptr && hostile_rng_.chance(1, 25)) forger_.forge(*state, now_);
    if (hostility_.forger && hostile_rng_.chance(1, 100)) forge_record();
    let_programs_die();
    if (rare_.journal && hostile_rng_.chance(1, 250)) lose_much();
    if (hostility_.operators && hostile_rng_.chance(1, 400)) fence(hostile_rng_.below(agents_.size()));
    for (auto& c : controllers_) {
      if (hostility_.steps && dated() && hostile_rng_.chance(1, 50)) {
        c.clock_error = c.error_at_flush = hostile_rng_.chance(1, 15) ? 0 : c.clock_error + 50 * kSecond;
        ++report_.jumps;
      }
      if (hostility_.between && dated() && hostile_rng_.chance(1, 200)) {
        c.error_at_flush = draw_clock_error(hostile_rng_);
        ++report_.jumps;
      }
    }
  }

  void let_programs_die() {
    for (auto& agent : agents_)
      if (hostility_.deaths && hostile_rng_.chance(1, 200)) agent->let_a_program_die(hostile_rng_);
  }

  // The journal forgets what runs, and agents that start again do too: what they find on their machines is
  // wanted by nobody.
  void lose_much() {
    truncate(5 + hostile_rng_.below(40));
    for (auto& agent : agents_)
      if (agent->up() && hostile_rng_.chance(1, 2)) agent->crash();
  }

  // The operator says what is true: the machine is dead, and stays so until everybody has heard it.
  void fence(std::size_t agent) {
    if (!fences_[agent].empty()) return;
    agents_[agent]->reboot();
    ++report_.reboots;
    fences_[agent] = users_.ask_fence(agents_[agent]->name(), now_);
  }

  void forge_record() {
    for (auto& c : controllers_)
      if (c.process->up()) return forger_.forge_record(c.process->projector().projection(), now_);
  }

  // The first leader's clock is believed: before it there is nothing to compare a clock with.
  bool dated() const {
    return std::any_of(controllers_.begin(), controllers_.end(), [](const Controller& c) {
      return c.process->up() && c.process->state()->epoch().time != 0;
    });
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

  // Then the next leader's clock is believed, whatever it says: there is nothing to compare it with.
  bool loses_all_dates(Offset end) const { return hostile() && rare_.clocks && end < dated_at_; }

  // The log loses its tail although it was acknowledged and read (a replica without the newest records took
  // over).
  void truncate(Offset lost) {
    const Partition journal{Stream::kJournal, 0};
    const Extent extent = cluster_.server->extent(journal);
    if (extent.end < lost || loses_all_dates(extent.end - lost)) return;
    cluster_.server->truncate(journal, extent.end - lost);
    ++report_.truncations;
    users_.forget_answers();
  }

  void turn() {
    if (dated_at_ == 0 && dated()) dated_at_ = cluster_.server->extent({Stream::kJournal, 0}).end;
    now_.wall += turn_;
    now_.boottime += turn_;
    hostile_log_.turn(now_);
    strange_faults_.turn(now_);
    for (auto& agent : agents_) agent->machine_turn(site());
    advance(*cluster_.server, rng_, faults_);
    for (auto& c : controllers_)
      if (now_.boottime >= c.paused_until) turn(c);
    for (std::size_t i = 0; i < agents_.size(); ++i)
      if (now_.boottime >= agent_paused_[i]) agents_[i]->turn(site());
    if (const SimController* api = viewed(); api != nullptr && strangeness_.any())
      users_.hear(api->cluster_time({now_.wall + wrong_clock_.of_controllers(), now_.boottime}), now_);
    users_.turn(site(), view());
    for (std::string& fence : fences_)
      if (users_.is_answered(fence)) fence.clear();
    // With a truncated journal the cluster has forgotten what runs; machines are compared once it has
    // settled.
    if (report_.truncations == 0) check_machines(agents_, report_.failures);
    if (options_.verbose && now_.boottime % (2 * kSecond) < turn_)
      std::printf("%.1f s: %s\n", static_cast<double>(now_.boottime) / static_cast<double>(kSecond),
                  describe().c_str());
    for (auto& c : controllers_) {
      if (!c.process->failure().empty()) report_.failures.push_back(c.process->failure());
      if (c.process->up() &&
          c.process->state()->epoch().time > now_.wall + wrong_clock_.believable() + time_tolerance(c))
        fail("time ran ahead");
    }
  }

  // P16, whatever the clocks say. Each election may believe a clock that is ahead by less than the tolerance,
  // and go ahead of it by that once more.
  Duration time_tolerance(const Controller& c) const {
    const bool adds_up = hostility_.steps || hostility_.between;
    const auto elections = adds_up ? static_cast<Duration>(c.process->state()->epoch().epoch) : 0;
    return controller::kClockTolerance * (1 + 2 * elections);
  }

  void turn(Controller& c) {
    const Timestamp wall = now_.wall + wrong_clock_.of_controllers();
    const Instant now{wall + c.clock_error, now_.boottime};
    c.clock_error = c.error_at_flush;
    c.process->turn({now, wall + c.clock_error, now_.wall + wrong_clock_.believable()});
  }

  const SimController* viewed() const {
    for (const auto& c : controllers_)
      if (c.process->up() && now_.boottime >= c.paused_until) return c.process.get();
    return nullptr;
  }
  const projections::State* view() const {
    const SimController* process = viewed();
    return process != nullptr ? process->state() : nullptr;
  }

  void heal() {
    calm();
    const auto fenced = [this] {
      return std::all_of(fences_.begin(), fences_.end(), [](const std::string& key) { return key.empty(); });
    };
    if (!turn_until(kFulfilMax, fenced)) fail("a fence is not answered: " + describe());
    calm();
    wrong_clock_.set_right();
    healed_at_ = now_.boottime;
    // A journal that lost minutes gives the leader a time that lies as far behind its servers': they are
    // refused as clock-ahead until a minute of agents, or an operator, says that the clock is right.
    if (strangeness_.any() && report_.truncations > 0) users_.ask_confirm_clock(site());
  }

  // No faults any more, and everything is up but what is being fenced.
  void calm() {
    hostile_log_.heal();
    strange_faults_.heal(now_);
    faults_ = {1000, 0, 0, 0, 500, 500};
    for (auto& c : controllers_) {
      c.paused_until = c.clock_error = c.error_at_flush = 0;
      if (!c.process->up()) c.process->start(now_);
    }
    for (std::size_t i = 0; i < agents_.size(); ++i) {
      agent_paused_[i] = 0;
      agents_[i]->set_cut_off(false);
      if (!agents_[i]->up() && fences_[i].empty()) agents_[i]->start(now_);
    }
  }

  bool settled() {
    const auto* state = view();
    if (state == nullptr || !users_.all_answered(*state) || !users_.all_sent()) return false;
    bool any_live = false;
    state->sessions.for_each_unordered(
        [&](const projections::SessionRow& row) { any_live = any_live || !projections::is_end(row.status); });
    if (any_live) return false;
    for (const auto& agent : agents_)
      if (!agent->machine().running().empty()) return false;
    for (const auto& c : controllers_)
      if (!c.process->up() ||
          c.process->projector().next() != cluster_.server->extent({Stream::kJournal, 0}).end)
        return false;
    return now_.boottime > healed_at_ + 10 * kSecond || !anything_on_its_way();
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
    auditor.audit({users_.deadlines()});
    for (const auto& failure : auditor.failures()) fail(failure);
    report_.records = auditor.applied();
    report_.voids = auditor.voids();
    report_.sessions = auditor.sessions();
    report_.preempted = auditor.preempted();
    report_.events_seen = auditor.seen();
    report_.virtual_seconds = static_cast<double>(now_.boottime) / static_cast<double>(kSecond);
    std::string appended;
    for (auto& c : controllers_) appended += as_view(c.process->appended());
    report_.appended = blake2b_128(appended);
    audit_runs(agents_, report_.failures);
    if (report_.truncations == 0) audit_placed(agents_, auditor.placed(), report_.failures);
    if (options_.dump != nullptr) dump_run(*options_.dump, options_.seed, cluster_);
    if (!report_.failures.empty()) return;
    if (report_.truncations == 0) check_acknowledged();
    if (auditor.live() != 0) fail("the auditor counts live sessions where the cluster has none");
    check_replay(auditor);
    if (options_.decisions) check_decisions();
    check_machines(agents_, report_.failures);
    for (auto& c : controllers_) c.process->crash();
    for (auto& c : controllers_) report_.elections += c.process->elections();
  }

  void check_acknowledged() {
    for (const auto& c : controllers_)
      for (const SessionId& session : users_.acknowledged())
        if (!c.process->knows(session))
          return fail("session " + to_string(session) + " was accepted, and is in neither state nor history");
  }

  void check_decisions() {
    DecisionAudit audit(cluster_);
    report_.decisions = audit.audit();
    for (const auto& failure : audit.failures()) fail(failure);
  }

  void check_replay(const JournalAuditor& auditor) {
    const Replayed replayed = simulation::check_replay(cluster_, processes(), auditor, report_.failures);
    report_.events = replayed.events;
    report_.state = replayed.state;
  }

  std::string describe() {
    const auto* state = view();
    if (state == nullptr) return "no controller is up";
    return "epoch " + std::to_string(state->epoch().epoch) + ", answered " +
           (users_.all_answered(*state) ? "all" : "not all: " + users_.unanswered(*state)) +
           simulation::describe(cluster_, *state, agents_, processes());
  }

  std::vector<SimController*> processes() const {
    std::vector<SimController*> all;
    for (const auto& c : controllers_) all.push_back(c.process.get());
    return all;
  }

  WorldOptions options_;
  Rng rng_;
  Strangeness strangeness_;
  Hostility hostility_;
  SimCluster cluster_;
  Demands demands_;
  SimUsers users_;
  RareFaults rare_;
  Rng rare_rng_;  // of its own: a new kind of fault leaves other seeds as they were
  Rng hostile_rng_;
  HostileLog hostile_log_;
  Forger forger_;
  StrangeFaults strange_faults_;
  WrongClock wrong_clock_;
  Duration turn_ = kTurn;
  Timestamp healed_at_ = 0;  // boottime
  Offset dated_at_ = 0;      // a record before this offset of the journal has a time
  Instant now_;
  MemoryLogFaults faults_;
  std::vector<Controller> controllers_;
  std::vector<std::unique_ptr<SimAgent>> agents_;
  std::vector<Timestamp> agent_paused_;
  std::vector<std::string> fences_;  // by agent: the key of a fence that is not yet answered
  WorldReport report_;
};

}  // namespace

WorldReport run_world(const WorldOptions& options) { return World(options).run(); }

}  // namespace berth::simulation
