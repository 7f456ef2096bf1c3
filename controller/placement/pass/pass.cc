#include "controller/placement/pass/pass.h"

#include <optional>
#include <utility>

#include "controller/placement/cluster/held_place.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/order/drf.h"
#include "controller/placement/order/queue.h"
#include "controller/placement/order/ranked_lanes.h"
#include "controller/placement/pass/backfill.h"
#include "controller/placement/pass/preempt.h"
#include "controller/placement/pass/try_session.h"
#include "controller/placement/select/custom/policy.h"
#include "controller/placement/select/round_robin.h"

namespace berth::placement {

namespace {

class Pass {
 public:
  Pass(Model& model, GroupIndex group, const PassOptions& options, PassVisitor& visitor)
      : model_(model), group_(model.groups[group]), options_(options), visitor_(visitor) {}

  PassEnd run() {
    model_.now = options_.now;
    start_reserved();
    preemptions_.emplace(model_, group_);
    const std::uint64_t gains = group_.gains;
    const bool finished = one_by_one() ? walk_everyone() : walk_and_explain();
    if (finished) group_.dirty = group_.walked = false;
    // Another pass may decide more: a placement opened an agent to a session that was refused before it, or
    // the head was demoted, so that no session stands behind it any more.
    const bool again = finished && std::exchange(group_.head_demoted, false);
    if (group_.gains != gains || again) group_.touch();
    return {!finished, work_};
  }

 private:
  // Whether one session of a class may be refused and the next not, or each has to be told of.
  bool one_by_one() const {
    return options_.report_all || group_.waiting_for_members > 0 || preemptions_->possible();
  }

  // Sessions with a place held for them: those whose place is free now start.
  void start_reserved() {
    for (const PendingIndex session : reserved_in_order(model_, group_)) {
      const HeldPlace& held = model_.held_places.at(model_.pending[session].id);
      const PlaceState state = state_of(model_, group_, held);
      if (state == PlaceState::kTaken) continue;
      const SessionId id = model_.pending[session].id;
      if (state == PlaceState::kGone) {
        drop_held_place(model_, session, true);
        model_.pending[session].reserved = false;
        enqueue(model_, session);
        group_.unexplained.push_back(id);
        visitor_.unreserved(id);
        continue;
      }
      const Places places = places_of(held);
      move_turn(group_, model_.classes[model_.pending[session].session_class].key.mode,
                places.placements.size());
      for (const RequirementIndex requirement : places.requirements) ++model_.requirement_uses[requirement];
      drop_held_place(model_, session, false);
      take_all(model_, places);
      make_live(model_, session, places);
      for (const RequirementIndex requirement : places.requirements) drop_requirement(model_, requirement);
      tell_placed(id, places);
    }
  }

  // True if others go for it: its place is held from now on.
  bool preempt_for(PendingIndex session) {
    const PreemptPlan plan = preemptions_->plan(session, placed_);
    if (plan.victims.empty()) return false;
    const SessionId id = model_.pending[session].id;
    carry_out(model_, session, plan);
    // The head reservation counted on slots that are held for the preemptor now.
    if (behind_reserved_head() && !reserve_head(model_, group_, model_.find_pending_index(group_.head)))
      group_.head = {};
    for (const LiveIndex victim : plan.victims) {
      visitor_.preempted(model_.live[victim].id, id, group_.policy.preemption.mode);
    }
    visitor_.reserved(id, plan.places.placements);
    return true;
  }

  void tell_placed(const SessionId& id, const Places& places) {
    if (group_.policy.preemption.enabled) placed_.push_back(id);
    visitor_.placed(id, places.placements);
    if (group_.policy.select == Select::kRoundRobin) visitor_.turned(group_.round_robin_index);
  }

  // A call that continues a pass whose walk is over goes on with the reasons, unless something changed in
  // between.
  bool walk_and_explain() {
    if (!group_.walked) {
      if (!walk_lanes()) return false;
      group_.walked = true;
    }
    return explain_newcomers();
  }

  bool spend() {
    // With preemption a pass has no budget: a session that it placed must not become its victim.
    if (work_ >= options_.budget && !group_.policy.preemption.enabled) return false;
    ++work_;
    return true;
  }

  enum class Step : std::uint8_t {
    kLeft,     // it is in the queue no more
    kStays,    // refused; on to the next class
    kBlocks,   // refused, and no session behind it may be tried
    kStopped,  // the budget is spent
  };

  // The heads of the classes, lane by lane; false when the budget is spent. A class that was refused stays
  // refused to the end of the pass (nothing is freed in it), so its other sessions cost nothing.
  bool walk_lanes() {
    group_.head = {};
    std::vector<LaneKey> lanes;
    for (const auto& [key, lane] : group_.lanes) lanes.push_back(key);
    for (const LaneKey& key : lanes) {
      const Step end = group_.ranks ? walk_ranked(key) : walk_lane(key);
      if (end == Step::kStopped) return false;
      if (end == Step::kBlocks) return true;
    }
    return true;
  }

  Step walk_lane(const LaneKey& key) {
    auto lane = group_.lanes.find(key);
    auto head = lane->second.heads.begin();
    while (head != lane->second.heads.end()) {
      const Head current = *head;
      const PendingIndex session = lane->second.queues.at(current.session_class).begin()->pending;
      const Step step = consider(key, current.session_class, session);
      if (step == Step::kBlocks || step == Step::kStopped) return step;
      if (step == Step::kStays) {
        ++head;
        continue;
      }
      lane = group_.lanes.find(key);
      if (lane == group_.lanes.end()) break;
      head = lane->second.heads.lower_bound(current);
    }
    return Step::kStays;
  }

  // The same where every placement may change who comes first.
  Step walk_ranked(const LaneKey& key) {
    RankedLanes& ranks = *group_.ranks;
    Step step = Step::kStays;
    for (;;) {
      ranks.refresh(model_, group_);
      const OwnerHead* first = ranks.first(key);
      if (first == nullptr) break;
      const ClassIndex session_class = first->session_class;
      step = consider(key, session_class, first->pending);
      if (step == Step::kBlocks || step == Step::kStopped) break;
      if (step == Step::kStays) ranks.park(key, session_class);
      step = Step::kStays;
    }
    ranks.unpark_all(key);
    return step;
  }

  Step consider(const LaneKey& lane, ClassIndex session_class, PendingIndex session) {
    const Reason known = known_reason(session_class, session);
    const bool told = known.code != Code::kNone && model_.pending[session].recorded == known;
    if (!told && !spend()) return Step::kStopped;
    if (make_wait(session)) return Step::kLeft;
    const Reason reason = known.code != Code::kNone ? known : try_and_tell(session);
    if (reason.code == Code::kNone) return Step::kLeft;
    record(session, reason);
    if (!blocks(lane, session, reason)) return Step::kStays;
    count_retry(session);
    return Step::kBlocks;
  }

  // What is known of its class without a try; kNone if there is nothing.
  Reason known_reason(ClassIndex session_class, PendingIndex session) const {
    const Reason refusal = known_refusal(model_, group_, session_class);
    if (refusal.code != Code::kNone || !behind_reserved_head()) return refusal;
    if (!known_behind(group_, model_.classes[session_class]) ||
        over_in_time(model_, group_, model_.pending[session]))
      return {};
    return {Code::kBehindHead, kNoSlot};
  }

  // Order backfill: the head has its reservation; the walk is behind it.
  bool behind_reserved_head() const {
    return group_.policy.order == Order::kBackfill && !group_.head.is_nil();
  }

  // As walk_lanes(), session by session, where one of a class may be placed and the next refused for another
  // reason. README.md says why this walk stays beside the lanes'.
  bool walk_everyone() {
    group_.head = {};
    PendingIndex head = kNothing;
    const bool moving = group_.policy.order == Order::kDrf;  // each placement changes the order
    const std::vector<PendingIndex> queue = moving ? by_arrival(group_) : in_order(model_, group_);
    std::optional<DrfOrder> drf;
    if (moving) drf.emplace(model_, group_, queue);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const PendingIndex session = drf ? drf->next() : queue[i];
      Pending& pending = model_.pending[session];
      if (pending.wait_cause.code == Code::kNone) make_wait(session);
      Reason reason = pending.wait_cause;
      if (reason.code == Code::kNone && head != kNothing) reason = {Code::kBehindHead, kNoSlot};
      if (reason.code == Code::kNone) {
        ++work_;
        reason = exact_refusal(pending.session_class);
        if (reason.code == Code::kNone) reason = try_and_tell(session);
        if (reason.code == Code::kNone || (is_blocking(reason.code) && preempt_for(session))) continue;
        if (blocks(lane_of(pending), session, reason)) head = session;
      }
      const bool told = pending.recorded == reason;
      pending.recorded = reason;
      if (!told || options_.report_all) visitor_.refused(pending.id, reason);
    }
    if (head != kNothing) count_retry(head);
    group_.unexplained.clear();
    return true;
  }

  // True if the caller does not admit the session; its reason is the wait cause then.
  bool make_wait(PendingIndex session) {
    const WaitCause cause = visitor_.admit(model_.pending[session].id);
    if (cause.code == Code::kNone) return false;
    dequeue(model_, session);
    model_.pending[session].wait_cause = cause;
    enqueue(model_, session);
    if (!options_.report_all) record(session, cause);
    return true;
  }

  // Sessions that came or whose wait cause changed, and those of a class whose refusal has another code now:
  // each gets its reason.
  bool explain_newcomers() {
    while (!group_.unexplained.empty()) {
      const PendingIndex session = model_.find_pending_index(group_.unexplained.front());
      if (session != kNothing && !model_.pending[session].reserved) {
        const Pending& pending = model_.pending[session];
        Reason reason = pending.wait_cause;
        if (reason.code == Code::kNone) reason = reason_in_queue(pending);
        if (reason.code != Code::kNone && reason != pending.recorded && !spend()) return false;
        if (reason.code != Code::kNone) record(session, reason);
      }
      group_.unexplained.pop_front();
    }
    return true;
  }

  // As known_refusal(), but not when other placements since may have changed what is missing.
  Reason exact_refusal(ClassIndex session_class) const {
    if (refusal_of(session_class).explained_at != group_.changes) return {};
    return known_refusal(model_, group_, session_class);
  }

  // Why one waits that was not looked at by itself.
  Reason reason_in_queue(const Pending& pending) const {
    const Reason known = known_refusal(model_, group_, pending.session_class);
    // Ranks move during a pass: what was tried before the head may stand behind it now.
    const bool tried = group_.ranks && known.code != Code::kNone && !is_blocking(known.code);
    if (!tried && is_behind_head(model_, group_, pending)) return {Code::kBehindHead, kNoSlot};
    return refusal_of(pending.session_class).reason;
  }

  // kNone when it was placed.
  Reason try_and_tell(PendingIndex session) {
    const ClassIndex session_class = model_.pending[session].session_class;
    const RefusalIndex refusal = model_.classes[session_class].refusal;
    const Code before = model_.refusals[refusal].reason.code;
    const SessionId id = model_.pending[session].id;
    const Reason reason = behind_reserved_head() ? try_behind(model_, group_, session, &places_)
                                                 : try_session(model_, group_, session, &places_);
    if (reason.code == Code::kNone) {
      tell_placed(id, places_);
    } else if (before != Code::kNone && before != reason.code) {
      explain_anew(refusal);
    }
    return reason;
  }

  const Refusal& refusal_of(ClassIndex session_class) const {
    return model_.refusals[model_.classes[session_class].refusal];
  }

  // All that share a refusal whose code is another one now.
  void explain_anew(RefusalIndex refusal) {
    for (const auto& [key, lane] : group_.lanes) {
      for (const auto& [session_class, queue] : lane.queues) {
        if (model_.classes[session_class].refusal != refusal) continue;
        for (const Queued& queued : queue) group_.unexplained.push_back(queued.key.id);
      }
    }
  }

  void record(PendingIndex session, Reason reason) {
    Pending& pending = model_.pending[session];
    if (pending.recorded == reason) return;
    pending.recorded = reason;
    visitor_.refused(pending.id, reason);
  }

  // True if the session becomes a head behind which no session is tried. The head of order backfill blocks no
  // session: it gets a reservation, unless it could not start even when all live sessions have ended.
  bool blocks(const LaneKey& lane, PendingIndex session, Reason reason) {
    if (!is_blocking(reason.code)) return false;
    const SessionId& id = model_.pending[session].id;
    if (group_.policy.order == Order::kBackfill) {
      if (group_.head.is_nil() && reserve_head(model_, group_, session)) group_.head = id;
      return false;
    }
    if (lane.demoted || group_.policy.head_of_line == HeadOfLine::kGreedy) return false;
    group_.head = id;
    return true;
  }

  void count_retry(PendingIndex session) {
    if (group_.policy.order == Order::kBackfill || !options_.count_retries ||
        group_.policy.head_of_line != HeadOfLine::kSkipAfterN || group_.policy.skip_after == 0)
      return;
    Pending& pending = model_.pending[session];
    dequeue(model_, session);
    pending.demoted = demoted(group_, ++pending.retries);
    enqueue(model_, session);
    if (pending.demoted) group_.unexplained.push_back(pending.id);
    group_.head_demoted = pending.demoted;
    visitor_.retried(pending.id, pending.retries);
  }

  Model& model_;
  Group& group_;
  const PassOptions& options_;
  PassVisitor& visitor_;
  Places places_;
  std::vector<SessionId> placed_;  // in this pass; for preemption
  std::optional<Preemptions> preemptions_;
  std::uint32_t work_ = 0;
};

}  // namespace

PassEnd pass(Cluster& cluster, std::string_view group, const PassOptions& options, PassVisitor& visitor) {
  Model& model = cluster.model();
  const auto found = model.group_ids.find(group);
  BERTH_CHECK(found != model.group_ids.end(), "a pass over a group that is not defined");
  if (CustomPolicy* custom = model.groups[found->second].custom) custom->begin_pass();
  return Pass(model, found->second, options, visitor).run();
}

}  // namespace berth::placement
