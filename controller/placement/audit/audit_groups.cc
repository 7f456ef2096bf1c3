// One group: its agents, the settings that follow from its policy, its lanes against the rows of the sessions
// that stand in them, and its counts.
#include <map>

#include "controller/placement/audit/parts.h"
#include "controller/placement/model/head_reservation.h"
#include "controller/placement/order/queue.h"
#include "controller/placement/order/ranked_lanes.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement::audit {

namespace {

// What the sessions of a group come to when all places where one can stand are visited.
struct Waiting {
  std::size_t sessions = 0;
  std::map<std::int32_t, std::size_t> job_priorities;
  bool head_seen = false;
  void add(const Group& group, const Pending& session) {
    ++sessions;
    ++job_priorities[session.job_priority];
    head_seen = head_seen || group.head == session.id;
  }
};

std::string check_agents(const Model& model, const Group& group) {
  const GroupIndex own = model.index_of(group);
  const std::string where = "group " + group.name;
  std::size_t take_more = 0;
  for (const auto& [label, index] : group.agents) {
    if (index >= model.agents.size() || model.agents[index].group != own ||
        model.agents[index].label != label)
      return where + ": an agent of its list is in another group, or under another label";
    take_more += model.agents[index].takes_more() ? 1 : 0;
  }
  return differs(where, "number of rows in the search index", group.index->rows(), take_more);
}

std::string check_settings(const Model& model, const Group& group) {
  const std::string where = "group " + group.name;
  if (group.slot_order.size() != model.slots.size() || group.map_policies.size() != model.slots.size())
    return where + ": its settings do not know all slot types";
  if ((group.ranks != nullptr) != is_ranked(group.policy.order))
    return where + ": ranked lanes do not go with its order";
  if (group.head_reservation && group.policy.order != Order::kBackfill)
    return where + ": a reservation for the head without order backfill";
  if (group.rise == nullptr) return where + ": no settings for the selection";
  return {};
}

// The session stands where its row says that it stands.
bool stands_at(const Model& model, const Group& group, PendingIndex index, const LaneKey& lane,
               const QueueKey& key) {
  if (index >= model.pending.size()) return false;
  const Pending& session = model.pending[index];
  if (session.session_class >= model.classes.size() || session.reserved) return false;
  return model.classes[session.session_class].key.group == model.index_of(group) &&
         lane_of(session) == lane && key_of(group, session) == key;
}

std::string check_lane(const Model& model, const Group& group, const LaneKey& key, const Lane& lane,
                       Waiting* waiting) {
  const std::string where = "group " + group.name + ", lane " + std::to_string(-key.negative_priority);
  if (lane.queues.empty()) return where + ": an empty lane";
  for (const auto& [session_class, queue] : lane.queues) {
    if (queue.empty()) return where + ": an empty queue";
    const QueueKey* before = nullptr;
    for (const Queued& queued : queue) {
      if (before != nullptr && !(*before < queued.key)) return where + ": a queue is out of order";
      before = &queued.key;
      if (!stands_at(model, group, queued.pending, key, queued.key) ||
          model.pending[queued.pending].session_class != session_class ||
          model.pending[queued.pending].wait_cause.code != Code::kNone)
        return where + ": session " + to_string(queued.key.id) + " stands in a queue that is not its own";
      waiting->add(group, model.pending[queued.pending]);
    }
    const auto head = lane.heads.find({queue.begin()->key, session_class});
    if (head == lane.heads.end() || head->session_class != session_class)
      return where + ": the first of a queue is not among the heads";
  }
  return differs(where, "number of heads", lane.heads.size(), lane.queues.size());
}

std::string check_held_back(const Model& model, const Group& group, Waiting* waiting) {
  const WithCause* before = nullptr;
  for (const WithCause& one : group.with_cause) {
    if (before != nullptr && !(*before < one))
      return "group " + group.name + ": sessions with a wait cause are out of order";
    before = &one;
    if (!stands_at(model, group, one.pending, one.lane, one.key) ||
        model.pending[one.pending].wait_cause.code == Code::kNone)
      return "group " + group.name + ": session " + to_string(one.key.id) +
             " is among those with a wait cause and has none";
    waiting->add(group, model.pending[one.pending]);
  }
  return {};
}

void add_reserved(const Model& model, const Group& group, Waiting* waiting) {
  for (const auto& [id, held] : model.held_places) {
    const Pending* session = model.find_pending(id);  // audit_pending.cc says whether there is one
    if (session != nullptr && session->session_class < model.classes.size() &&
        model.classes[session->session_class].key.group == model.index_of(group))
      waiting->add(group, *session);
  }
}

}  // namespace

std::string group(const Model& model, GroupIndex index) {
  const Group& group = model.groups[index];
  if (auto text = check_agents(model, group); !text.empty()) return text;
  if (auto text = check_settings(model, group); !text.empty()) return text;
  Waiting waiting;
  for (const auto& [key, lane] : group.lanes)
    if (auto text = check_lane(model, group, key, lane, &waiting); !text.empty()) return text;
  if (auto text = check_held_back(model, group, &waiting); !text.empty()) return text;
  add_reserved(model, group, &waiting);
  const std::string where = "group " + group.name;
  if (auto text = differs(where, "number of pending sessions", group.pending, waiting.sessions);
      !text.empty())
    return text;
  if (group.job_priorities != waiting.job_priorities)
    return where + ": job priorities of pending sessions are miscounted";
  if (!group.head.is_nil() && !waiting.head_seen) return where + ": its head does not wait in it";
  return group.ranks ? group.ranks->broken_invariant(model, group) : std::string();
}

}  // namespace berth::placement::audit
