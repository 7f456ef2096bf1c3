// Folders and the volumes that they lie on, as events; names stand for ids (tests/support/ids.h).
#pragma once

#include <string>
#include <vector>

#include "controller/api/map/folders/folder_lookup.h"
#include "tests/support/events.h"
#include "tests/support/words.h"

namespace berth::testing {

inline std::string hex_id(const std::string& name) { return controller::api::hex_of(id_of(name)); }

// An agent that has these volumes; `life` as agent_joined() has it.
inline Events agent_with_volumes(const std::string& name, const std::vector<std::string>& volumes) {
  v1::Event joined = agent_joined(name, 4, 8 * kGiga);
  for (const std::string& volume : volumes) {
    auto* one = joined.mutable_agent_joined()->add_volumes();
    one->set_id(wire("volume " + volume));
    one->set_name(volume);
  }
  return {agent_enrolled(name), joined};
}

// `folder` stands for the id; `user` empty: of project default/PROJECT.
inline v1::Event folder_of(const std::string& folder, const std::string& name, const std::string& user,
                           const std::string& project = "", const std::string& domain = "default") {
  v1::Event e;
  auto* body = e.mutable_folder_created();
  body->set_folder(wire(folder));
  body->set_name(name);
  body->mutable_owner()->set_domain(domain);
  body->mutable_owner()->set_user(user);
  body->mutable_owner()->set_project(project);
  body->set_volume(wire("volume local"));
  return e;
}

inline v1::Event folder_is_ready(const std::string& folder) {
  v1::Event e;
  e.mutable_folder_ready()->set_folder(wire(folder));
  return e;
}

inline v1::Event folder_in_trash(const std::string& folder, Timestamp purge_at) {
  v1::Event e;
  e.mutable_folder_trashed()->set_folder(wire(folder));
  e.mutable_folder_trashed()->set_purge_at_ns(purge_at);
  return e;
}

inline v1::Event folder_shared_with(const std::string& folder, const std::string& scope,
                                    const std::string& id, const std::string& access) {
  v1::Event e;
  auto* body = e.mutable_folder_shared();
  body->set_folder(wire(folder));
  body->set_scope(value_of<v1::ScopeKind>(scope));
  body->set_id(id);
  body->set_access(access);
  return e;
}

// A session of that user that mounts the folder as its name says.
inline v1::Event session_with_folder(const std::string& session, const std::string& folder,
                                     const std::string& user, const std::string& target) {
  v1::Event e = session_requested(session, Spec(), user);
  auto* mount = e.mutable_session_requested()->mutable_spec()->add_mounts();
  mount->set_folder(wire(folder));
  mount->set_target(target);
  return e;
}

}  // namespace berth::testing
