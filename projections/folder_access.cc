#include "projections/folder_access.h"

#include <algorithm>

#include "projections/shared_today.h"
#include "projections/shared_with.h"

namespace berth::projections {
namespace {

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The reach `own` includes a project for each of its members: too wide for what its admins alone may do.
bool reaches_a_domain(const Actor& actor, Verb verb) {
  return reach(actor, Noun::kFolder, verb) >= Reach::kDomain;
}

}  // namespace

FolderAccess access_of(const Actor& actor, const FolderRow& folder) {
  if (!folder.user.empty() && folder.user == actor.user) return FolderAccess::kOwn;
  FolderAccess access = FolderAccess::kNone;
  if (folder.user.empty() && folder.domain == actor.domain) {
    if (has(actor.admin_of, folder.project)) return FolderAccess::kOwn;
    if (has(actor.projects, folder.project)) access = FolderAccess::kWrite;
  }
  if (!counts_today(actor, folder.id.view())) return access;
  for (const FolderShare& share : folder.shares)
    if (is_shared_with(actor, share.scope, share.id)) access = std::max(access, share.access);
  return access;
}

bool may_see_folder(const Actor& actor, const FolderRow& folder) {
  return access_of(actor, folder) != FolderAccess::kNone ||
         may(actor, Noun::kFolder, Verb::kSee, folder.owner());
}

bool may_manage_folder(const Actor& actor, const FolderRow& folder, Verb verb) {
  return access_of(actor, folder) == FolderAccess::kOwn ||
         (reaches_a_domain(actor, verb) && may(actor, Noun::kFolder, verb, folder.owner()));
}

bool may_create_folder(const Actor& actor, const v1::Owner& owner) {
  if (!may(actor, Noun::kFolder, Verb::kCreate, owner)) return false;
  return !owner.user().empty() || has(actor.admin_of, owner.project()) ||
         reaches_a_domain(actor, Verb::kCreate);
}

}  // namespace berth::projections
