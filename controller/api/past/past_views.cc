#include "controller/api/past/past_views.h"

namespace berth::controller::api {

std::shared_ptr<PastView> PastViews::of(const projections::PastPtr& state) {
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [](const Kept& kept) { return kept.state.expired(); });
  for (const Kept& kept : kept_)
    if (kept.state.lock() == state) return kept.view;
  return kept_.emplace_back(state, std::make_shared<PastView>()).view;
}

}  // namespace berth::controller::api
