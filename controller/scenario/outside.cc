// What no row can hold, told to the Cluster and to the limits directly.
#include <algorithm>
#include <set>

#include "controller/scenario/parse.h"
#include "controller/scenario/rows.h"
#include "controller/scenario/run.h"

namespace berth::placement {

using projections::KernelRow;
using projections::SessionRow;

namespace {

// A kernel that stands somewhere; owns what PlacedKernel only shows.
struct Standing {
  KernelIndex kernel = 0;
  std::string_view agent;
  std::vector<SlotAmount> slots;
  std::vector<PlacedDevice> devices;
};

const SlotTexts& asked_of(const ScenarioSession& session, std::uint32_t number) {
  std::size_t role = 0;
  for (std::uint32_t before = session.kernels[0].count; before <= number;
       before += session.kernels[role].count)
    ++role;
  return session.kernels[role].slots;
}

Standing standing(const Cluster& cluster, const ScenarioSession& session, const ScenarioPlacement& placed) {
  const std::uint32_t number = kernel_number(session, placed.kernel);
  Standing made{number, placed.agent, slot_amounts(cluster, asked_of(session, number)), {}};
  for (const auto& [device, amounts] : placed.devices) {
    for (const auto& [slot, amount] : amounts)
      made.devices.push_back({device, *cluster.find_slot(slot), amount});
  }
  return made;
}

}  // namespace

// The weights and the past usage that the file names. The Cluster knows a project by its domain too: a
// project of the file has a row in each domain that has sessions of the project.
void ScenarioRun::tell_fair_share() {
  for (const ScenarioGroup& group : scenario_.groups) {
    std::vector<FairShareRow> rows;
    for (const FairShareRow& row : group.fair_share) {
      if (row.scope != ShareScope::kProject) {
        rows.push_back(row);
        continue;
      }
      std::set<std::string> domains;
      for (const ScenarioSession& session : scenario_.sessions)
        if (session.project == row.id) domains.insert(session.domain);
      for (const std::string& domain : domains) rows.emplace_back(row).id = domain + "/" + row.id;
    }
    feed_.cluster().set_fair_share(group.name, rows, day_of(scenario_.now));
  }
}

// Called before the rows: the Cluster then takes no amount from them.
void ScenarioRun::occupy_as_asked(const ScenarioSession& session) {
  std::vector<Standing> standings;
  for (const ScenarioPlacement& placed : session.placed)
    standings.push_back(standing(cluster(), session, placed));
  std::vector<PlacedKernel> kernels;
  for (const Standing& one : standings) kernels.push_back({one.kernel, one.agent, one.slots, one.devices});
  if (session.state == "RESERVED")
    feed_.cluster().reserve(session.key, kernels);
  else
    feed_.cluster().occupy(session.key, kernels, session.user);
}

// Kernels of a live session without a place count in the share of their user and under limits, more (1) or
// less (-1).
void ScenarioRun::count_unplaced(const SessionRow& row, int sign) {
  std::vector<SlotAmount> slots;
  const std::uint32_t count = projections::kernel_count(row.spec->spec);
  for (std::uint32_t number = 0; number < count; ++number) {
    const KernelRow kernel = kernel_row(row, number);
    const auto& placed = row.kernel_ids;
    if (std::find(placed.begin(), placed.end(), kernel.id) != placed.end()) continue;
    feed_.limits().beside().hold(*row.owner, kernel.role_spec(), sign);
    for (const auto& slot : kernel.role_spec().slots())
      slots.push_back({*cluster().find_slot(slot.slot()), slot.amount()});
  }
  const bool counts_in_share = by_key(row.id).state != "RESERVED";  // a held place takes no slots
  if (!slots.empty() && counts_in_share)
    feed_.cluster().occupy_elsewhere(row.spec->spec.group(), row.owner->owner.user(), slots, sign);
}

}  // namespace berth::placement
