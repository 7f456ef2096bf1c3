// What a group's policy needs of the past: usage (order fair-share), and what is asked for (selections fgd
// and balanced).
#include "controller/feed/cluster_feed.h"
#include "controller/feed/learning.h"
#include "controller/placement/select/least_rise.h"

namespace berth::controller {

using projections::DayUsageRow;
using projections::LearnedRow;
using projections::MixRow;
using projections::State;

std::string project_id(const v1::Owner& owner) { return owner.domain() + "/" + owner.project(); }

placement::FairShareSettings fair_share_settings(const v1::FairShare& settings) {
  placement::FairShareSettings policy;
  if (settings.half_life_days() > 0) policy.half_life_days = settings.half_life_days();
  if (settings.lookback_days() > 0) policy.lookback_days = settings.lookback_days();
  if (settings.slot_weights_size() > 0) policy.slot_weights.clear();
  for (const auto& weight : settings.slot_weights())
    policy.slot_weights.emplace_back(weight.slot(), weight.amount());
  return policy;
}

void ClusterFeed::refresh(const State& state, Timestamp now) {
  reach_start_times(state, now);
  switch_users(state);
  change_images(state);
  for (const SessionId& id : std::exchange(released_, {})) {
    const auto* row = state.sessions.find(id);
    if (withheld_.erase(id) != 0 && row != nullptr && projections::is_waiting(row->status)) add_pending(*row);
  }
  fair_share_.refresh(state, now, cluster_);
  for (auto it = stale_mixes_.begin(); it != stale_mixes_.end();) {
    const std::string& name = *it;
    const bool learns = learners_.contains(name) && !learned_.contains(name);
    if (learns && state.group_slots(name).agents == 0) {  // nothing can be placed there: later
      ++it;
      continue;
    }
    if (learns) set_mix(name, {counted_mix(state, name), {}});
    it = stale_mixes_.erase(it);
  }
}

void ClusterFeed::learn_from(const std::string& group, placement::GroupPolicy& policy) {
  if (!placement::by_rise(policy.select)) {
    learners_.erase(group);
    return;
  }
  if (const auto learned = learned_.find(group); learned != learned_.end()) {
    policy.mix = learned->second.mix;
    policy.shape = learned->second.shape;
  } else {
    stale_mixes_.insert(group);
  }
  learners_[group] = policy;
}

void ClusterFeed::set_mix(const std::string& group, Learned learned) {
  const auto learner = learners_.find(group);
  if (learner == learners_.end()) return;
  learner->second.mix = std::move(learned.mix);
  learner->second.shape = learned.shape;
  cluster_.define_group(group, learner->second);
}

void ClusterFeed::on_row(const DayUsageRow* before, const DayUsageRow* after) {
  fair_share_.on_day_usage(after != nullptr ? *after : *before);
}

void ClusterFeed::on_row(const MixRow* before, const MixRow* after) {
  const std::string& group = (after != nullptr ? after : before)->group;
  if (!learned_.contains(group)) stale_mixes_.insert(group);
}

void ClusterFeed::on_row(const LearnedRow* before, const LearnedRow* after) {
  if (after == nullptr) {
    learned_.erase(before->learned.group());
    stale_mixes_.insert(before->learned.group());
    return;
  }
  Learned& learned = learned_[after->learned.group()];
  learned = {mix_of_learned(after->learned), shape_of_learned(after->learned)};
  set_mix(after->learned.group(), learned);
}

}  // namespace berth::controller
