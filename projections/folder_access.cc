#include "projections/folder_access.h"

namespace berth::projections {
namespace {

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_with(const Actor& actor, const FolderShare& share) {
  if (share.scope == "user") return share.id == actor.user;
  const std::size_t slash = share.id.find('/');
  return slash != std::string::npos && share.id.substr(0, slash) == actor.domain &&
         has(actor.projects, std::string_view(share.id).substr(slash + 1));
}

}  // namespace

FolderAccess access_of(const Actor& actor, const FolderRow& folder) {
  if (!folder.user.empty() && folder.user == actor.user) return FolderAccess::kOwn;
  FolderAccess access = FolderAccess::kNone;
  if (folder.user.empty() && folder.domain == actor.domain) {
    if (has(actor.admin_of, folder.project)) return FolderAccess::kOwn;
    if (has(actor.projects, folder.project)) access = FolderAccess::kWrite;
  }
  for (const FolderShare& share : folder.shares)
    if (is_with(actor, share)) access = std::max(access, share.access);
  return access;
}

}  // namespace berth::projections
