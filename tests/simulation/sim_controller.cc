#include "tests/simulation/sim_controller.h"

#include "controller/placement/audit/model_audit.h"

namespace berth::simulation {

using controller::Input;
using controller::Outputs;

bool is_poison(const v1::Request& request) { return request.request_session().name().starts_with("poison"); }

namespace {

Hash128 chained(const Hash128& before, const controller::Append& append) {
  return blake2b_128(std::string(as_view(before)) + to_string(append.partition) + append.payload);
}

}  // namespace

SimController::SimController(const SimCluster& cluster, std::string name, std::uint64_t seed)
    : cluster_(cluster), name_(std::move(name)), random_(seed) {}

void SimController::start(const Instant&) {
  log_ = cluster_.server->connect();
  projections::ProjectorOptions options;
  options.flush_records = 40;
  options.checkpoint_records = 100;
  projector_ = std::make_unique<projections::Projector>(cluster_.cluster, disk_, options, this);
  if (auto opened = projector_->open(); !opened) {
    failure_ = to_string(opened.error());
    return;
  }
  follower_ = std::make_unique<projections::JournalFollower>(
      *log_, *projector_, projections::FollowerOptions{.accept_truncation = true});
  if (auto opened = follower_->open(); !opened) {
    failure_ = to_string(opened.error());
    return;
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
  log_.reset();
  positions_.clear();
  queue_.clear();
  reload_wanted_ = end_wanted_ = full_ = false;
}

void SimController::on_record(const LogEntry& entry, const projections::ApplyOutcome& outcome,
                              const projections::Projection& projection) {
  suspicious_ = suspicious_ || projections::is_suspicious(outcome, projection);
  queue_.emplace_back(controller::JournalRead{entry.offset, entry.payload});
}

void SimController::on_chain_point(const projections::ChainPoint& point) {
  queue_.emplace_back(controller::ChainPointRead{point});
}

void SimController::on_rebuilt(const Error&, Offset) {
  queue_.clear();
  queue_.emplace_back(
      controller::Reloaded{std::make_unique<projections::Projection>(projector_->projection())});
}

void SimController::read_inputs(std::vector<Input>& inputs) {
  std::vector<LogEntry> entries;
  if (inputs_ != nullptr && !full_) {
    if (!inputs_->poll(0, 64, 1u << 20, entries)) inputs.emplace_back(controller::InputsLost{});
    for (auto& entry : entries) inputs.emplace_back(controller::InputRead{std::move(entry)});
    entries.clear();
  }
  if (!liveness_->poll(0, 256, 1u << 20, entries))
    for (const Stream stream : {Stream::kHealth, Stream::kControl})
      liveness_->seek({stream, 0}, cluster_.server->extent({stream, 0}).end);
  for (auto& entry : entries) {
    if (entry.partition.stream == Stream::kHealth)
      inputs.emplace_back(controller::HealthRead{std::move(entry.payload)});
    else
      inputs.emplace_back(controller::ControlRead{std::move(entry.payload)});
  }
}

void SimController::turn(const Instant& now) {
  if (!up()) return;
  if (const auto read = follower_->step(0, now.boottime);
      !read && !projections::JournalFollower::may_go_on(read.error())) {
    failure_ = name_ + ": " + to_string(read.error());
    return;
  }
  const bool reload = std::exchange(reload_wanted_, false), end = std::exchange(end_wanted_, false);
  const bool wonder = suspicious_ && now.boottime > compared_at_ + 3 * kSecond;
  if (wonder) {
    compared_at_ = now.boottime;
    suspicious_ = false;
  }
  if (reload || end || wonder) (void)follower_->check_against_log();
  if (end) queue_.emplace_back(controller::JournalEnd{cluster_.server->extent({Stream::kJournal, 0}).end});
  if (reload)
    queue_.emplace_back(
        controller::Reloaded{std::make_unique<projections::Projection>(projector_->projection())});
  read_inputs(queue_);
  Outputs out;
  // Steps may queue more (reports of appends): those wait for the next turn.
  std::vector<Input> inputs = std::move(queue_);
  queue_.clear();
  for (auto& input : inputs) controller_->step(std::move(input), now, out);
  controller_->step(controller::Tick{}, now, out);
  do {
    out.more = false;
    controller_->flush(now, out);
    audit_scheduler();
    do_outputs(out, now);
  } while (out.more && !full_);
}

void SimController::audit_scheduler() {
  if (!leading()) return;
  const std::string broken = placement::broken_invariant(controller_->scheduler().model());
  if (!broken.empty()) failure_ = name_ + ": scheduler: " + broken;
}

void SimController::do_outputs(Outputs& out, const Instant&) {
  for (auto& append : out.appends) {
    if (append.partition.stream == Stream::kJournal || append.partition.stream == Stream::kOrders)
      appended_ = chained(appended_, append);
    AppendDone done;
    if (append.ticket != 0)
      done = [this, ticket = append.ticket](const AppendResult& result) {
        queue_.emplace_back(controller::Appended{ticket, result});
      };
    log_->append(append.partition, append.key, std::move(append.payload), std::move(done));
  }
  if (out.stop_inputs || !out.check_inputs.empty()) {
    inputs_.reset();
    positions_.clear();
  }
  for (const auto& asked : out.learn) queue_.emplace_back(controller::learn_selection(asked));
  check_inputs(out.check_inputs);
  check_inputs(out.glances);
  for (const auto& seek : out.seek_inputs) positions_.push_back({seek.partition, seek.offset});
  if (!out.seek_inputs.empty() && positions_.size() == cluster_.layout.requests + cluster_.layout.reports)
    inputs_ = std::move(*log_->open_reader(positions_));
  full_ = out.full;
  if (out.journal_end_wanted) end_wanted_ = true;
  if (out.reload_wanted) reload_wanted_ = true;
  if (!out.stop.empty()) failure_ = name_ + ": " + out.stop;
  const bool more = out.more;
  out = Outputs{};
  out.more = more;
}

void SimController::check_inputs(const std::vector<controller::CheckInput>& checks) {
  for (const auto& c : checks) {
    const Extent extent = cluster_.server->extent(c.partition);
    bool same = c.next == 0 || c.next <= extent.begin;
    if (!same && c.next <= extent.end)
      same = c.last_crc == 0 || crc32c(cluster_.server->payload_at(c.partition, c.next - 1)) == c.last_crc;
    queue_.emplace_back(controller::InputChecked{c.partition, same, extent.begin});
  }
}

}  // namespace berth::simulation
