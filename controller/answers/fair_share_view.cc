#include "controller/answers/fair_share_view.h"

#include <algorithm>

#include "controller/feed/cluster_feed.h"
#include "controller/placement/model/model.h"

namespace berth::controller {
namespace {

void set_ranks(std::vector<FairShareLine>& lines) {
  std::sort(lines.begin(), lines.end(), [](const FairShareLine& a, const FairShareLine& b) {
    if (a.scope != b.scope) return a.scope < b.scope;
    return a.factor != b.factor ? a.factor > b.factor : a.id < b.id;
  });
  std::uint32_t place = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool first = i == 0 || lines[i - 1].scope != lines[i].scope;
    place = first ? 1 : place + 1;
    lines[i].rank = !first && lines[i - 1].factor == lines[i].factor ? lines[i - 1].rank : place;
  }
}

// The scheduler's own arithmetic, on a model of this group's agents alone.
void fill_feed(const projections::State& state, const projections::GroupRow& def, Timestamp now,
               ClusterFeed* feed) {
  for (const auto& key : state.slot_types.sorted_keys()) feed->on_row(nullptr, state.slot_types.find(key));
  feed->on_row(nullptr, &def);
  for (const auto& key : state.agents.sorted_keys())
    if (const auto* agent = state.agents.find(key); agent->group == def.def.name())
      feed->on_row(nullptr, agent);
  feed->refresh(state, now);
}

}  // namespace

std::map<std::string, std::vector<placement::PastUse>> past_use(const projections::State& state,
                                                                const std::string& group, Timestamp now) {
  std::map<std::string, std::vector<placement::PastUse>> all;
  for (const auto& name : state.groups.sorted_keys()) {
    const auto* def = state.groups.find(name);
    if (def->def.order() != "fair-share" || (!group.empty() && group != name)) continue;
    ClusterFeed feed;
    fill_feed(state, *def, now, &feed);
    for (const auto& row : feed.fair_share().rows(state, name, feed.cluster())) {
      placement::PastUse use{row.scope, row.id, {}};
      for (const auto& [day, by_slot] : row.usage)
        for (const auto& [slot, seconds] : by_slot)
          use.days[day][std::string(feed.cluster().slot_name(slot))] = seconds;
      all[name].push_back(std::move(use));
    }
  }
  return all;
}

std::vector<FairShareLine> fair_share_lines(const projections::State& state, const std::string& name,
                                            Timestamp now) {
  const auto* def = state.groups.find(name);
  if (def == nullptr) return {};
  ClusterFeed feed;
  fill_feed(state, *def, now, &feed);
  const auto rows = feed.fair_share().rows(state, name, feed.cluster());
  const placement::Model& model = feed.cluster().model();
  const placement::Group& group = model.groups[model.group_ids.find(name)->second];
  const auto factors = placement::fair_factors(model, group, rows, day_of(now), group.policy.fair_share);
  std::vector<FairShareLine> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    FairShareLine line{scope_kind_of(rows[i].scope), rows[i].id, rows[i].weight, {}, factors[i].factor, 0};
    for (const auto& [slot, used] :
         placement::decayed_usage(rows[i].usage, day_of(now), group.policy.fair_share))
      line.used.emplace_back(feed.cluster().slot_name(slot), used);
    std::sort(line.used.begin(), line.used.end());
    lines.push_back(std::move(line));
  }
  set_ranks(lines);
  return lines;
}

std::string factor_text(placement::Factor factor) {
  constexpr unsigned kMillion = 1'000'000;
  const auto micro = static_cast<SlotSeconds>(factor) * kMillion >> placement::kFactorBits;
  return decimal_of_micro(micro);
}

}  // namespace berth::controller
