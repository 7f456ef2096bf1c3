#include "projections/tables/folder_table.h"

namespace berth::projections {

const char* name_of(FolderState state) {
  constexpr const char* kNames[] = {"CREATING", "READY", "FAILED", "TRASHED", "PURGING"};
  return kNames[static_cast<std::size_t>(state)];
}

const char* name_of(FolderAccess access) {
  constexpr const char* kNames[] = {"none", "read", "write", "own"};
  return kNames[static_cast<std::size_t>(access)];
}

v1::Owner FolderRow::owner() const {
  v1::Owner owner;
  owner.set_domain(domain);
  owner.set_project(project);
  owner.set_user(user);
  return owner;
}

}  // namespace berth::projections
