// Who leads (P9), what a leader hopes for and how it gives up (P10), and when orders may leave (P11).
#include "controller/cell/controller.h"

#include <algorithm>

#include "events/codec/envelope.h"
#include "events/schema/v1/record.pb.h"

namespace berth::controller {

using projections::ApplyOutcome;
using projections::Projection;
using What = projections::ApplyOutcome::What;

namespace {

constexpr const char* kControllerWriter = "controller";
constexpr std::size_t kOwnLinksKept = 256;  // a log that repeats a record does it within a producer's window

// What a record that is not ours says about our leadership.
enum class Foreign : std::uint8_t {
  kNothing,   // void whatever the state: malformed, of an older epoch, or the election of a candidate that
              // came second
  kElection,  // of a higher epoch; its claim is for the durable fold to judge
  kOtherLog,  // somebody leads our epoch, or one whose election we never read: our copy is not the log
};

Foreign judge_foreign(const Projection& projection, std::string_view payload) {
  const auto envelope = open_envelope(payload, projection.cluster());
  v1::Record record;
  if (!envelope || !record.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())))
    return Foreign::kNothing;
  const std::uint64_t own = projection.state().epoch().epoch;
  const bool election = record.header().sequence() == 0 && record.events_size() == 1 &&
                        record.events(0).has_controller_elected();
  if (election) return record.header().epoch() > own ? Foreign::kElection : Foreign::kNothing;
  return record.header().epoch() >= own ? Foreign::kOtherLog : Foreign::kNothing;
}

}  // namespace

void Controller::on(JournalRead input, const Instant& now, Outputs& out) {
  if (reloading_ || input.offset < projection_->chain().next()) return;
  if (mode_ == Mode::kLeader)
    lead(input, out);
  else
    follow(input, now, out);
}

void Controller::follow(const JournalRead& input, const Instant& now, Outputs& out) {
  const ApplyOutcome outcome = projection_->apply(input.offset, input.payload);
  if (outcome.what == What::kMismatch) return ask_reload(out);  // the durable fold finds out who is wrong
  if (outcome.what == What::kStop) {
    out.stop = to_string(outcome.error);
    return;
  }
  if (!outcome.applied()) return;
  leader_heard_ = now.boottime;
  const auto& record = projection_->record();
  if (record.events_size() == 0 || !record.events(0).has_controller_elected()) return;
  if (!candidacy_.is_nil() && record.events(0).controller_elected().nonce() == candidacy_.view())
    return become_leader(now, out);
  candidacy_ = Uuid{};
  mode_ = Mode::kStandby;
}

// A leader reads back its own records in order. Anything else is void for everybody, or says that it leads no
// more.
void Controller::lead(const JournalRead& input, Outputs& out) {
  const Hash256 link = blake2b_256(input.payload);
  if (!in_flight_.empty() && in_flight_.front().link == link) {
    projection_->confirm(link);
    bytes_in_flight_ -= in_flight_.front().bytes;
    release_orders(in_flight_.front(), out);
    in_flight_.pop_front();
    own_links_.push_back(link);
    if (own_links_.size() > kOwnLinksKept) own_links_.pop_front();
    return;
  }
  for (const auto& record : in_flight_)
    if (record.link == link) return step_down("a record of ours was lost: what was built on it is void", out);
  if (std::find(own_links_.begin(), own_links_.end(), link) ==
      own_links_.end()) {  // else the log has it twice
    const Foreign foreign = judge_foreign(*projection_, input.payload);
    if (foreign == Foreign::kElection) return step_down("another controller was elected", out);
    if (foreign == Foreign::kOtherLog) return step_down("the journal is not what was read before", out);
  }
  projection_->confirm(link);
}

void Controller::release_orders(InFlight& record, Outputs& out) {
  for (auto& [position, append] : record.orders) send_order(position, std::move(append), out);
}

// With a ticket, so that it is sent again if its append fails (P22).
void Controller::send_order(const projections::Position& position, Append append, Outputs& out) {
  const auto ticket = append.ticket = ++tickets_;
  ++counters_.orders;
  out.appends.push_back(append);
  sent_orders_.emplace(ticket, SentOrder{position, std::move(append), false});
}

void Controller::become_leader(const Instant& now, Outputs& out) {
  const auto& state = projection_->state();
  mode_ = Mode::kLeader;
  nonce_ = candidacy_;
  compared_ = false;  // the log may have lost its tail after the candidate compared and before its election
                      // landed (ADR 0053)
  out.journal_end_wanted = true;
  candidacy_ = Uuid{};
  candidacy_ticket_ = 0;
  ++counters_.elections;
  writer_ = std::make_unique<RecordWriter>(*projection_);
  in_flight_.clear();
  own_links_.clear();
  bytes_in_flight_ = 0;
  queue_.clear();
  expected_.clear();
  unchecked_.clear();
  sent_orders_.clear();
  acks_.clear();
  snapshot_for_.clear();
  chain_point_.reset();
  learning_.clear();
  found_.clear();
  routed_ = state.epoch().routed;
  const auto& epoch_row = state.epoch();
  clock_.elected(now, epoch_row.time, epoch_row.clock_jumped);
  feed_.set_custom_policies(config_.policies);
  feed_.rebuild(state, clock_.header_time(now));
  projection_->set_listener(&feed_);
  leases_.clear();
  for (const auto& name : state.agents.sorted_keys())
    if (const auto* agent = state.agents.find(name); agent->state == projections::AgentState::kAlive)
      leases_.start(name, agent->incarnation, now.boottime);
  own_reads_alive_ = ticked_ = passed_ = glanced_ = now.boottime;
  heartbeat_sent_ = 0;
  interval_pass_ = true;
  out.check_inputs = checks_of_inputs();
  for (const auto& check : out.check_inputs) {
    expected_[check.partition] = check.next;
    unchecked_.insert(check.partition);
  }
  // Agents that the election's own record noted get their snapshots from this router.
  for (const auto& note : projection_->notes()) snapshot_for_.insert(note.agent);
  out.log.push_back({LogLine::Level::kInfo, "leading epoch " + std::to_string(epoch_row.epoch)});
  send_heartbeat(now, out);
}

std::vector<CheckInput> Controller::checks_of_inputs() const {
  std::vector<CheckInput> checks;
  for (const Stream stream : {Stream::kRequests, Stream::kReports})
    for (std::uint32_t i = 0; i < config_.layout.partitions_of(stream); ++i) {
      const Partition partition{stream, i};
      const auto* row = projection_->state().inputs.find(to_string(partition));
      checks.push_back({partition, row != nullptr ? row->next : 0, row != nullptr ? row->last_crc : 0});
    }
  return checks;
}

void Controller::step_down(std::string why, Outputs& out) {
  out.log.push_back({LogLine::Level::kWarning, "no longer leading: " + why});
  ++counters_.step_downs;
  mode_ = Mode::kStandby;
  in_flight_.clear();
  bytes_in_flight_ = 0;
  queue_.clear();
  sent_orders_.clear();
  writer_.reset();
  out.stop_inputs = true;
  ask_reload(out);  // the optimistic state is worth nothing any more
}

void Controller::ask_reload(Outputs& out) {
  mode_ = Mode::kStandby;
  reloading_ = true;
  candidacy_ = Uuid{};
  projection_->set_listener(nullptr);
  out.reload_wanted = true;
}

void Controller::on(Reloaded input, const Instant& now, Outputs& out) {
  // Unasked while leading: the durable fold was rebuilt from a log that is not what was read before.
  if (mode_ == Mode::kLeader) step_down("the journal is not what was read before", out);
  out.reload_wanted = false;
  projection_ = std::move(input.projection);
  reloading_ = false;
  end_asked_ = false;
  leader_heard_ = now.boottime;
}

void Controller::on(ControlRead input, const Instant& now, Outputs&) {
  const auto envelope = verifier_.open(Channel::kControl, input.payload);
  v1::Heartbeat beat;
  if (!envelope || envelope->writer != kControllerWriter) return;
  if (!beat.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size()))) return;
  if (mode_ == Mode::kLeader && beat.nonce() == nonce_.view()) own_reads_alive_ = now.boottime;
  // Of older epochs: ignored (P20). So is one whose election is not in the journal: it leads a log that was
  // lost (ADR 0051). Who has not read that election yet does not stand either, because it has not read to the
  // journal's end.
  const auto& epoch = projection_->state().epoch();
  if (beat.epoch() == epoch.epoch && beat.nonce() == epoch.nonce.view()) leader_heard_ = now.boottime;
}

void Controller::watch_leader(const Instant& now, Outputs& out) {
  if (mode_ == Mode::kCandidate) {
    if (candidacy_ticket_ == 0 && now.boottime > candidacy_since_ + config_.read_back) {
      mode_ = Mode::kStandby;
      leader_heard_ = now.boottime;
    }
    return;
  }
  if (candidacy_ticket_ != 0 || end_asked_) return;  // an election of ours is still on its way
  const bool silent = config_.stand_at_once || now.boottime > leader_heard_ + config_.silence;
  if (!silent) return;
  end_asked_ = true;
  out.journal_end_wanted = true;
}

// Stands only when its copy reaches to the log's end (P9). A leader has asked so that its copy was compared
// once more.
void Controller::on(JournalEnd input, const Instant& now, Outputs& out) {
  end_asked_ = false;
  if (mode_ == Mode::kLeader) compared_ = true;
  if (mode_ != Mode::kStandby || reloading_) return;
  const auto& chain = projection_->chain();
  if (input.end < chain.next()) return ask_reload(out);
  if (input.end > chain.next()) return;
  if (!config_.stand_at_once && now.boottime <= leader_heard_ + config_.silence) return;
  candidacy_ = random_.uuid();
  candidacy_ticket_ = ++tickets_;
  candidacy_since_ = now.boottime;
  mode_ = Mode::kCandidate;
  v1::Record record;
  auto* header = record.mutable_header();
  header->set_epoch(projection_->state().epoch().epoch + 1);
  header->set_time_ns(
      projection_->state().epoch().time);  // whether the clock can be believed is decided once elected
  auto* elected = record.add_events()->mutable_controller_elected();
  elected->set_controller(config_.name);
  elected->set_nonce(std::string(candidacy_.view()));
  elected->mutable_claim()->set_offset(chain.next());
  elected->mutable_claim()->set_rolling(std::string(as_view(chain.rolling())));
  elected->set_rules(kRules);
  out.appends.push_back({{Stream::kJournal, 0},
                         config_.name,
                         seal(config_.cluster, record.SerializeAsString()),
                         candidacy_ticket_});
}

void Controller::keep_leading(const Instant& now, Outputs& out) {
  // The own reads or the own turn stalled: nobody else is to blame for silence (P24).
  const bool stalled =
      now.boottime > ticked_ + kSecond || now.boottime > own_reads_alive_ + kSecond + kSecond / 2;
  if (stalled) leases_.excuse(now.boottime);
  if (!in_flight_.empty() && now.boottime > in_flight_.front().appended + config_.read_back)
    return step_down("a record was not read back in time", out);
  for (const auto& change : leases_.changes(now.boottime))
    feed_.set_reachable(change.agent, change.reachable);
  clock_verdict_ = clock_.tick(now);
  if (now.boottime >= passed_ + config_.pass_interval) {
    passed_ = now.boottime;
    interval_pass_ = true;
  }
  // A stream that lost its end and grew again looks like any other to a reader that goes on. The embedded log
  // cannot do that.
  if (deciding() && !config_.stand_at_once && now.boottime >= glanced_ + config_.glance_every) {
    glanced_ = now.boottime;
    out.glances = checks_of_inputs();
  }
  if (now.boottime >= heartbeat_sent_ + config_.heartbeat) send_heartbeat(now, out);
}

void Controller::send_heartbeat(const Instant& now, Outputs& out) {
  if (!in_flight_.empty() && now.boottime > in_flight_.front().appended + config_.progress)
    return;  // no progress: let others stand (P20)
  heartbeat_sent_ = now.boottime;
  v1::Heartbeat beat;
  beat.set_controller(config_.name);
  beat.set_epoch(projection_->state().epoch().epoch);
  beat.set_nonce(std::string(nonce_.view()));
  beat.set_wall_ms(now.wall / kMillisecond);
  const Signer signer(config_.cluster, kControllerWriter, 1, verifier_.key_of(kControllerWriter, 1));
  out.appends.push_back(
      {{Stream::kControl, 0}, config_.name, signer.seal(Channel::kControl, beat.SerializeAsString()), 0});
}

}  // namespace berth::controller
