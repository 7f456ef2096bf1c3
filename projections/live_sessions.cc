#include "projections/live_sessions.h"

#include <algorithm>

namespace berth::projections {
namespace {

template <class Uses> std::vector<const SessionRow*> live_sessions(const State& state, Uses uses) {
  std::vector<const SessionRow*> found;
  state.sessions.for_each_unordered([&](const SessionRow& row) {
    if (!is_end(row.status) && uses(row)) found.push_back(&row);
  });
  std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  return found;
}

}  // namespace

std::vector<const SessionRow*> live_sessions_in_group(const State& state, const std::string& group) {
  return live_sessions(state, [&](const SessionRow& row) { return row.spec->spec.group() == group; });
}

std::vector<const SessionRow*> live_sessions_of_image(const State& state, const std::string& image) {
  return live_sessions(state, [&](const SessionRow& row) {
    const v1::SessionSpec& spec = row.spec->spec;
    return spec.image() == image || std::any_of(spec.roles().begin(), spec.roles().end(),
                                                [&](const auto& role) { return role.image() == image; });
  });
}

std::vector<const SessionRow*> live_sessions_of_owner(const State& state, v1::DefinitionKind kind,
                                                      const std::string& id) {
  return live_sessions(state, [&](const SessionRow& row) {
    const v1::Owner& owner = row.owner->owner;
    if (kind == v1::DEFINITION_KIND_USER) return owner.user() == id;
    return (kind == v1::DEFINITION_KIND_DOMAIN ? owner.domain() : owner.domain() + "/" + owner.project()) ==
           id;
  });
}

}  // namespace berth::projections
