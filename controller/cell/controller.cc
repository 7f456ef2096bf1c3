#include "controller/cell/controller.h"

#include <algorithm>

#include "events/codec/journal_signer.h"
#include "events/codec/parse_body.h"
#include "events/schema/v1/record.pb.h"

namespace berth::controller {

using projections::ApplyOutcome;
using projections::Projection;
using What = projections::ApplyOutcome::What;

Controller::Controller(ControllerConfig config, std::unique_ptr<Projection> projection, RandomSource& random,
                       InHistory in_history)
    : config_(std::move(config)),
      projection_(std::move(projection)),
      random_(random),
      in_history_(std::move(in_history)),
      verifier_(config_.cluster, config_.writers.empty() ? WriterSecrets(config_.secret) : config_.writers) {
  projection_->stop_tracking();
}

Leader* Controller::leader() {
  auto* leader = std::get_if<std::unique_ptr<Leader>>(&state_);
  return leader != nullptr ? leader->get() : nullptr;
}

const Leader* Controller::leader() const {
  const auto* leader = std::get_if<std::unique_ptr<Leader>>(&state_);
  return leader != nullptr ? leader->get() : nullptr;
}

Controller::Mode Controller::mode() const {
  if (leader() != nullptr) return Mode::kLeader;
  return std::holds_alternative<Standing>(state_) ? Mode::kCandidate : Mode::kStandby;
}

const placement::Cluster& Controller::scheduler() const {
  BERTH_CHECK(leader() != nullptr, "only a leader has a scheduler");
  return leader()->scheduler();
}

void Controller::step(Input input, const Instant& now, Outputs& out) {
  std::visit([&](auto& one) { on(std::move(one), now, out); }, input);
}

void Controller::flush(const Instant& now, Outputs& out) {
  if (Leader* leader = this->leader()) drop_if_lost(leader->flush(now, out), out);
}

void Controller::drop_if_lost(const Leadership& leadership, Outputs& out) {
  const Lost* lost = std::get_if<Lost>(&leadership);
  if (lost == nullptr) return;
  out.log.push_back({LogLine::Level::kWarning, "no longer leading: " + lost->why});
  ++counters_.step_downs;
  out.stop_inputs = true;
  reload(out);
}

// ---- inputs that only a leader takes ----

void Controller::on(InputRead input, const Instant&, Outputs&) {
  Leader* leader = this->leader();
  if (leader == nullptr) return;
  if (input.entry.gap && input.entry.partition.stream == Stream::kRequests)
    counters_.producers_refused.count(ProducerRefusal::kTransactional);
  leader->read_input(std::move(input.entry));
}

void Controller::on(HealthRead input, const Instant& now, Outputs&) {
  if (Leader* leader = this->leader()) leader->read_beat(input.payload, now);
}

void Controller::on(InputChecked input, const Instant&, Outputs& out) {
  if (Leader* leader = this->leader()) drop_if_lost(leader->input_checked(input, out), out);
}

void Controller::on(InputsLost, const Instant&, Outputs& out) {
  if (deciding()) drop_if_lost(Lost{"an input stream has lost its end"}, out);
}

void Controller::on(ChainPointRead input, const Instant&, Outputs&) {
  if (Leader* leader = this->leader()) leader->chain_point_read(std::move(input.point));
}

void Controller::on(SelectionFound input, const Instant&, Outputs&) {
  if (Leader* leader = this->leader()) leader->selection_found(std::move(input));
}

// ---- inputs that every state takes ----

void Controller::on(JournalRead input, const Instant& now, Outputs& out) {
  if (std::holds_alternative<Reloading>(state_) || input.offset < projection_->chain().next()) return;
  if (input.gap)
    return projection_->confirm(Hash256{}, false);  // void for every reader, and no sign of a leader (P30)
  if (Leader* leader = this->leader())
    drop_if_lost(leader->read_back(input, out), out);
  else
    follow(input, now, out);
}

void Controller::on(Appended input, const Instant& now, Outputs& out) {
  if (input.ticket == election_.ticket) {
    election_.ticket = 0;
    if (input.result.state != AppendState::kDurable && std::holds_alternative<Standing>(state_)) {
      state_ = Following{};  // it may still come: the nonce stays until this election or another one is read
      out.log.push_back(
          {LogLine::Level::kWarning, "the election's append failed: " + to_string(input.result.error)});
    }
  } else if (Leader* leader = this->leader()) {
    drop_if_lost(leader->appended(input, now, out), out);
  }
}

void Controller::on(ControlRead input, const Instant& now, Outputs&) {
  const auto envelope = verifier_.open(Channel::kControl, input.payload);
  v1::Heartbeat beat;
  if (!parse_body(envelope, beat) || envelope->writer != kControllerWriter) return;
  // Of older epochs: ignored (P20). So is one whose election is not in the journal: its sender leads a log
  // that was lost (ADR 0051). A controller that has not read that election yet does not stand either, because
  // it has not read to the journal's end.
  const auto& epoch = projection_->state().epoch();
  if (beat.epoch() != epoch.epoch || beat.nonce() != epoch.nonce.view()) return;
  // Where the leader follows a clock that is behind, it says so in the journal, and each heartbeat is right.
  const bool is_slow = projection_->state().epoch().clock_behind != projections::ClockBehind::kNot;
  time_.hear(beat.time_ns(), now.boottime, is_slow);
  heartbeat_heard_ = now.boottime;
  stood_ = 0;
  // As if it had been silent for long. What it wrote before counts, and what comes later is of an older
  // epoch.
  leader_heard_ = beat.leaves() ? now.boottime - config_.silence - 1 : now.boottime;
}

void Controller::on(Tick, const Instant& now, Outputs& out) {
  if (leader_heard_ == 0) leader_heard_ = now.boottime;
  if (Leader* leader = this->leader())
    drop_if_lost(leader->tick(now, out), out);
  else
    watch_leader(now, out);
}

void Controller::on(Reloaded input, const Instant& now, Outputs& out) {
  // Unasked while leading: the durable fold was rebuilt from a log that is not what was read before.
  if (leader() != nullptr) drop_if_lost(Lost{"the journal is not what was read before"}, out);
  out.reload_wanted = false;
  if (!std::holds_alternative<Standing>(state_)) state_ = Following{};
  projection_ = std::move(input.projection);
  projection_->stop_tracking();
  leader_heard_ = now.boottime;
}

// ---- following and standing ----

void Controller::follow(const JournalRead& input, const Instant& now, Outputs& out) {
  const ApplyOutcome outcome = projection_->apply(input.offset, input.payload);
  if (outcome.what == What::kMismatch) return reload(out);  // the durable fold finds out which copy is wrong
  if (outcome.what == What::kStop) {
    out.stop = to_string(outcome.error);
    return;
  }
  if (!outcome.applied()) return;
  leader_heard_ = now.boottime;
  const auto& record = projection_->record();
  if (record.events_size() == 0 || !record.events(0).has_controller_elected()) return;
  if (!election_.nonce.is_nil() && record.events(0).controller_elected().nonce() == election_.nonce.view())
    return lead(now, out);
  election_.nonce = Uuid{};
  if (std::holds_alternative<Standing>(state_)) state_ = Following{};
}

void Controller::watch_leader(const Instant& now, Outputs& out) {
  if (const auto* standing = std::get_if<Standing>(&state_)) {
    if (election_.ticket != 0 || now.boottime <= standing->since + config_.read_back) return;
    state_ = Following{};
    leader_heard_ = now.boottime;
    return;
  }
  auto* following = std::get_if<Following>(&state_);
  if (following == nullptr || election_.ticket != 0 || following->end_asked) return;
  if (!may_stand(now)) return;
  following->end_asked = true;
  out.journal_end_wanted = true;
}

// Each time that it stands and no leader is heard afterwards, the next time is twice as far: where appends
// are refused, or heartbeats lost, controllers would elect each other without end.
bool Controller::may_stand(const Instant& now) const {
  constexpr Duration kBackOffMost = 30 * kSecond;
  constexpr std::uint64_t kDoublings = 6;
  const Duration pause = std::min(config_.silence << std::min(stood_, kDoublings), kBackOffMost);
  if (stood_ > 0 && now.boottime <= stood_at_ + pause) return false;
  return config_.stand_at_once || now.boottime > leader_heard_ + config_.silence;
}

// Stands only when its copy reaches to the log's end (P9). A leader asks for the end only to have its copy
// compared again (ADR 0053).
void Controller::on(JournalEnd input, const Instant& now, Outputs& out) {
  if (Leader* leader = this->leader()) return leader->copy_compared();
  auto* following = std::get_if<Following>(&state_);
  if (following == nullptr) return;
  following->end_asked = false;
  const auto& chain = projection_->chain();
  if (input.end < chain.next()) return reload(out);
  if (input.end > chain.next()) return;
  if (!may_stand(now)) return;
  stand(now, out);
}

void Controller::stand(const Instant& now, Outputs& out) {
  election_ = {random_.uuid(), tickets_.next()};
  ++stood_;
  stood_at_ = now.boottime;
  state_ = Standing{now.boottime};
  const auto& chain = projection_->chain();
  v1::Record record;
  auto* header = record.mutable_header();
  header->set_epoch(projection_->state().epoch().epoch + 1);
  // Whether to believe the clock is decided once elected. Of a cluster's first record there is nothing to
  // compare a clock with.
  const Timestamp known = projection_->state().epoch().time;
  header->set_time_ns(known != 0 ? known : now.wall);
  auto* elected = record.add_events()->mutable_controller_elected();
  elected->set_controller(config_.name);
  elected->set_nonce(std::string(election_.nonce.view()));
  elected->mutable_claim()->set_offset(chain.next());
  elected->mutable_claim()->set_rolling(std::string(as_view(chain.rolling())));
  elected->set_rules(kRules);
  out.appends.push_back({{Stream::kJournal, 0},
                         config_.name,
                         JournalSigner(config_.cluster, config_.secret).sign(record.SerializeAsString()),
                         election_.ticket});
}

void Controller::lead(const Instant& now, Outputs& out) {
  ++counters_.elections;
  const Uuid nonce = election_.nonce;
  election_ = Election{};
  const Timestamp heard = time_.heard() ? time_.ahead() + now.boottime : 0;
  state_ = std::make_unique<Leader>(config_, *projection_, verifier_, in_history_, tickets_, counters_, nonce,
                                    now, heard, out);
}

void Controller::leave(const Instant& now, Outputs& out) {
  if (Leader* leader = this->leader()) leader->leave(now, out);
  state_ = Reloading{};
  election_.nonce = Uuid{};
}

void Controller::reload(Outputs& out) {
  state_ = Reloading{};
  election_.nonce = Uuid{};
  out.reload_wanted = true;
}

std::vector<std::pair<std::string, Timestamp>> Controller::beats() const {
  return leader() == nullptr ? std::vector<std::pair<std::string, Timestamp>>() : leader()->leases().heard();
}

}  // namespace berth::controller
