// Events of folders and volumes, for tests. A volume and a folder are named; their names are their ids.
#pragma once

#include <string>
#include <vector>

#include "tests/support/events.h"
#include "tests/support/ids.h"

namespace berth::testing {

inline FolderId folder_id(std::string_view name) { return FolderId(id_of(name)); }
inline VolumeId volume_id(std::string_view name) { return VolumeId(id_of(name)); }

// The join with these volumes.
inline v1::Event having(v1::Event joined, const std::vector<std::string>& volumes) {
  for (const std::string& name : volumes) {
    auto* volume = joined.mutable_agent_joined()->add_volumes();
    volume->set_id(wire(name));
    volume->set_name(name);
  }
  return joined;
}

inline v1::Event volume_agent_named(const std::string& volume, const std::string& agent) {
  v1::Event event;
  event.mutable_volume_agent_named()->set_volume(wire(volume));
  event.mutable_volume_agent_named()->set_agent(agent);
  return event;
}

inline v1::Event folder_created(const std::string& name, const std::string& volume = "local",
                                const std::string& user = "alice") {
  v1::Event event;
  auto* created = event.mutable_folder_created();
  created->set_folder(wire(name));
  created->set_name(name);
  created->mutable_owner()->set_domain("default");
  created->mutable_owner()->set_user(user);
  created->set_volume(wire(volume));
  return event;
}

inline v1::Event folder_ready(const std::string& name) {
  v1::Event event;
  event.mutable_folder_ready()->set_folder(wire(name));
  return event;
}

// A READY folder of alice.
inline Events folder(const std::string& name, const std::string& volume = "local",
                     const std::string& user = "alice") {
  return {folder_created(name, volume, user), folder_ready(name)};
}

// The session mounts these folders, each under its own name.
inline Spec mounting(Spec spec, const std::vector<std::string>& folders) {
  for (const std::string& name : folders) {
    auto* mount = spec.proto().add_mounts();
    mount->set_folder(wire(name));
    mount->set_target(name);
  }
  return spec;
}

}  // namespace berth::testing
