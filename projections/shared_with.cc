#include "projections/shared_with.h"

#include <algorithm>

namespace berth::projections {

bool is_shared_with(const Actor& actor, v1::ScopeKind scope, std::string_view id) {
  if (scope == v1::SCOPE_KIND_USER) return id == actor.user;
  const std::size_t slash = id.find('/');
  return slash != std::string_view::npos && id.substr(0, slash) == actor.domain &&
         std::ranges::find(actor.projects, id.substr(slash + 1)) != actor.projects.end();
}

}  // namespace berth::projections
