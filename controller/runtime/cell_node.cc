#include "controller/runtime/cell_node.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

#include "events/base/files/disk_error.h"
#include "events/codec/parse_body.h"

namespace berth::controller {
namespace {

constexpr Duration kTickEvery = 20 * kMillisecond;
constexpr Duration kBeatsEvery = kSecond;  // are copied for others to read
constexpr Duration kFollowWait = 100 * kMillisecond;
constexpr std::size_t kInputsBetweenFlushes = 512;
constexpr std::size_t kHistorySeen = 2'000;  // ended sessions whose run times count from the start
constexpr Duration kCompareEvery = 3 * kSecond;
constexpr Duration kPointEvery = 15 * kSecond;  // between chain heads on a quiet cluster
constexpr Duration kPointWait = 10 * kSecond;

// A void record of the current epoch that the cluster signed (P1): its leader believes in what nobody
// applies. A void election is of a candidate that came too late, and nobody follows it.
bool is_of_the_leader(const LogEntry& entry, const projections::ApplyOutcome& outcome,
                      const projections::Projection& projection) {
  using projections::VoidReason;
  if (outcome.what != projections::ApplyOutcome::What::kVoid || outcome.reason == VoidReason::kSignature ||
      outcome.reason == VoidReason::kTooLarge)
    return false;
  v1::Record record;
  return parse_body(open_envelope(entry.payload, projection.cluster()), record) &&
         record.header().epoch() == projection.state().epoch().epoch && record.header().epoch() != 0 &&
         record.header().sequence() != 0;
}

std::string words_of_lost_beginning(Offset begin) {
  return "log-beginning-lost: the journal begins at " + std::to_string(begin) +
         ", and the records before that are gone. The state goes on; audit, history and states of the time "
         "before are lost, and neither a backup nor a new state folder can be made of this journal: keep a "
         "copy "
         "of the state folder; berth cluster accept-truncation gives those records up";
}

projections::ProjectorOptions trusting(const CellNodeConfig& config) {
  projections::ProjectorOptions options = config.projector;
  options.trust = JournalSigner(config.controller.cluster, config.controller.secret);
  return options;
}

std::optional<PastSession> past_session(const std::optional<projections::HistoryEntry>& entry) {
  if (!entry) return std::nullopt;
  const projections::SessionRow& row = entry->session;
  return PastSession{row.owner->owner.user(), row.name, row.spec->spec.type(), row.result};
}

}  // namespace

CellNode::CellNode(CellNodeConfig config, EventLog& log, projections::Store& store, const Clock& clock,
                   RandomSource& random)
    : config_(std::move(config)),
      log_(log),
      store_(store),
      clock_(clock),
      random_(random),
      projector_(config_.controller.cluster, store, trusting(config_), this),
      explainer_([this](const Explainer::Read& look) {
        read([&](const projections::Projection& projection) { look(projection.state()); });
      }),
      follower_(log, projector_, config_.follower),
      feed_(log, queue_),
      learner_(queue_),
      voids_(config_.voids_file),
      truncation_(config_.truncation_file),
      probe_(
          log, clock, [this](const Partition& partition) { return next_input(partition); }, *health_) {}

Result<void> CellNode::start() {
  if (auto opened = projector_.open(); !opened) return opened;
  if (auto opened = open_follower(); !opened) return opened;
  health_->journal_begins(follower_.lost_beginning());
  if (config_.follower.accept_truncation)
    if (auto accepted = truncation_.accept(follower_.lost_beginning()); !accepted) return accepted;
  next_ = projector_.next();
  record_time_ = projector_.projection().state().epoch().time;
  const auto history = store_.read_history(kHistorySeen, "");
  explainer_.seed(history ? history->entries : std::vector<projections::HistoryEntry>{},
                  projector_.projection().state());
  projector_.set_listener(&rows_);
  points_.show(projector_.flushed());
  if (config_.may_lead) {
    controller_ = std::make_unique<Controller>(
        config_.controller, std::make_unique<projections::Projection>(projector_.projection()), random_,
        [this](const SessionId& id) { return in_history(id); });
    if (auto started = feed_.start(); !started) return started;
    strand_thread_ = std::thread([this] { run_strand(); });
  }
  projector_thread_ = std::thread([this] { run_projector(); });
  probe_.start();
  started_ = true;
  return {};
}

Result<void> CellNode::open_follower() {
  const Timestamp until = clock_.now().boottime + config_.lower_end_patience;
  auto opened = follower_.open();
  while (!opened && is_log_truncated(opened.error()) && clock_.now().boottime < until) {
    spdlog::warn("asked again: {}", to_string(opened.error()));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    opened = follower_.open();
  }
  return opened;
}

void CellNode::stop() {
  if (stopping_.exchange(true) || !started_) return;
  points_.close();
  probe_.stop();
  feed_.stop();
  queue_.close();
  follower_.wake();
  if (strand_thread_.joinable()) strand_thread_.join();
  learner_.stop();
  if (projector_thread_.joinable()) projector_thread_.join();
  if (auto flushed = follower_.flush(); !flushed)
    spdlog::warn("projection not written: {}", to_string(flushed.error()));
}

// An id that cannot be looked up is neither in use nor free: nothing that was decided on it leaves. What the
// disk lacks for a moment is waited for.
std::optional<PastSession> CellNode::in_history(const SessionId& id) {
  const Timestamp until = clock_.now().boottime + kDiskPatience;
  auto found = store_.find_history(id);
  while (!found && may_pass(found.error()) && clock_.now().boottime < until && !stopping_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    found = store_.find_history(id);
  }
  if (found) return past_session(*found);
  if (!std::exchange(history_fails_, true)) fatal("history is unreadable: " + to_string(found.error()));
  return std::nullopt;
}

void CellNode::fatal(const std::string& why) {
  spdlog::critical("{}", why);
  if (on_fatal_ && !ended_.exchange(true)) on_fatal_(why);
}

void CellNode::run_projector() {
  pthread_setname_np(pthread_self(), "cell-projector");
  DiskPatience patience;
  while (!stopping_) {
    const auto read = follower_.step(kFollowWait, clock_.now().boottime);
    after_step();
    health_->store_result(read ? Result<void>() : Result<void>(read.error()));
    if (read) patience.succeeded();
    if (!read) {
      const Error error = patience.judge(read.error(), clock_.now().boottime, "store-failed");
      if (!projections::JournalFollower::may_go_on(error)) return fatal(to_string(error));
      spdlog::warn("following the journal: {}", to_string(error));
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    const Timestamp now = clock_.now().boottime;
    if (suspicious_ && !config_.controller.stand_at_once && now > compared_at_ + kCompareEvery) {
      compared_at_ = now;
      suspicious_ = !compare_with_log();
      after_step();
    }
    glance_at_journal();
    answer_strand();
    answer_points();
  }
}

// Outside the state's lock: who is told may read the state.
void CellNode::after_step() {
  if (next_.exchange(projector_.next()) != projector_.next()) read_at_ = clock_.now().boottime;
  record_time_ = projector_.projection().state().epoch().time;
  if (points_.point().next != projector_.flushed().next) flushed_at_ = clock_.now().boottime;
  points_.show(projector_.flushed());
  health_->folded(projector_.next());
  if (catches_up_ && health_->has_caught_up()) catches_up_ = false;
  note_truncation();
  tell_point();
  if (config_.may_lead) queue_.push(forward_);
  forward_.clear();
  tell_follower();
}

// Once in a while, so that on a quiet cluster too a signed head covers what there is.
void CellNode::tell_point() {
  const Timestamp now = clock_.now().boottime;
  const projections::ChainPoint& point = projector_.flushed();
  if (!leading_ || now < point_told_at_ + kPointEvery || point.next == point_told_) return;
  point_told_at_ = now;
  point_told_ = point.next;
  forward_.emplace_back(Input(ChainPointRead{point}));
}

void CellNode::tell_follower() {
  const auto rebuilt = std::exchange(rebuilt_from_, std::nullopt);
  if (on_record_) {
    for (const auto& read : told_) on_record_(read.offset, read.record);
    if (rebuilt)
      on_rebuilt_(*rebuilt, projector_.next());
    else if (!told_.empty())
      on_batch_(projector_.next());
  }
  told_.clear();
}

void CellNode::note_truncation() {
  const auto gone = follower_.take_truncation();
  if (!gone) return;
  spdlog::error(
      "the journal lost records: offsets {} to {} were read and are gone; this node is not ready until "
      "an operator accepts it (berth cluster accept-truncation)",
      gone->left, gone->read - 1);
  if (auto noted = truncation_.add(*gone); !noted) spdlog::warn("{}", to_string(noted.error()));
}

void CellNode::answer_points() {
  if (!points_.is_asked()) return;
  if (const auto flushed = follower_.flush(); !flushed)
    spdlog::warn("projection not written: {}",
                 to_string(flushed.error()));  // the point is right all the same
  points_.answer(projector_.flushed());
}

// What the strand asks of the journal's reader. Before it stands or starts again, what was read is compared
// with the log: one that lost its tail and grew again looks like any other to a reader that goes on. The
// embedded log cannot do that.
void CellNode::answer_strand() {
  const bool reload = reload_wanted_.exchange(false), end = journal_end_wanted_.exchange(false);
  if (!reload && !end) return;
  if (!config_.controller.stand_at_once && !compare_with_log()) {  // asked again at the next turn
    reload_wanted_ = reload_wanted_ || reload;
    journal_end_wanted_ = journal_end_wanted_ || end;
    return;
  }
  after_step();  // a rebuild has queued a reload
  if (reload)
    queue_.push(Input(Reloaded{std::make_unique<projections::Projection>(projector_.projection())}));
  if (!end) return;
  const auto extent = log_.extent({Stream::kJournal, 0});
  queue_.push(Input(JournalEnd{extent ? extent->end : ~Offset{0}}));  // unavailable: the core asks again
}

void CellNode::glance_at_journal() {
  if (!glance_wanted_.exchange(false)) return;
  if (const auto done = follower_.glance(); !done) {
    spdlog::warn("glancing at the journal: {}", to_string(done.error()));
    glance_wanted_ = projections::JournalFollower::may_go_on(done.error());
  }
  after_step();
}

bool CellNode::compare_with_log() {
  const auto compared = follower_.check_against_log();
  if (compared) return true;
  spdlog::warn("comparing with the journal: {}", to_string(compared.error()));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  return false;
}

void CellNode::on_record(const LogEntry& entry, const projections::ApplyOutcome& outcome,
                         const projections::Projection& projection) {
  if (config_.may_lead)
    forward_.emplace_back(Input(JournalRead{entry.offset, entry.payload, outcome.applied(), entry.gap}));
  if (outcome.forbidden())
    spdlog::error("journal record at {} is forbidden, which is a bug: {}", entry.offset, outcome.text());
  if (!outcome.applied()) voids_.add(entry.offset);
  if (is_of_the_leader(entry, outcome, projection))
    health_->own_void(entry.offset, outcome.text(), clock_.now().boottime);
  if (outcome.applied()) {
    events_.count(projection.record());
    for (SessionWatch* watch : rows_.watches) watch->on_record(projection.record());
  }
  if (outcome.applied() && projection.record().header().sequence() == 0)
    health_->elected(projection.state().epoch().controller != config_.controller.name);
  suspicious_ = suspicious_ || projections::is_suspicious(outcome, projection);
  if (on_record_)
    told_.push_back({entry.offset,
                     outcome.applied() ? std::make_shared<const v1::Record>(projection.record()) : nullptr});
}

void CellNode::on_chain_point(const projections::ChainPoint& point) {
  if (config_.may_lead) forward_.emplace_back(Input(ChainPointRead{point}));
}

void CellNode::on_rebuilt(const Error& why, Offset from) {
  spdlog::warn("projection rebuilt from journal offset {}: {}", from, to_string(why));
  rebuilt_from_ = std::min(from, rebuilt_from_.value_or(from));
  catches_up_ = true;
  next_ = from;  // first, so that no page shows a record whose voidness is forgotten
  voids_.forget_from(from);
  explainer_.forget();
  if (rows_.listener != nullptr) rows_.listener->on_replaced();
  projector_.set_listener(&rows_);
  forward_.clear();
  if (config_.may_lead)
    forward_.emplace_back(
        Input(Reloaded{std::make_unique<projections::Projection>(projector_.projection())}));
}

void CellNode::on_warning(const Error& error) { spdlog::warn("{}", to_string(error)); }

Explanation CellNode::why(const SessionId& session, const SeesSession& sees) const {
  return explainer_.why(now(), session, sees);
}

std::optional<StartEstimate> CellNode::estimate_start(const SessionId& session) const {
  return explainer_.estimate_start(now(), session);
}

std::string CellNode::never_warning(const v1::SessionSpec& spec) const {
  return read([&](const projections::Projection& projection) {
    return explainer_.never_warning(projection.state(), spec);
  });
}

std::array<placement::Calibration, 2> CellNode::calibration() const { return explainer_.calibration(); }

Result<DryRunAnswer> CellNode::dry_run(const v1::Request& request, const SeesSession& sees) const {
  std::optional<Error> unreadable;
  const InHistory look_up = [&](const SessionId& id) {
    const auto found = store_.find_history(id);
    if (!found) unreadable = found.error();
    return found ? past_session(*found) : std::nullopt;
  };
  auto answer = explainer_.dry_run(now(), request, look_up, sees);
  if (unreadable) return *unreadable;
  return answer;
}

Result<projections::ChainPoint> CellNode::chain_point_now() {
  return points_.ask(kPointWait, [this] { follower_.wake(); });
}

void CellNode::run_strand() {
  pthread_setname_np(pthread_self(), "cell-strand");
  std::vector<Input> inputs;
  Outputs out;
  Timestamp ticked = 0, copied = 0;
  while (!stopping_) {
    queue_.take(out.more ? 0 : kTickEvery, inputs);
    out = Outputs{};
    std::size_t since_flush = 0;
    for (Input& input : inputs) {
      controller_->step(std::move(input), clock_.now(), out);
      if (++since_flush < kInputsBetweenFlushes) continue;
      since_flush = 0;
      flush(out);
    }
    const Instant now = clock_.now();
    if (now.boottime >= ticked + kTickEvery) {
      ticked = now.boottime;
      controller_->step(Input(Tick{}), now, out);
      const std::lock_guard lock(counters_mutex_);
      counters_ = controller_->counters();
      if (now.boottime >= copied + kBeatsEvery) {
        copied = now.boottime;
        beats_.clear();
        for (auto& [agent, heard] : controller_->beats()) beats_.push_back({std::move(agent), heard});
      }
    }
    flush(out);
    if (const auto broken = health_->broken()) return fatal("the log is broken: " + to_string(*broken));
  }
  out = Outputs{};
  controller_->leave(clock_.now(), out);
  do_outputs(out);
}

void CellNode::flush(Outputs& out) {
  const Instant now = clock_.now();
  const std::uint64_t passes = controller_->counters().passes;
  controller_->flush(now, out);
  if (controller_->counters().passes != passes) times_.passed(clock_.now().boottime - now.boottime);
  do_outputs(out);
}

Offset CellNode::next_input(const Partition& partition) const {
  return read([&](const projections::Projection& projection) {
    return projection.state().next_input(to_string(partition));
  });
}

std::vector<ReadyCheck> CellNode::ready() const {
  std::vector<ReadyCheck> checks = health_->checks(clock_.now().boottime);
  if (catches_up_)
    checks.push_back({"catch-up", false, "the state has not come to the log's end since it was begun"});
  if (const auto gone = truncation_.get())
    checks.push_back({"truncation", false,
                      "the journal ended at " + std::to_string(gone->left) +
                          ", where this node had read up to " + std::to_string(gone->read) +
                          "; berth cluster accept-truncation gives those records up"});
  if (const Offset begin = health_->journal_begin(); begin > truncation_.accepted_begin())
    checks.push_back({"journal-beginning", false, words_of_lost_beginning(begin)});
  return checks;
}

Timestamp CellNode::now() const {
  const Instant now = clock_.now();
  const Duration ahead = ahead_;
  return std::max(record_time_.load(), ahead == 0 ? now.wall : now.boottime + ahead);
}

ControllerCounters CellNode::counters() const {
  const std::lock_guard lock(counters_mutex_);
  return counters_;
}

NodeFacts CellNode::facts() const {
  NodeFacts facts;
  facts.events_applied = events_.total();
  facts.lag = health_->lag();
  facts.flushed_at = flushed_at_;
  facts.queue_wait = times_.queue_wait();
  facts.pass = times_.pass();
  facts.start = times_.start();
  facts.hears_beats = leading_;
  const std::lock_guard lock(counters_mutex_);
  facts.placements = counters_.placements;
  facts.requests = counters_.requests;
  facts.orders = counters_.orders;
  facts.beats = beats_;
  return facts;
}

void CellNode::do_outputs(Outputs& out) {
  if (history_fails_) {
    out = Outputs{};
    return;
  }
  for (auto& append : out.appends) {
    AppendDone done = [health = health_, stream = append.partition.stream](const AppendResult& result) {
      health->append_result(stream, result);
    };
    if (append.ticket != 0)
      done = [this, ticket = append.ticket, noted = std::move(done)](const AppendResult& result) {
        noted(result);
        queue_.push(Input(Appended{ticket, result}));
      };
    log_.append(append.partition, append.key, std::move(append.payload), std::move(done));
  }
  if (!out.appends.empty()) log_.flush();
  out.appends.clear();
  if (out.stop_inputs) feed_.stop_inputs();
  if (!out.check_inputs.empty()) feed_.check(std::move(out.check_inputs));
  if (!out.glances.empty()) feed_.glance(std::move(out.glances));
  if (out.glance_at_journal) glance_wanted_ = true;
  if (!out.seek_inputs.empty()) feed_.seek(out.seek_inputs);
  if (!out.learn.empty()) learner_.ask(std::move(out.learn));
  feed_.set_full(out.full);
  full_ = out.full && clock_.now().boottime > read_at_ + config_.controller.progress;
  leading_ = controller_->mode() == Controller::Mode::kLeader;
  health_->heartbeat(controller_->heartbeat_heard());
  heartbeat_time_ = controller_->time_heard();
  if (heartbeat_time_ != 0) ahead_ = controller_->time_ahead();
  deciding_ = controller_->deciding();
  for (const auto& line : out.log) {
    if (line.level == LogLine::Level::kInfo)
      spdlog::info("{}", line.text);
    else if (line.level == LogLine::Level::kWarning)
      spdlog::warn("{}", line.text);
    else
      spdlog::error("{}", line.text);
  }
  if (out.journal_end_wanted) {
    journal_end_wanted_ = true;
    follower_.wake();
  }
  if (out.reload_wanted) {
    reload_wanted_ = true;
    follower_.wake();
  }
  if (!out.stop.empty()) fatal(out.stop);
  const bool more = out.more;
  out = Outputs{};
  out.more = more;
}

}  // namespace berth::controller
