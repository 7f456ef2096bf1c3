// Events and requests about folders, for tests: folder_created("data"), trash("data").
//
// A name stands for an id (ids.h), of volumes too. Folders are alice's, on volume "local", unless said
// otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/schema/v1/request.pb.h"
#include "projections/tables/folder_table.h"
#include "tests/support/events.h"
#include "tests/support/record_codes.h"
#include "tests/support/words.h"

namespace berth::testing {

inline FolderId folder_id(std::string_view name) { return FolderId(id_of(name)); }
inline VolumeId volume_id(std::string_view name) { return VolumeId(id_of(name)); }

// The join of an agent that has these volumes.
inline v1::Event with_volumes(v1::Event joined, const std::vector<std::string>& volumes) {
  for (const auto& name : volumes) {
    auto* volume = joined.mutable_agent_joined()->add_volumes();
    volume->set_id(wire(name));
    volume->set_name(name);
  }
  return joined;
}

inline v1::Event joined_with(const std::string& agent, const std::vector<std::string>& volumes,
                             int life = 1) {
  return with_volumes(agent_joined(agent, 8, 16 * kGiga, {}, life), volumes);
}

inline v1::Event volume_agent_named(const std::string& volume, const std::string& agent) {
  v1::Event e;
  e.mutable_volume_agent_named()->set_volume(wire(volume));
  e.mutable_volume_agent_named()->set_agent(agent);
  return e;
}

inline v1::Event volume_forgotten(const std::string& volume, std::uint32_t folders = 0) {
  v1::Event e;
  e.mutable_volume_forgotten()->set_volume(wire(volume));
  e.mutable_volume_forgotten()->set_folders(folders);
  return e;
}

// Enrolled and joined with volume "local", and named for it.
inline Events agent_of_volume(const std::string& agent) {
  return {agent_enrolled(agent), joined_with(agent, {"local"}), volume_agent_named("local", agent)};
}

inline v1::Owner folder_owner(const std::string& user) {
  v1::Owner owner;
  owner.set_domain("default");
  owner.set_user(user);
  return owner;
}
inline v1::Owner project_owner(const std::string& project) {
  v1::Owner owner;
  owner.set_domain("default");
  owner.set_project(project);
  return owner;
}

inline v1::Event folder_created(const std::string& name, const v1::Owner& owner = folder_owner("alice"),
                                const std::string& volume = "local") {
  v1::Event e;
  auto* created = e.mutable_folder_created();
  created->set_folder(wire(name));
  created->set_name(name);
  *created->mutable_owner() = owner;
  created->set_volume(wire(volume));
  return e;
}
inline v1::Event folder_ready(const std::string& folder) {
  v1::Event e;
  e.mutable_folder_ready()->set_folder(wire(folder));
  return e;
}
inline v1::Event folder_failed(const std::string& folder, const std::string& code = "disk-full",
                               const std::string& message = "the disk is full") {
  v1::Event e;
  e.mutable_folder_failed()->set_folder(wire(folder));
  e.mutable_folder_failed()->set_code(record_code(code));
  e.mutable_folder_failed()->set_message(message);
  return e;
}
inline v1::Event folder_renamed(const std::string& folder, const std::string& name) {
  v1::Event e;
  e.mutable_folder_renamed()->set_folder(wire(folder));
  e.mutable_folder_renamed()->set_name(name);
  return e;
}
inline v1::Event folder_trashed(const std::string& folder, Timestamp purge_at) {
  v1::Event e;
  e.mutable_folder_trashed()->set_folder(wire(folder));
  e.mutable_folder_trashed()->set_purge_at_ns(purge_at);
  return e;
}
inline v1::Event folder_restored(const std::string& folder) {
  v1::Event e;
  e.mutable_folder_restored()->set_folder(wire(folder));
  return e;
}
inline v1::Event folder_purging(const std::string& folder) {
  v1::Event e;
  e.mutable_folder_purging()->set_folder(wire(folder));
  return e;
}
inline v1::Event folder_purged(const std::string& folder) {
  v1::Event e;
  e.mutable_folder_purged()->set_folder(wire(folder));
  return e;
}
inline v1::Event folder_shared(const std::string& folder, const std::string& scope, const std::string& id,
                               const std::string& access = "read") {
  v1::Event e;
  auto* shared = e.mutable_folder_shared();
  shared->set_folder(wire(folder));
  shared->set_scope(value_of<v1::ScopeKind>(scope));
  shared->set_id(id);
  shared->set_access(access);
  return e;
}
// Made, and READY.
inline Events ready_folder(const std::string& name, const v1::Owner& owner = folder_owner("alice"),
                           const std::string& volume = "local") {
  return {folder_created(name, owner, volume), folder_ready(name)};
}

inline v1::SessionSpec mounting(v1::SessionSpec spec, const std::string& folder,
                                const std::string& target = "", bool read_only = false) {
  auto* mount = spec.add_mounts();
  mount->set_folder(wire(folder));
  mount->set_target(target.empty() ? folder : target);
  mount->set_read_only(read_only);
  return spec;
}

inline v1::Request as_user(const std::string& user) {
  v1::Request r;
  r.set_actor("user:" + user);
  *r.mutable_owner() = owner(user);
  return r;
}
// `volume`: empty leaves the choice to the controller.
inline v1::Request create_folder(const std::string& name, const std::string& volume = "",
                                 const std::string& project = "") {
  v1::Request r = as_user("alice");
  auto* body = r.mutable_create_folder();
  body->set_id(wire(name));
  body->set_name(name);
  body->set_project(project);
  if (!volume.empty()) body->set_volume(wire(volume));
  return r;
}
inline v1::Request change_folder(const std::string& folder, v1::FolderChange change,
                                 const std::string& name = "") {
  v1::Request r = as_user("alice");
  auto* body = r.mutable_change_folder();
  body->set_folder(wire(folder));
  body->set_change(change);
  body->set_name(name);
  return r;
}
inline v1::Request rename_folder(const std::string& folder, const std::string& name) {
  return change_folder(folder, v1::FOLDER_RENAME, name);
}
inline v1::Request trash_folder(const std::string& folder) { return change_folder(folder, v1::FOLDER_TRASH); }
inline v1::Request restore_folder(const std::string& folder, const std::string& name = "") {
  return change_folder(folder, v1::FOLDER_RESTORE, name);
}
inline v1::Request purge_folder(const std::string& folder) { return change_folder(folder, v1::FOLDER_PURGE); }
inline v1::Request forget_volume(const std::string& volume, std::uint32_t expected = 0) {
  v1::Request r = as_user("root");
  r.mutable_forget_volume()->set_volume(wire(volume));
  r.mutable_forget_volume()->set_expected(expected);
  return r;
}
inline v1::Request share_folder(const std::string& folder, const std::string& scope, const std::string& id,
                                const std::string& access = "read") {
  v1::Request r = as_user("alice");
  auto* body = r.mutable_share_folder();
  body->set_folder(wire(folder));
  body->set_scope(value_of<v1::ScopeKind>(scope));
  body->set_id(id);
  body->set_access(access);
  return r;
}

}  // namespace berth::testing
