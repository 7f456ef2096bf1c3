#include "controller/scheduler/estimate.h"

#include <algorithm>

#include "controller/scheduler/whatif.h"

namespace berth::scheduler {

std::optional<std::int64_t> quantile(std::span<const std::int64_t> sorted, int percent) {
  if (sorted.empty()) return std::nullopt;
  const std::size_t rank = (sorted.size() * static_cast<std::size_t>(std::clamp(percent, 0, 100)) + 99) / 100;
  return sorted[rank == 0 ? 0 : rank - 1];
}

std::optional<std::int64_t> remaining(std::span<const std::int64_t> sorted_history, std::int64_t so_far, std::int64_t declared,
                                      int percent) {
  const auto longer = std::upper_bound(sorted_history.begin(), sorted_history.end(), so_far);
  const auto rest = sorted_history.subspan(static_cast<std::size_t>(longer - sorted_history.begin()));
  std::optional<std::int64_t> total = quantile(rest, percent);
  if (declared > 0) total = total ? std::min(*total, declared) : declared;
  if (!total) return std::nullopt;
  return std::max<std::int64_t>(*total - so_far, 0);
}

std::optional<std::int64_t> estimate_start(Cluster& cluster, const SessionId& session, std::vector<ExpectedEnd> ends,
                                           std::uint64_t bound) {
  Model& model = cluster.model();
  const PendingIndex index = model.find_pending_index(session);
  if (index == kNothing || model.pending[index].hold.code != Code::kNone) return std::nullopt;
  Work work{bound};
  WhatIf what_if(model, index, &work);
  if (!what_if.can_walk()) return std::nullopt;
  if (what_if.run().started) return 0;
  std::sort(ends.begin(), ends.end(), [](const ExpectedEnd& a, const ExpectedEnd& b) {
    return a.in_us != b.in_us ? a.in_us < b.in_us : a.session < b.session;
  });
  for (std::size_t i = 0; i < ends.size() && !work.spent(); ++i) {
    const LiveIndex live = model.find_live(ends[i].session);
    if (live == kNothing) continue;
    what_if.end(live);
    work.spend(1);
    if (what_if.run().started && !work.spent()) return ends[i].in_us;
  }
  return std::nullopt;
}

void Calibration::note(std::int64_t estimated_us, std::int64_t waited_us) {
  ++made;
  if (waited_us <= estimated_us) ++met;
}

int Calibration::met_permille() const { return made == 0 ? 0 : static_cast<int>(met * 1000 / made); }

}  // namespace berth::scheduler
