#include "agents/check/machine_check.h"

#include <filesystem>

#include "agents/check/lines.h"

namespace berth::agents {
namespace {

// The data folder, or the folder in which it would be made.
std::string place_of(const std::string& data) {
  std::error_code error;
  std::filesystem::path at = std::filesystem::absolute(data, error);
  while (at.has_parent_path() && at != at.parent_path() && !std::filesystem::is_directory(at, error))
    at = at.parent_path();
  return at.string();
}

}  // namespace

std::vector<CheckLine> check_machine(const std::string& data, const std::string& runtime) {
  const std::string place = place_of(data);
  return {check_root(),
          check_kernel(),
          check_cgroups(),
          check_runtime(runtime),
          check_tools(),
          check_overlay(place),
          check_user_namespaces(),
          check_id_maps(place),
          check_id_ranges(),
          check_loop_devices(),
          check_project_quota(place),
          check_clock(),
          check_room(place)};
}

}  // namespace berth::agents
