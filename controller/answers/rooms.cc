#include "controller/answers/rooms.h"

#include "controller/answers/never_text.h"
#include "controller/placement/pass/explain.h"

namespace berth::controller {
namespace {

using projections::SessionRow;
using projections::State;

constexpr std::size_t kKnown = 1024;

// What decides where sessions of this spec fit.
v1::SessionSpec shape_of(const v1::SessionSpec& spec) {
  v1::SessionSpec shape;
  shape.set_group(spec.group());
  shape.set_architecture(spec.architecture());
  shape.set_mode(spec.mode());
  shape.set_agent_rule(spec.agent_rule());
  *shape.mutable_agents() = spec.agents();
  for (const auto& role : spec.roles()) {
    v1::RoleSpec& kept = *shape.add_roles();
    kept.set_count(role.count());
    *kept.mutable_slots() = role.slots();
  }
  return shape;
}

}  // namespace

std::string Rooms::warning(const State& state, const v1::SessionSpec& spec) {
  if (state.groups.find(spec.group()) == nullptr) return {};
  const v1::SessionSpec shape = shape_of(spec);
  const std::string key = shape.SerializeAsString();
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (!built_) {
    feed_ = ClusterFeed();
    take_in(state.slot_types);
    take_in(state.groups);
    take_in(state.agents);
    built_ = true;
  }
  if (known_.size() >= kKnown) known_.clear();
  return known_.emplace(key, judge(state, shape)).first->second;
}

std::string Rooms::judge(const State& state, const v1::SessionSpec& spec) {
  SessionRow row;
  row.owner = std::make_shared<projections::SharedOwner>();
  row.spec = std::make_shared<projections::SharedSpec>(projections::SharedSpec{spec, {}});
  feed_.on_row(nullptr, &row);
  const placement::Reason never = placement::why_never(feed_.cluster(), row.id);
  feed_.on_row(&row, nullptr);
  if (never.code == placement::Code::kNone) return {};
  return never_warning(state, spec, std::string(feed_.cluster().slot_name(never.slot)));
}

void Rooms::forget() {
  built_ = false;
  known_.clear();
}

}  // namespace berth::controller
