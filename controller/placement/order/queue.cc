#include "controller/placement/order/queue.h"

#include <algorithm>

#include "controller/placement/model/head_reservation.h"
#include "controller/placement/order/ranked_lanes.h"

namespace berth::placement {

bool demoted(const Group& group, std::uint32_t retries) {
  return group.policy.order != Order::kBackfill && group.policy.head_of_line == HeadOfLine::kSkipAfterN &&
         group.policy.skip_after > 0 && retries >= group.policy.skip_after;
}

LaneKey lane_of(const Pending& session) {
  return {-static_cast<std::int64_t>(session.priority), session.demoted};
}

QueueKey key_of(const Group& group, const Pending& session) {
  const auto arrival = static_cast<std::int64_t>(session.arrival);
  if (group.policy.order == Order::kLifo) return {-session.created, -arrival, session.id};
  return {session.created, arrival, session.id};
}

void enqueue(Model& model, PendingIndex session) {
  const Pending& waiting = model.pending[session];
  if (waiting.reserved) return;
  Group& group = model.groups[model.classes[waiting.session_class].key.group];
  if (waiting.wait_cause.code != Code::kNone) {
    group.with_cause.insert({lane_of(waiting), key_of(group, waiting), session});
    return;
  }
  Lane& lane = group.lanes[lane_of(waiting)];
  Ranked<Queued>& queue = lane.queues[waiting.session_class];
  const QueueKey key = key_of(group, waiting);
  if (queue.empty() || key < queue.begin()->key) {
    if (!queue.empty()) lane.heads.erase({queue.begin()->key, waiting.session_class});
    lane.heads.insert({key, waiting.session_class});
  }
  queue.insert({key, session});
  if (group.ranks)
    group.ranks->add(lane_of(waiting), waiting.session_class, owner_of(group, waiting), {key, session});
}

void dequeue(Model& model, PendingIndex session) {
  const Pending& waiting = model.pending[session];
  if (waiting.reserved) return;
  Group& group = model.groups[model.classes[waiting.session_class].key.group];
  if (waiting.wait_cause.code != Code::kNone) {
    const bool erased = group.with_cause.erase({lane_of(waiting), key_of(group, waiting), session});
    BERTH_CHECK(erased, "a session with a wait cause is not among those with one");
    return;
  }
  const auto lane = group.lanes.find(lane_of(waiting));
  BERTH_CHECK(lane != group.lanes.end(), "a session leaves a lane that is not there");
  const auto queue = lane->second.queues.find(waiting.session_class);
  BERTH_CHECK(queue != lane->second.queues.end(), "a session leaves a queue that is not there");
  const QueueKey key = key_of(group, waiting);
  if (group.ranks)
    group.ranks->remove(lane_of(waiting), waiting.session_class, owner_of(group, waiting), {key, session});
  const bool was_head = queue->second.begin()->key == key;
  const bool erased = queue->second.erase({key, session});
  BERTH_CHECK(erased, "a session leaves a queue in which it does not stand");
  if (!was_head) return;
  lane->second.heads.erase({key, waiting.session_class});
  if (!queue->second.empty()) {
    lane->second.heads.insert({queue->second.begin()->key, waiting.session_class});
    return;
  }
  lane->second.queues.erase(queue);
  if (lane->second.queues.empty()) group.lanes.erase(lane);
}

bool known_behind(const Group& group, const SessionClass& session_class) {
  return group.head_reservation && session_class.behind == group.head_reservation->serial;
}

bool is_behind_head(const Model& model, const Group& group, const Pending& session) {
  if (group.head.is_nil() || group.head == session.id) return false;
  if (group.policy.order == Order::kBackfill)
    return known_behind(group, model.classes[session.session_class]);
  const Pending* head = model.find_pending(group.head);
  if (head == nullptr) return false;
  if (group.ranks && lane_of(*head) == lane_of(session)) {
    const Rank first = group.ranks->rank(group, owner_of(group, *head));
    const Rank second = group.ranks->rank(group, owner_of(group, session));
    if (!(first == second)) return first < second;
  }
  return std::pair{lane_of(*head), key_of(group, *head)} <
         std::pair{lane_of(session), key_of(group, session)};
}

std::size_t count_before(const Group& group, const Pending& session) {
  const LaneKey own = lane_of(session);
  const QueueKey key = key_of(group, session);
  std::size_t before = group.with_cause.rank({own, key, 0});
  for (const auto& [lane_key, lane] : group.lanes) {
    if (own < lane_key) break;
    for (const auto& [session_class, queue] : lane.queues) {
      before += lane_key < own ? queue.size() : queue.rank({key, 0});
    }
  }
  return before;
}

std::size_t count_before_ranked(const Model& model, Group& group, const Pending& session) {
  RankedLanes& ranks = *group.ranks;
  ranks.refresh(model, group);
  const LaneKey own = lane_of(session);
  const QueueKey key = key_of(group, session);
  const Rank rank = ranks.rank(group, owner_of(group, session));
  std::size_t by_key = 0;
  if (const auto lane = group.lanes.find(own); lane != group.lanes.end())
    for (const auto& [session_class, queue] : lane->second.queues) by_key += queue.rank({key, 0});
  std::size_t before = ranks.count_before(own, rank, key, by_key);
  for (const WithCause& one : group.with_cause) {
    if (own < one.lane) break;
    if (one.lane < own) {
      ++before;
      continue;
    }
    const Rank other = ranks.rank(group, owner_of(group, model.pending[one.pending]));
    before += other < rank || (other == rank && one.key < key) ? 1 : 0;
  }
  return before;
}

std::vector<PendingIndex> by_arrival(const Group& group) {
  std::vector<WithCause> all;
  all.reserve(group.pending);
  for (const WithCause& one : group.with_cause) all.push_back(one);
  for (const auto& [lane_key, lane] : group.lanes) {
    for (const auto& [session_class, queue] : lane.queues) {
      for (const Queued& queued : queue) all.push_back({lane_key, queued.key, queued.pending});
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<PendingIndex> order;
  order.reserve(all.size());
  for (const WithCause& one : all) order.push_back(one.pending);
  return order;
}

std::vector<PendingIndex> in_order(const Model& model, const Group& group) {
  std::vector<PendingIndex> order = by_arrival(group);
  if (!is_ranked(group.policy.order)) return order;
  const std::vector<Amount> capacity = shared_capacity(model, group);
  std::map<OwnerKey, Rank> ranks;
  for (const PendingIndex session : order) {
    const OwnerKey owner = owner_of(group, model.pending[session]);
    if (!ranks.contains(owner)) ranks.emplace(owner, rank_of(group, owner, capacity));
  }
  const auto place = [&](PendingIndex session) {
    return std::pair{lane_of(model.pending[session]), ranks.at(owner_of(group, model.pending[session]))};
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](PendingIndex a, PendingIndex b) { return place(a) < place(b); });
  return order;
}

}  // namespace berth::placement
