#include "controller/placement/cluster/declared_ends.h"

namespace berth::placement {

void add_end(Model& model, LiveIndex live, GroupIndex group) {
  if (group == kNothing) return;
  ++model.groups[group].losses;
  if (model.groups[group].policy.order == Order::kBackfill)
    model.groups[group].ends.insert({model.live[live].ends, live});
}

void remove_end(Model& model, LiveIndex live, GroupIndex group) {
  if (group != kNothing) model.groups[group].ends.erase({model.live[live].ends, live});
}

void set_end(Model& model, LiveIndex live, Timestamp ends) {
  if (model.live[live].ends == ends) return;
  for (const Live::Kernel& kernel : model.live[live].kernels.view()) remove_end(model, live, kernel.group);
  model.live[live].ends = ends;
  for (const Live::Kernel& kernel : model.live[live].kernels.view()) {
    add_end(model, live, kernel.group);
    if (kernel.group == kNothing || model.groups[kernel.group].policy.order != Order::kBackfill) continue;
    model.groups[kernel.group].touch();  // the head may be due at another time, and others before it
  }
}

void collect_ends(Model& model, GroupIndex group) {
  model.groups[group].ends.clear();
  for (LiveIndex live = 0; live < model.live.size(); ++live) {
    for (const Live::Kernel& kernel : model.live[live].kernels.view()) {
      if (kernel.group == group) add_end(model, live, group);
    }
  }
}

}  // namespace berth::placement
