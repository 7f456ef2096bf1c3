#include "controller/cell/leader/rounds.h"

#include <algorithm>

#include "controller/decide/decide.h"
#include "controller/decide/keeping/history.h"
#include "controller/decide/place_session.h"
#include "controller/placement/select/least_rise.h"
#include "events/codec/chain_head.h"

namespace berth::controller {

using projections::AgentRow;
using projections::AgentState;

namespace {

constexpr std::size_t kTimersPerFlush = 256;
constexpr std::uint32_t kPassBudget = 512;
constexpr int kUnreachablePerEvent = 500;
constexpr Offset kSignedWithin = kVoidsListed / 2;  // behind its claim, a head will still be in time to count
constexpr Duration kTrashInterval = 10 * kSecond;   // between two walks over the folders
constexpr std::size_t kPurgesPerWalk = 256;

// A placement names where its pass began, so that the pass can be run again (P29).
void note_pass(EventList& events, const projections::Position& began) {
  for (v1::Event& event : events.list()) {
    if (event.has_session_scheduled())
      projections::to_proto(began, event.mutable_session_scheduled()->mutable_pass());
    if (event.has_session_reserved())
      projections::to_proto(began, event.mutable_session_reserved()->mutable_pass());
  }
}

}  // namespace

EventList events_of(const DecisionContext& c, const placement::Cluster& cluster,
                    const PassDecision& decision) {
  using Kind = PassDecision::What;
  const auto* session = c.state.sessions.find(decision.session);
  BERTH_CHECK(session != nullptr, "the scheduler decides about sessions that wait");
  switch (decision.what) {
    case Kind::kPlaced: return place_session(c, *session, cluster.named(decision.kernels), decision.turn);
    case Kind::kReserved:
      return reserve_session(c, *session, cluster.named(decision.kernels), decision.victims, decision.mode);
    case Kind::kUnreserved: return unreserve_session(c, *session);
    case Kind::kRefused:
      return change_reason(c, *session, placement::code_of(decision.reason.code),
                           decision.reason.slot == placement::kNoSlot
                               ? std::string_view()
                               : cluster.slot_name(decision.reason.slot));
    case Kind::kRetried: break;
  }
  return count_retries(c, *session, decision.retries);
}

void Rounds::tick(const Instant& now) {
  for (const auto& change : leases_.changes(now.boottime))
    feed_.set_reachable(change.agent, change.reachable);
  clock_verdict_ = clock_.tick(now, leases_.size());
  if (now.boottime < interval_pass_at_ + config_.pass_interval) return;
  interval_pass_at_ = now.boottime;
  interval_pass_ = true;
}

// Ignores the answer to a question of a previous leader.
void Rounds::selection_found(SelectionFound found) {
  if (learning_.contains(found.learned.group())) found_.push_back(std::move(found));
}

void Rounds::run(const Instant& now, Outputs& out) {
  if (!decider_.is_full()) fire_timers(now, out);
  if (!decider_.is_full()) lose_agents(now, out);
  if (!decider_.is_full()) follow_up_lost_agents(now, out);
  if (!decider_.is_full()) follow_up_dependencies(now, out);
  if (!decider_.is_full()) purge_trash(now, out);
  if (!decider_.is_full()) prune_history(now, out);
  if (!decider_.is_full()) learn(now, out);
  if (!decider_.is_full()) make_passes(now, out);
  if (!decider_.is_full()) record_chain_head(now, out);
}

void Rounds::decide_clock(const Instant& now) {
  const auto verdict = std::exchange(clock_verdict_, ClockGuard::Verdict::kFine);
  if (verdict == ClockGuard::Verdict::kFine) return;
  v1::Event e;
  if (verdict == ClockGuard::Verdict::kJumped)
    e.mutable_clock_jumped()->set_wall_ns(now.wall);
  else if (verdict == ClockGuard::Verdict::kBehind)
    e.mutable_clock_behind()->set_wall_ns(now.wall);
  else
    e.mutable_clock_confirmed()->set_wall_ns(now.wall);
  decider_.add_own(std::move(e), now);
}

void Rounds::fire_timers(const Instant& now, Outputs& out) {
  if (!clock_.may_fire_deadlines(now)) return;
  const Timestamp time = clock_.header_time(now);
  std::vector<projections::Timer> due;
  for (const auto& timer : state_.timers()) {
    if (timer.due > time || due.size() >= kTimersPerFlush) break;
    due.push_back(timer);
  }
  for (const auto& timer : due) {
    const auto* session = state_.sessions.find(timer.session);
    if (session == nullptr || session->terminating) continue;
    decider_.decide_about("session:" + to_string(timer.session), now, out,
                          [&](const DecisionContext& c) { return fire_timer(c, timer); });
  }
}

void Rounds::lose_agents(const Instant& now, Outputs& out) {
  if (!clock_.may_fire_deadlines(now)) return;
  for (const auto& name : leases_.lost(now.boottime)) {
    leases_.forget(name);
    const AgentRow* agent = state_.agents.find(name);
    if (agent == nullptr || agent->state != AgentState::kAlive) continue;
    decider_.decide_about("agent:" + name, now, out, [&](const DecisionContext& c) {
      return lose_agent(c, *c.state.agents.find(name));
    });
  }
}

// One fact, then follow-up records: kernels of a lost agent whose sessions may move, and all of a fenced one
// (P4, P24).
void Rounds::follow_up_lost_agents(const Instant& now, Outputs& out) {
  if (!todo_.take_lost()) return;
  std::vector<std::pair<KernelId, v1::KernelEnd>> ends;
  state_.agents.for_each_unordered([&](const AgentRow& agent) {
    if (agent.state != AgentState::kLost) return;
    for (const KernelId& id : state_.kernels_on(agent.name)) {
      const auto* kernel = state_.kernels.find(id);
      if (agent.fenced)
        ends.emplace_back(id, v1::FENCED);
      else if (kernel->spec->spec.requeueable())
        ends.emplace_back(id, v1::AGENT_LOST);
    }
  });
  std::sort(ends.begin(), ends.end());
  for (const auto& lost : ends) {
    const v1::KernelEnd end = lost.second;
    if (decider_.is_full()) return todo_.look_at_lost_again();
    const auto* kernel = state_.kernels.find(lost.first);
    if (kernel == nullptr || !kernel->holds_slots()) continue;
    decider_.decide_about("session:" + to_string(kernel->session), now, out, [&](const DecisionContext& c) {
      return end_kernel(c, *c.state.kernels.find(lost.first), end,
                        end == v1::FENCED ? "an operator fenced its agent" : "its agent is lost");
    });
  }
}

// Cancels each session that depended on one that ended without success and does not want to wait on.
void Rounds::follow_up_dependencies(const Instant& now, Outputs& out) {
  for (const SessionId& failed : todo_.take_failed_dependencies()) {
    const auto* session = state_.sessions.find(failed);
    if (session != nullptr && !projections::is_end(session->status)) continue;  // it may still succeed
    const std::set<SessionId> dependents = state_.dependents(failed);
    for (const SessionId& id : dependents) {
      if (decider_.is_full()) {
        todo_.look_at_dependency_again(failed);
        break;
      }
      if (state_.sessions.find(id)->spec->spec.wait_on_dependency_failure()) continue;
      decider_.decide_about("session:" + to_string(id), now, out, [&](const DecisionContext& c) {
        return cancel_dependent(c, *c.state.sessions.find(id));
      });
    }
  }
}

// Folders whose time in the trash is over, the longest first. What its volume's agent cannot be told of now
// waits, and keeps nothing of other volumes: so all folders are looked at, but only once in a while.
void Rounds::purge_trash(const Instant& now, Outputs& out) {
  const Timestamp time = clock_.header_time(now);
  const auto& trashed = state_.trashed();
  if (trashed.empty() || trashed.front().first > time || !clock_.may_fire_deadlines(now)) return;
  if (now.boottime < trash_walk_at_) return;
  trash_walk_at_ = now.boottime + kTrashInterval;
  std::vector<std::pair<Timestamp, FolderId>> due;
  state_.folders.for_each_unordered([&](const projections::FolderRow& folder) {
    if (folder.state == projections::FolderState::kTrashed && folder.purge_at <= time)
      due.emplace_back(folder.purge_at, folder.id);
  });
  std::sort(due.begin(), due.end());
  std::size_t purged = 0;
  for (const auto& [purge_at, id] : due) {
    if (decider_.is_full() || purged == kPurgesPerWalk) return;
    const VolumeId volume = state_.folders.find(id)->volume;
    if (state_.folders_to_do(volume).size() >= projections::kFoldersToDoMax) continue;
    ++purged;
    decider_.decide_about("folder:" + to_string(id), now, out, [&](const DecisionContext& c) {
      return purge_folder(c, *c.state.folders.find(id));
    });
  }
}

// By its rule, once a day.
void Rounds::prune_history(const Instant& now, Outputs& out) {
  if (!prune_due(state_, clock_.header_time(now)) || !clock_.may_fire_deadlines(now)) return;
  decider_.decide_about("history", now, out, prune_by_rule);
}

// Records what was learned, and asks for what is due.
void Rounds::learn(const Instant& now, Outputs& out) {
  for (const SelectionFound& found : std::exchange(found_, {})) {
    learning_.erase(found.learned.group());
    if (!feed_.learners().contains(found.learned.group())) continue;  // it selects otherwise by now
    decider_.decide_about("group:" + found.learned.group(), now, out, [&](const DecisionContext& c) {
      EventList events;
      *events.add(c.stamp).mutable_selection_learned() = found.learned;
      return events;
    });
  }
  if (decider_.is_broken()) return;
  for (const auto& [name, policy] : feed_.learners()) {
    const auto* group = state_.groups.find(name);
    const auto* mix = state_.mixes.find(name);
    if (group == nullptr || mix == nullptr || learning_.contains(name)) continue;
    if (!learning_is_due(group->def, *mix, state_.learned.find(name), clock_.header_time(now),
                         config_.learn_after))
      continue;
    auto nodes = placement::empty_nodes(feed_.cluster().model(), name);
    if (nodes.empty() || decider_.failures("group:" + name) >= Decider::kGivenUp) continue;
    learning_.insert(name);
    out.learn.push_back(
        {name, policy.select == placement::Select::kBalanced, std::move(nodes), counted_mix(state_, name)});
  }
}

// Says which agents passes hold unreachable from here on, where that is not what the log says (P29).
void Rounds::record_unreachable(const Instant& now, Outputs& out) {
  std::vector<std::string> lost, back;
  for (const std::string& agent : feed_.unreachable())
    if (state_.unreachable.find(agent) == nullptr && state_.agents.find(agent) != nullptr)
      lost.push_back(agent);
  for (const std::string& agent : state_.unreachable.sorted_keys())
    if (!feed_.unreachable().contains(agent)) back.push_back(agent);
  while (!(lost.empty() && back.empty()) && !decider_.is_full()) {
    v1::Event e;
    auto* changed = e.mutable_unreachable_changed();
    for (; !lost.empty() && changed->lost_size() < kUnreachablePerEvent; lost.pop_back())
      changed->add_lost(lost.back());
    for (; !back.empty() && changed->back_size() < kUnreachablePerEvent; back.pop_back())
      changed->add_back(back.back());
    decider_.add_own(std::move(e), now);
    decider_.close_if_large(now, out);
  }
}

void Rounds::make_passes(const Instant& now, Outputs& out) {
  const Timestamp time = clock_.header_time(now);
  feed_.set_now(time);
  if (interval_pass_) feed_.cluster().interval_passed();
  feed_.refresh(state_, time);
  const bool count = feed_.take_freed() || std::exchange(interval_pass_, false);
  feed_.lift_limits(state_);
  const auto groups = feed_.cluster().groups_needing_pass();
  if (!groups.empty()) record_unreachable(now, out);
  for (const auto& group : groups) {
    if (decider_.is_full()) return;
    feed_.limits().begin_pass(state_);
    PassDecisions decisions(feed_.limits());
    decisions.began = decider_.next(now);
    const auto end = placement::pass(feed_.cluster(), group, {kPassBudget, count, false, time}, decisions);
    out.more = out.more || end.more;
    const std::string broken = auditor_.after_pass(feed_.cluster());
    BERTH_CHECK(broken.empty(), broken.c_str());
    record_decisions(decisions, now, out);
    ++counters_.passes;
  }
}

void Rounds::record_decisions(PassDecisions& decisions, const Instant& now, Outputs& out) {
  for (auto& decision : decisions.all) {
    if (!decision.victims.empty())
      decider_.close(now, out);  // a plan's victims and its held place are in one record (P4)
    if (decider_.is_broken()) return;
    const bool recorded = decider_.decide_about("session:" + to_string(decision.session), now, out,
                                                [&](const DecisionContext& c) {
                                                  EventList events = events_of(c, feed_.cluster(), decision);
                                                  note_pass(events, decisions.began);
                                                  return events;
                                                });
    if (decider_.is_broken()) return;
    if (!recorded)
      take_back(decision);
    else if (decision.what == PassDecision::What::kPlaced)
      ++counters_.placements;
  }
}

// The session is in quarantine: the scheduler's model must not stay ahead of the state.
void Rounds::take_back(const PassDecision& decision) {
  feed_.withhold(*state_.sessions.find(decision.session));
  for (const SessionId& victim : decision.victims) feed_.describe_live(*state_.sessions.find(victim));
}

// The first leader that may sign makes the log's first key.
void Rounds::make_head_key(const Instant& now) {
  if (!config_.heads || config_.head_seed.empty() || state_.heads.find("head") != nullptr) return;
  v1::Event e;
  *e.mutable_head_key_changed() = config_.heads->first(config_.head_seed);
  decider_.add_own(std::move(e), now);
}

void Rounds::sign_head(v1::ChainHeadRecorded& head) {
  const projections::HeadRow* row = state_.heads.find("head");
  const Offset offset = head.claim().offset();
  if (!config_.heads || row == nullptr || offset <= row->offset) return;
  if (offset > chain_.next() || offset + kSignedWithin < chain_.next()) return;
  head.set_from(row->offset);
  head.set_applied(chain_point_->applied);
  head.set_voids(chain_.voids(voids_begin(row->offset, offset), offset));
  const bool is_signed = config_.heads->sign(row->public_key, row->secret_key, head);
  ++(is_signed ? counters_.heads_signed : counters_.heads_unsigned);
  if (is_signed) return;
  head.clear_from();
  head.clear_applied();
  head.clear_voids();
}

// At each chain point, and on a quiet cluster for what has come since the last one: then only if something
// has.
void Rounds::record_chain_head(const Instant& now, Outputs& out) {
  if (!chain_point_ || !chain_point_->state_hash) return;
  const projections::HeadRow* known = state_.heads.find("head");
  const bool is_news =
      chain_point_->next % projections::kChainEvery == 0 || known == nullptr ||
      chain_point_->next > known->offset + 1;  // than the record of that head; void ones, too
  if (!is_news) return chain_point_.reset();
  if (config_.heads)
    decider_.close(now, out);  // a record of its own, so that the next one knows what is news
  if (decider_.is_broken()) return;
  make_head_key(now);
  v1::Event e;
  auto* head = e.mutable_chain_head_recorded();
  head->mutable_claim()->set_offset(chain_point_->next);
  head->mutable_claim()->set_rolling(std::string(as_view(chain_point_->rolling)));
  head->set_state_hash(std::string(as_view(*chain_point_->state_hash)));
  projections::to_proto(outbox_.routed(), head->mutable_routed());
  sign_head(*head);
  decider_.add_own(std::move(e), now);
  chain_point_.reset();
  if (config_.heads) return decider_.close(now, out);
  decider_.close_if_large(now, out);
}

}  // namespace berth::controller
