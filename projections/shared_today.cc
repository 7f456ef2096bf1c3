#include "projections/shared_today.h"

#include "projections/folder_access.h"
#include "projections/session_access.h"

namespace berth::projections {

SharedToday shared_today(const State& state, const Actor& actor) {
  SharedToday shared;
  for (const SessionRow* session : sessions_shared_with(state, actor)) shared.ids.emplace(session->id.view());
  state.folders.for_each_unordered([&](const FolderRow& folder) {
    if (access_of(actor, folder) != FolderAccess::kNone) shared.ids.emplace(folder.id.view());
  });
  return shared;
}

bool counts_today(const Actor& actor, std::string_view id) {
  return actor.shared_today == nullptr || actor.shared_today->ids.contains(id);
}

}  // namespace berth::projections
