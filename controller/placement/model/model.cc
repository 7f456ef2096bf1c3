#include "controller/placement/model/model.h"

namespace berth::placement {

PendingIndex Model::find_pending_index(const SessionId& id) const {
  return pending_ids.find(id, [this](std::uint32_t place) -> const Uuid& { return pending[place].id; });
}

Pending* Model::find_pending(const SessionId& id) {
  const PendingIndex place = find_pending_index(id);
  return place == kNothing ? nullptr : &pending[place];
}

const Pending* Model::find_pending(const SessionId& id) const {
  const PendingIndex place = find_pending_index(id);
  return place == kNothing ? nullptr : &pending[place];
}

LiveIndex Model::find_live(const SessionId& id) const {
  return live_ids.find(id, [this](std::uint32_t place) -> const Uuid& { return live[place].id; });
}

std::uint32_t Model::intern_name(std::string_view name) {
  const auto found = name_ids.find(name);
  if (found != name_ids.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(names.size());
  names.emplace_back(name);
  name_ids.emplace(names.back(), id);
  return id;
}

}  // namespace berth::placement
