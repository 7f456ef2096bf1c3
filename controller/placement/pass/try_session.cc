#include "controller/placement/pass/try_session.h"

#include "controller/placement/cluster/declared_ends.h"
#include "controller/placement/cluster/held_place.h"
#include "controller/placement/cluster/ledger.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/model/members.h"
#include "controller/placement/order/queue.h"
#include "controller/placement/pass/backfill.h"
#include "controller/placement/pass/diagnose.h"
#include "controller/placement/pass/impossible.h"
#include "controller/placement/select/choice.h"
#include "controller/placement/select/custom_select.h"
#include "controller/placement/select/least_rise.h"
#include "controller/placement/select/round_robin.h"
#include "controller/placement/select/score.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

struct Found {
  AgentIndex agent = kNoAgent;
  Tier tier;
};

bool better(const Model& model, const Group& group, const Need& need, const Found& a, const Found& b) {
  if (a.agent == kNoAgent || b.agent == kNoAgent) return b.agent == kNoAgent;
  if (a.tier != b.tier) return a.tier < b.tier;
  return preferred(group, need, model.agents[a.agent], model.agents[b.agent]);
}

// The best of the agents that stand out; they are not worth an index.
Found best_special(const Model& model, const Group& group, const Choice& choice, const Need& need,
                   std::vector<KernelPlacement>* placements) {
  Found best;
  for (const AgentIndex index : choice.special()) {
    if (choice.refusal(index) != Code::kNone) continue;
    if (group.index->fitter().fit(model, model.agents[index], need, placements) != Code::kNone) continue;
    const Found found{index, choice.tier(index)};
    if (better(model, group, need, found, best)) best = found;
  }
  return best;
}

// Works out the refusal of the class, anew only when enough has changed since: on a large cluster the
// recorded slot may lag behind a little, so that a session which waits does not cost a look at every agent
// each time something ends.
Reason explain_refusal(Model& model, const Group& group, const SessionClass& refused, const Need& need) {
  Refusal& refusal = model.refusals[refused.refusal];
  const std::uint64_t tolerated = group.agents.size() / kAgentsPerLag;
  const bool stale = refusal.explained_at == Refusal::kNever || refusal.reason.code == Code::kNever;
  if (stale || group.changes - refusal.explained_at > tolerated) {
    refusal.reason = reason_of(diagnose(model, group, need, refused.key, group.index->fitter()));
    refusal.explained_at = group.changes;
  }
  refusal.refused_at = group.gains;
  return refusal.reason;
}

// The reason of a class that found no places, with those taken that its first kernels found.
Reason refuse(Model& model, Group& group, const SessionClass& wanted, const Places& places) {
  if (group.policy.skip_impossible) {
    if (const Reason never = impossible(model, group, wanted); never.code != Code::kNone) {
      Refusal& refusal = model.refusals[wanted.refusal];
      refusal.reason = never;
      refusal.explained_at = group.changes;
      refusal.refused_at = group.gains;
      return never;
    }
  }
  const bool single = wanted.key.mode == Mode::kSingleNode;
  const std::size_t failed = places.placements.size();  // the kernel without a place beside those before it
  const Need need = single ? wanted.need : need_of(model, requirements_of(wanted.key)[failed]);
  return explain_refusal(model, group, wanted, need);
}

void add_live(Model& model, const Pending& session, KernelIndex kernel, RequirementIndex requirement,
              const KernelPlacement& placement) {
  ++model.requirement_uses[requirement];
  Live& live = live_for(model, session.id);
  count_members(model, live, -1);
  live.user = session.user;
  live.domain = session.domain;
  live.project = session.project;
  live.session_group = model.classes[session.session_class].key.session_group;
  live.job_priority = session.job_priority;
  live.preemptible = session.preemptible && !session.system;
  const GroupIndex group = model.agents[placement.agent].group;
  if (live.kernels.empty() && session.timeout_s > 0) live.ends = model.now + session.timeout_s * kSecond;
  live.kernels.push_back({kernel, group, requirement, placement.agent, Few(placement.devices)});
  count_members(model, live, 1);
  count_for_user(model, live.user, live.kernels.view().back(), 1);
  add_holder(model, placement.agent, live);
  add_end(model, static_cast<LiveIndex>(&live - model.live.data()), group);
}

}  // namespace

AgentIndex find_for(const Model& model, const Group& group, const ClassKey& key, const Need& need,
                    std::vector<KernelPlacement>* placements) {
  const Choice choice(model, group, key);
  if (group.policy.select == Select::kRoundRobin) return next_in_turn(model, group, choice, need, placements);
  if (by_rise(group.policy.select)) return find_least_rise(model, group, choice, need, placements);
  if (group.custom != nullptr)
    if (const auto chosen = find_by_policy(model, group, choice, need, placements)) return *chosen;
  Found best = best_special(model, group, choice, need, placements);
  if (choice.rest_allowed() && (best.agent == kNoAgent || choice.rest_tier() <= best.tier)) {
    const Found rest{group.index->find(model, group, need, choice.special(), placements), choice.rest_tier()};
    if (rest.agent != kNoAgent && better(model, group, need, rest, best)) return rest.agent;
  }
  if (best.agent != kNoAgent) group.index->fitter().fit(model, model.agents[best.agent], need, placements);
  return best.agent;
}

Reason known_refusal(const Model& model, const Group& group, ClassIndex session_class) {
  const Refusal& known = model.refusals[model.classes[session_class].refusal];
  return known.refused_at == group.gains ? known.reason : Reason{};
}

bool find_places(Model& model, Group& group, const SessionClass& wanted,
                 std::vector<KernelPlacement>* placements) {
  const std::uint64_t changes = group.changes;
  Places places;
  const bool found = take_places(model, group, wanted, &places);
  give_back_places(model, places);
  group.changes = changes;
  *placements = std::move(places.placements);
  return found;
}

bool take_places(Model& model, const Group& group, const SessionClass& wanted, Places* places) {
  if (wanted.key.mode == Mode::kMultiNode) return take_gang(model, group, wanted.key, places);
  *places = {};
  if (find_for(model, group, wanted.key, wanted.need, &places->placements) == kNoAgent)
    return places->placements.clear(), false;
  places->requirements = requirements_of(wanted.key);
  take_all(model, *places);
  return true;
}

void make_live(Model& model, PendingIndex session, const Places& places) {
  for (std::size_t i = 0; i < places.placements.size(); ++i) {
    add_live(model, model.pending[session], static_cast<KernelIndex>(i), places.requirements[i],
             places.placements[i]);
  }
  forget_pending(model, session);
}

Reason try_session(Model& model, Group& group, PendingIndex session, Places* places) {
  SessionClass& wanted = model.classes[model.pending[session].session_class];
  if (take_places(model, group, wanted, places)) {
    move_turn(group, wanted.key.mode, places->placements.size());
    make_live(model, session, *places);
    return {};
  }
  const Reason refusal = refuse(model, group, wanted, *places);
  give_back_places(model, *places);
  return refusal;
}

}  // namespace berth::placement
