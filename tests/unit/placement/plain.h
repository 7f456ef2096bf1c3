// The scheduler in its plainest form: no index, no classes, nothing remembered but what is held; the property
// test compares the real one with it, line by line. Written from the rules (tests/BEHAVIOURS.md 1 to 5, 12;
// controller/placement/README.md). This file is the pass; its parts, a rule each:
//
//   plain_books.h   who holds what, what fits on an agent        plain_orders.h    who comes next
//   plain_choice.h  filters and tiers                            plain_backfill.h  the head's reservation
//   plain_select.h  which agent                                  plain_preempt.h   who has to go, places held
//   plain_reason.h  why not                                      plain_never.h     what could never be placed
#pragma once

#include <cstdint>

#include "tests/unit/placement/plain_backfill.h"
#include "tests/unit/placement/plain_never.h"
#include "tests/unit/placement/plain_orders.h"
#include "tests/unit/placement/plain_preempt.h"
#include "tests/unit/placement/plain_reason.h"
#include "tests/unit/placement/support.h"

namespace berth::placement::testing {

class Plain {
 public:
  explicit Plain(const Cluster& names) {
    for (SlotId slot = 0; !names.slot_name(slot).empty(); ++slot)
      books_.slots.push_back({std::string(names.slot_name(slot)), names.slot_kind(slot)});
  }

  const PlainBooks& books() const { return books_; }

  // ---- facts ----
  void set_policy(const GroupPolicy& policy) {
    books_.policy = policy;
    books_.slot_order = plain_slot_order(books_.slots, policy.slot_priority);
    const fragmentation::ClassMix mix = fragmentation::mix_from(policy.mix);
    books_.popular = fragmentation::most_popular(mix, 95);
    if (policy.select == Select::kBalanced)
      books_.weights = fragmentation::make_weights(policy.shape, mix, fragmentation::fill_values(mix));
    head_.reset();
  }
  void set_fair_share(const std::vector<FairShareRow>& rows, std::int32_t today) {
    factors_.clear();
    for (const FairShareRow& row : rows) factors_[{row.scope, row.id}] = plain_factor(books_, row, today);
  }
  void agent(const AgentSpec& spec) {
    books_.agents[spec.id] = spec;
    head_.reset();
  }
  void wait(const PendingSpec& spec) { books_.sessions.push_back({.spec = spec, .place = {}}); }
  // Waits no more, or has ended.
  void remove(const SessionId& id) {
    if (!books_.find_session(id)->place.empty()) head_.reset();
    std::erase_if(books_.sessions, [&](const PlainSession& s) { return s.spec.id == id; });
  }
  void set_wait_cause(const SessionId& id, Reason hold) { books_.find_session(id)->spec.wait_cause = hold; }
  void started(const SessionId& id, Timestamp at) { books_.find_session(id)->started = at; }
  void leaves(const SessionId& id) { books_.find_session(id)->leaving = true; }
  void set_declared_end(const SessionId& id, Timestamp ends) {
    if (std::exchange(books_.find_session(id)->ends, ends) != ends) head_.reset();
  }

  // ---- a pass ----
  // All decisions, told as TestCluster::pass tells them with report_all.
  Lines pass(bool count_retries, Timestamp now) {
    books_.now = now;
    lines_.clear();
    placed_.clear();
    start_reserved();
    SessionId head;
    std::set<SessionId> considered;
    while (const PlainSession* next = next_of(PlainState::kWaiting, considered)) {
      const PendingSpec session = next->spec;
      considered.insert(session.id);
      const bool backfill = books_.policy.order == Order::kBackfill;
      if (backfill && !head.is_nil() && !reserve_for(books_.find_session(head)->spec))
        head = {};  // a held place took it
      const bool blocked = !head.is_nil() && !backfill;
      Reason reason = session.wait_cause;
      if (reason.code == Code::kNone && blocked) reason = {Code::kBehindHead, kNoSlot};
      if (reason.code == Code::kNone) reason = try_one(session, !head.is_nil());
      if (reason.code == Code::kNone || (is_blocking(reason.code) && preempt_for(session))) continue;
      if (is_blocking(reason.code) && head.is_nil() && becomes_head(session)) head = session.id;
      const std::string slot = reason.slot == kNoSlot ? "" : " " + books_.slots[reason.slot].name;
      lines_.push_back(session_name(session.id) + ": " + std::string(to_string(reason.code)) + slot);
    }
    if (!head.is_nil() && count_retries) count_retry(books_.find_session(head)->spec);
    return lines_;
  }
  std::uint64_t turn() const { return turn_; }

 private:
  // The first in the order of now, of those not looked at yet; nullptr at the end.
  const PlainSession* next_of(PlainState state, const std::set<SessionId>& considered) const {
    std::optional<PlainTurn> best;
    const PlainSession* next = nullptr;
    for (const PlainSession& s : books_.sessions) {
      if (s.state != state || considered.contains(s.spec.id)) continue;
      // Places that are held come free for whoever came first, whoever they belong to.
      const PlainRank rank =
          state == PlainState::kReserved ? PlainRank{} : plain_rank(books_, factors_, s.spec);
      const PlainTurn turn = plain_turn(books_.policy, s.spec, rank);
      if (!best || turn < *best) best = turn, next = &s;
    }
    return next;
  }

  // kNone: it has started.
  Reason try_one(const PendingSpec& session, bool behind_reserved_head) {
    const bool joins = behind_reserved_head && joins_strictly(session, books_.find_session(head_->id)->spec);
    const bool beside = joins || (behind_reserved_head && !over_by_then(books_, *head_, session));
    if (beside) books_.later = head_->later;
    const PlainPlace place = joins ? PlainPlace{} : plain_find(books_, session, turn_);
    books_.later.clear();
    if (!place.empty()) {
      std::optional<PlainHead> head = head_;
      start(session.id, place);
      if (beside) head->later.insert(head->later.end(), place.begin(), place.end());
      if (behind_reserved_head) head_ = head;
      return {};
    }
    if (beside && !plain_find(books_, session, turn_).empty()) return {Code::kBehindHead, kNoSlot};
    if (books_.policy.skip_impossible)
      if (const Reason never = plain_never(books_, session); never.code != Code::kNone) return never;
    PlainKernels failed;
    plain_find(books_, session, turn_, &failed);
    const Reason reason = plain_reason(books_, session, failed);
    books_.tried.clear();
    return reason;
  }

  void start(const SessionId& id, const PlainPlace& place) {
    PlainSession& s = *books_.find_session(id);
    s.state = PlainState::kLive;
    s.place = place;
    if (s.spec.timeout_s > 0) s.ends = books_.now + s.spec.timeout_s * kSecond;
    head_.reset();
    placed_.insert(id);
    lines_.push_back(session_name(id) + " ->" + text(place));
    if (books_.policy.select != Select::kRoundRobin) return;
    turn_ += plain_needs(s.spec).size();
    lines_.push_back("turn " + std::to_string(turn_));
  }

  // Whether nobody behind it is tried, or (backfill) nobody may delay it.
  bool becomes_head(const PendingSpec& session) {
    if (books_.policy.order == Order::kBackfill) return reserve_for(session);
    return books_.policy.head_of_line != HeadOfLine::kGreedy && !plain_demoted(books_.policy, session);
  }

  bool reserve_for(const PendingSpec& session) {
    if (head_ && head_->id == session.id) return true;
    const std::optional<PlainHead> made = plain_reserve(books_, session, turn_);
    if (made) head_ = made;  // one that is no head takes nobody's reservation
    return made.has_value();
  }

  void count_retry(PendingSpec& head) {
    const GroupPolicy& policy = books_.policy;
    if (policy.order == Order::kBackfill || policy.head_of_line != HeadOfLine::kSkipAfterN ||
        policy.skip_after == 0)
      return;
    lines_.push_back(session_name(head.id) + " retried " + std::to_string(++head.retries));
  }

  // True if others go for it: its place is held from now on.
  bool preempt_for(const PendingSpec& session) {
    const PlainPlan plan = PlainPreemption(books_, session, turn_).plan(placed_);
    if (plan.victims.empty()) return false;
    for (const SessionId& victim : plan.victims) {
      books_.find_session(victim)->leaving = true;
      lines_.push_back(session_name(victim) + " goes for " + session_name(session.id));
    }
    PlainSession& preemptor = *books_.find_session(session.id);
    preemptor.state = PlainState::kReserved;
    preemptor.place = plan.place;
    head_.reset();
    lines_.push_back(session_name(session.id) + " reserved ->" + text(plan.place));
    return true;
  }

  // A pass begins with those for whom a place is held.
  void start_reserved() {
    std::set<SessionId> considered;
    while (const PlainSession* next = next_of(PlainState::kReserved, considered)) {
      const SessionId id = next->spec.id;
      considered.insert(id);
      const PlainPlaceState state = plain_place_state(books_, next->place);
      if (state == PlainPlaceState::kFree) start(id, PlainPlace(next->place));
      if (state != PlainPlaceState::kGone) continue;
      PlainSession& waits = *books_.find_session(id);
      waits.state = PlainState::kWaiting;
      waits.place.clear();
      head_.reset();
      lines_.push_back(session_name(id) + " unreserved");
    }
  }

  std::string text(const PlainPlace& place) const {
    std::string text;
    for (const PlainHold& h : place) {
      if (h.slot == kNoSlot) text += " " + h.agent;
      if (h.device == kItself) continue;
      text += " " + books_.agents.at(h.agent).devices[h.device].id + ":" + books_.slots[h.slot].name + "=" +
              format_amount(books_.slots[h.slot].kind, h.amount);
    }
    return text;
  }

  PlainBooks books_;
  PlainFactors factors_;
  std::uint64_t turn_ = 0;         // of select round-robin
  std::optional<PlainHead> head_;  // of order backfill
  std::set<SessionId> placed_;     // by this pass
  Lines lines_;
};

}  // namespace berth::placement::testing
