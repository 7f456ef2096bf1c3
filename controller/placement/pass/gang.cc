#include "controller/placement/pass/gang.h"

#include "controller/placement/cluster/ledger.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/pass/gang_search.h"
#include "controller/placement/pass/try_session.h"
#include "controller/placement/select/round_robin.h"

namespace berth::placement {

std::vector<RequirementIndex> requirements_of(const ClassKey& key) {
  std::vector<RequirementIndex> all;
  for (const KernelCount& part : key.kernels) all.insert(all.end(), part.count, part.requirement);
  return all;
}

namespace {

// Each kernel where the selection likes it best, one after the other.
bool take_one_by_one(Model& model, const Group& group, const ClassKey& key, Places* places) {
  *places = {};
  std::vector<KernelPlacement> one;
  const WhileTurning turn(model.groups[key.group]);
  for (const RequirementIndex requirement : requirements_of(key)) {
    if (find_for(model, group, key, need_of(model, requirement), &one) == kNoAgent) return false;
    move_turn(model.groups[key.group], Mode::kMultiNode, 1);
    take(model, requirement, one.front().agent, one.front().devices);
    places->requirements.push_back(requirement);
    places->placements.push_back(one.front());
  }
  return true;
}

}  // namespace

bool take_gang(Model& model, const Group& group, const ClassKey& key, Places* places) {
  if (take_one_by_one(model, group, key, places)) return true;
  if (places->placements.empty())
    return false;  // its first kernel fits nowhere, alone on the cluster as it is
  give_back_places(model, *places);
  Places found;
  const bool all = search_gang(model, group, key, &found);
  if (all) *places = std::move(found);
  take_all(model, *places);
  return all;
}

void take_all(Model& model, const Places& places) {
  for (std::size_t i = 0; i < places.placements.size(); ++i) {
    take(model, places.requirements[i], places.placements[i].agent, places.placements[i].devices);
  }
}

void give_back_places(Model& model, const Places& places) {
  for (std::size_t i = 0; i < places.placements.size(); ++i) {
    undo_take(model, places.requirements[i], places.placements[i].agent, places.placements[i].devices);
  }
}

}  // namespace berth::placement
