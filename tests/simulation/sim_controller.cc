#include "tests/simulation/sim_controller.h"

#include <algorithm>
#include <limits>

#include "controller/placement/audit/model_audit.h"
#include "events/base/edge_errors.h"
#include "events/codec/parse_body.h"
#include "events/log/log_errors.h"
#include "events/schema/v1/order.pb.h"
#include "events/schema/v1/record.pb.h"

namespace berth::simulation {

using controller::Input;
using controller::Outputs;

bool is_poison(const v1::Request& request) { return request.request_session().name().starts_with("poison"); }

LogEntry SimCluster::journal_at(Offset offset) const {
  if (offset < archive.size()) return archive[offset];
  const Partition journal{Stream::kJournal, 0};
  return {journal, offset, server->payload_at(journal, offset), server->is_gap(journal, offset)};
}

namespace {

Hash128 chained(const Hash128& before, const controller::Append& append) {
  return blake2b_128(std::string(as_view(before)) + to_string(append.partition) + append.payload);
}

}  // namespace

SimController::SimController(const SimCluster& cluster, std::string name, std::uint64_t seed,
                             const Hostility& hostility)
    : cluster_(cluster), name_(std::move(name)), random_(seed), hostility_(hostility) {}

void SimController::start(const Instant& now) {
  boottime_ = now.boottime;
  refused_ = false;
  log_ = std::make_unique<HangingLog>(cluster_.server->connect());
  projections::ProjectorOptions options;
  options.flush_records = hostility_.flush_records;
  options.checkpoint_records = hostility_.checkpoint_records;
  options.trust = cluster_.trust();
  if (hostility_.unsaved_rows_max != 0) options.unsaved_rows_max = hostility_.unsaved_rows_max;
  projector_ = std::make_unique<projections::Projector>(cluster_.cluster, disk_, options, this);
  if (auto opened = projector_->open(); !opened) {
    failure_ = to_string(opened.error());
    return;
  }
  follower_ = std::make_unique<projections::JournalFollower>(
      *log_, *projector_, projections::FollowerOptions{.accept_truncation = true});
  start_again_ = false;
  if (auto opened = follower_->open(); !opened) {
    start_again_ = is_log_unavailable(opened.error());
    if (!start_again_) journal_failed(opened.error());
    return crash();
  }
  controller::ControllerConfig config;
  config.cluster = cluster_.cluster;
  config.secret = cluster_.secret;
  config.name = name_;
  config.layout = cluster_.layout;
  config.read_back = 2 * kSecond;
  config.records_in_flight = 8;
  config.glance_every = 3 * kSecond;
  config.learn_after = 5;
  config.poison = is_poison;
  controller_ = std::make_unique<controller::Controller>(
      config, std::make_unique<projections::Projection>(projector_->projection()), random_,
      controller::InHistory{});
  std::vector<ReadFrom> from;
  for (const Stream stream : {Stream::kHealth, Stream::kControl})
    from.push_back({{stream, 0}, cluster_.server->extent({stream, 0}).end});
  liveness_ = std::move(*log_->open_reader(from));
}

void SimController::crash() {
  if (controller_ != nullptr) elections_ += controller_->counters().elections;
  controller_.reset();
  follower_.reset();
  projector_.reset();
  inputs_.reset();
  liveness_.reset();
  late_end_.reset();
  hang_ = {};
  patience_.succeeded();
  log_.reset();
  positions_.clear();
  checks_to_make_.clear();
  queue_.clear();
  reload_wanted_ = end_wanted_ = glance_wanted_ = full_ = false;
  audit_.forget();
}

Timestamp SimController::cluster_time(const Instant& now) const {
  return std::max(projector_->state().epoch().time,
                  controller_->time_heard() == 0 ? now.wall : now.boottime + controller_->time_ahead());
}

bool SimController::knows(const SessionId& session) const {
  if (projector_->state().sessions.find(session) != nullptr) return true;
  const auto entry = disk_.find_history(session);
  return entry && entry->has_value();
}

void SimController::on_record(const LogEntry& entry, const projections::ApplyOutcome& outcome,
                              const projections::Projection& projection) {
  suspicious_ = suspicious_ || projections::is_suspicious(outcome, projection);
  if (outcome.applied()) audit_.read(projection.record(), projection.notes());
  queue_.emplace_back(controller::JournalRead{entry.offset, entry.payload, outcome.applied(), entry.gap});
}

void SimController::on_chain_point(const projections::ChainPoint& point) {
  queue_.emplace_back(controller::ChainPointRead{point});
}

void SimController::on_rebuilt(const Error&, Offset) {
  queue_.clear();
  audit_.forget();
  queue_.emplace_back(
      controller::Reloaded{std::make_unique<projections::Projection>(projector_->projection())});
}

// Nobody damages a disk here: a state that was written is whole.
void SimController::on_warning(const Error& error) {
  if (error.code == "store-corrupt") failure_ = name_ + ": " + to_string(error);
}

void SimController::set_disk_failing(bool failing) {
  if (failing != disk_fails_)
    disk_.fail_writes(make_error(kDiskFailing, "the disk answers with an error", "it may pass"),
                      failing ? std::numeric_limits<int>::max() : 0);
  disk_fails_ = failing;
}

void SimController::lose_disk() {
  disk_ = {};
  if (std::exchange(disk_fails_, false)) set_disk_failing(true);
}

Offset SimController::stored() {
  const auto meta = disk_.read_meta();
  return meta && meta->has_value() ? (*meta)->next : 0;
}

void SimController::read_inputs(std::vector<Input>& inputs) {
  std::vector<LogEntry> entries;
  if (inputs_ != nullptr && !full_ && !hangs(&Hang::inputs)) {
    const auto polled = inputs_->poll(0, 64, 1u << 20, entries);
    if (!polled && is_out_of_range(polled.error())) inputs.emplace_back(controller::InputsLost{});
    for (auto& entry : entries) inputs.emplace_back(controller::InputRead{std::move(entry)});
  }
  read_liveness(inputs);
}

void SimController::read_liveness(std::vector<Input>& inputs) {
  if (hangs(&Hang::liveness)) return;
  std::vector<LogEntry> entries;
  if (const auto polled = liveness_->poll(0, 256, 1u << 20, entries);
      !polled && is_out_of_range(polled.error()))
    for (const Stream stream : {Stream::kHealth, Stream::kControl})
      liveness_->seek({stream, 0}, cluster_.server->extent({stream, 0}).end);
  for (auto& entry : entries) {
    if (entry.gap) continue;
    if (entry.partition.stream == Stream::kHealth)
      inputs.emplace_back(controller::HealthRead{std::move(entry.payload)});
    else
      inputs.emplace_back(controller::ControlRead{std::move(entry.payload)});
  }
}

void SimController::turn(const Clocks& clocks) {
  boottime_ = clocks.now.boottime;
  if (!up() && start_again_) start(clocks.now);  // as what supervises a process does
  if (!up()) return;
  const Instant& now = clocks.now;
  log_->hold(hangs(&Hang::appends), hangs(&Hang::outcomes));
  audit_.begin_turn(now.boottime, clocks.true_wall,
                    cluster_.server->is_reachable(Stream::kHealth) && !hangs(&Hang::liveness));
  follow_journal(now);
  if (!failure_.empty()) return;
  if (refused_) return crash();
  if (!checks_to_make_.empty()) check_inputs(std::exchange(checks_to_make_, {}));
  read_inputs(queue_);
  Outputs out;
  // Steps may queue more (reports of appends): those wait for the next turn.
  std::vector<Input> inputs = std::move(queue_);
  queue_.clear();
  for (auto& input : inputs) controller_->step(std::move(input), now, out);
  controller_->step(controller::Tick{}, now, out);
  do {
    out.more = false;
    controller_->flush({clocks.wall_at_flush, now.boottime}, out);
    audit_scheduler();
    do_outputs(out);
  } while (out.more && !full_);
  audit_.end_turn(leading() ? projector_->state().epoch().nonce.view() : std::string_view());
  if (failure_.empty() && !audit_.failure().empty()) failure_ = name_ + ": " + audit_.failure();
}

void SimController::follow_journal(const Instant& now) {
  if (hangs(&Hang::journal) || (hangs(&Hang::ends) && late_end_)) return;
  if (late_end_) queue_.emplace_back(controller::JournalEnd{*std::exchange(late_end_, std::nullopt)});
  if (const auto read = follower_->step(0, now.boottime); read) {
    patience_.succeeded();
  } else if (const Error error = patience_.judge(read.error(), now.boottime, "store-failed");
             !projections::JournalFollower::may_go_on(error)) {
    return journal_failed(error);
  }
  if (glance_wanted_) glance_wanted_ = !follower_->glance();  // out of reach: again
  compare_journal(now);
}

// Where its state ends before the journal begins it must refuse by name, and may nowhere else.
void SimController::journal_failed(const Error& error) {
  refused_ = error.code == "log-beginning-lost" &&
             projector_->next() < cluster_.server->extent({Stream::kJournal, 0}).begin;
  if (!refused_) failure_ = name_ + ": " + to_string(error);
}

void SimController::compare_journal(const Instant& now) {
  const bool reload = std::exchange(reload_wanted_, false), end = std::exchange(end_wanted_, false);
  const bool wonder = suspicious_ && now.boottime > compared_at_ + 3 * kSecond;
  if (wonder) {
    compared_at_ = now.boottime;
    suspicious_ = false;
  }
  if ((reload || end || wonder) && !follower_->check_against_log()) {  // out of reach: asked again
    suspicious_ = suspicious_ || wonder;
    reload_wanted_ = reload_wanted_ || reload;
    end_wanted_ = end_wanted_ || end;
    return;
  }
  if (end) answer_end();
  if (reload)
    queue_.emplace_back(
        controller::Reloaded{std::make_unique<projections::Projection>(projector_->projection())});
}

void SimController::answer_end() {
  const Offset end = cluster_.server->extent({Stream::kJournal, 0}).end;
  if (hangs(&Hang::ends))
    late_end_ = end;
  else
    queue_.emplace_back(controller::JournalEnd{end});
}

void SimController::audit_scheduler() {
  if (!leading()) return;
  const std::string broken = placement::broken_invariant(controller_->scheduler().model());
  if (!broken.empty()) failure_ = name_ + ": scheduler: " + broken;
}

void SimController::append(controller::Append append) {
  const Stream stream = append.partition.stream;
  if (stream == Stream::kJournal || stream == Stream::kOrders) appended_ = chained(appended_, append);
  v1::Order order;
  const auto envelope = open_envelope(append.payload, cluster_.cluster);
  if (v1::Record record; stream == Stream::kJournal && parse_body(envelope, record)) audit_.writes(record);
  const bool is_order = stream == Stream::kOrders && parse_body(envelope, order);
  if (is_order) audit_.order_appended(append.payload);
  AppendDone done;
  if (append.ticket != 0)
    done = [this, is_order, ticket = append.ticket, payload = is_order ? append.payload : std::string(),
            order = std::move(order)](const AppendResult& result) {
      if (is_order && result.state == AppendState::kDurable) audit_.acknowledged(order);
      if (is_order && result.state != AppendState::kDurable) audit_.order_failed(payload, order);
      queue_.emplace_back(controller::Appended{ticket, result});
    };
  log_->append(append.partition, append.key, std::move(append.payload), std::move(done));
}

void SimController::do_outputs(Outputs& out) {
  for (auto& one : out.appends) append(std::move(one));
  if (out.stop_inputs || !out.check_inputs.empty()) {
    inputs_.reset();
    positions_.clear();
    checks_to_make_.clear();
  }
  for (const auto& asked : out.learn) queue_.emplace_back(controller::learn_selection(asked));
  check_inputs(out.check_inputs);
  check_inputs(out.glances);
  for (const auto& seek : out.seek_inputs) positions_.push_back({seek.partition, seek.offset});
  if (!out.seek_inputs.empty() && positions_.size() == cluster_.layout.requests + cluster_.layout.reports)
    inputs_ = std::move(*log_->open_reader(positions_));
  full_ = out.full;
  if (out.journal_end_wanted) end_wanted_ = true;
  if (out.glance_at_journal) glance_wanted_ = true;
  if (out.reload_wanted) reload_wanted_ = true;
  if (!out.stop.empty()) failure_ = name_ + ": " + out.stop;
  const bool more = out.more;
  out = Outputs{};
  out.more = more;
}

void SimController::check_inputs(const std::vector<controller::CheckInput>& checks) {
  for (const auto& c : checks) {
    if (!cluster_.server->is_reachable(c.partition.stream) || hangs(&Hang::inputs)) {
      checks_to_make_.push_back(c);
      continue;
    }
    const Extent extent = cluster_.server->extent(c.partition);
    const auto is_same = [&](Offset next, std::uint32_t crc) {
      if (next > extent.end || next <= extent.begin || crc == 0) return false;
      Offset last = next - 1;  // the last that exists (P30)
      while (last > extent.begin && cluster_.server->is_gap(c.partition, last)) --last;
      return crc32c(cluster_.server->payload_at(c.partition, last)) == crc;
    };
    const bool same = c.next == 0 || c.next <= extent.begin || is_same(c.next, c.last_crc);
    Offset begin = extent.begin;
    for (const projections::InputMark& mark : c.marks)
      if (!same && mark.next < c.next && is_same(mark.next, mark.last_crc)) begin = mark.next;
    queue_.emplace_back(controller::InputChecked{c.partition, same, begin});
  }
}

}  // namespace berth::simulation
