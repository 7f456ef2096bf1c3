// RegistrySettings: the package registries of the agent's operator, as pip, npm and apt of this machine have
// them, and what kernels are told of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agents/egress/allow_list.h"
#include "agents/egress/tool_settings.h"
#include "agents/kernel/backends.h"

namespace berth::agents {

struct RegistrySettings {
  AllowList allowed;  // what is known without asking anybody
  // pip's indexes. Their files may lie on other hosts (RegistrySearch).
  std::vector<std::string> indexes;
  bool asks_pip = false;  // no settings of its own: pip itself knows its default
  bool asks_npm = false;
  std::string ca_bundle;           // path of the operator's bundle of certificates; empty: none was found
  std::vector<std::string> notes;  // for people: what was left out, and why

  // "NAME=value" for kernels, but for those of the proxy and the bundle.
  std::vector<std::string> variables;
};

// Where files and variables are read.
struct SettingsPlaces {
  std::string root;  // "" but in tests
  Variables variables;
};

// The environment of this process.
SettingsPlaces own_places();
RegistrySettings read_registry_settings(const SettingsPlaces& places);

// Copies the bundle into the agent's folder, for kernels to read (0644). Returns the copy's path; empty:
// there is no bundle. Code ca-bundle-failed.
Result<std::string> copy_bundle(const RegistrySettings& settings, const std::string& folder);

// All variables of a kernel with egress. `has_bundle`: there is one at kCaBundleInside.
std::vector<std::string> egress_variables(const RegistrySettings& settings, bool has_bundle);

}  // namespace berth::agents
