#include "agents/kernel/backends.h"

#include <unistd.h>

#include <filesystem>

#include "agents/kernel/cgroup_layout.h"
#include "agents/kernel/fast_folder.h"
#include "agents/kernel/host/image_ids.h"
#include "agents/kernel/id_ranges.h"
#include "agents/kernel/kernel_kind.h"
#include "agents/kernel/shim_backend.h"

namespace berth::agents {
namespace {

std::string beside_this_program(const char* name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / name).string();
}

Result<void> check_process_user(const std::optional<ProcessUser>& user) {
  constexpr const char* kHint = "--process-uid 65534 (nobody), or another user without rights";
  const bool root = geteuid() == 0;
  if (root && !user)
    return make_error("process-uid-missing", "the process backend would run users' programs as root", kHint);
  if (user && (user->uid == 0 || user->gid == 0))
    return make_error("process-uid-wrong", "users' programs do not run as root", kHint);
  if (user && !root)
    return make_error("process-uid-wrong", "only root can run users' programs as somebody else",
                      "leave --process-uid out: they run as this user, or run the agent as root");
  return {};
}

std::unique_ptr<KernelKind> make_process(const BackendConfig& config) {
  ProcessKindConfig kind{config.init_path, config.process_user, ""};
  if (const auto cgroups = read_cgroup_layout(); geteuid() == 0 && cgroups.ok())
    kind.cgroup = (cgroups->unified.empty() ? cgroups->memory_root : cgroups->unified) +
                  agent_cgroup(*cgroups, config.data_folder);
  return make_process_kind(std::move(kind));
}

Result<std::unique_ptr<KernelKind>> make_kind(const BackendConfig& config) {
  if (config.kind == BackendKind::kProcess) return make_process(config);
  return make_oci_kind({{config.data_folder, config.fast_folder},
                        config.init_path,
                        config.runtime,
                        config.id_base,
                        config.id_count,
                        config.disk_per_kernel,
                        config.egress});
}

shim::ScopeSettings scope_settings(const std::string& data_folder) {
  const auto layout = read_cgroup_layout();
  return {scope_of_agent(data_folder), layout.ok() && layout->v2 ? layout->unified : "", all_pids_max()};
}

}  // namespace

static_assert(kUsualIdBase == kImagesIdsBase);

Result<std::string> choose_ids(const std::string& images, bool shared_ids, BackendConfig& config) {
  auto ids = choose_image_ids(images, config.id_count, shared_ids, read_given_ids());
  if (!ids.ok()) return ids.error();
  config.id_base = ids->base;
  return std::move(ids->warning);
}

Result<std::unique_ptr<KernelBackend>> open_backend(BackendConfig config) {
  if (config.launcher_path.empty()) config.launcher_path = beside_this_program("berth-launcher");
  if (config.init_path.empty()) config.init_path = beside_this_program("berth-init");
  for (const std::string& program : {config.launcher_path, config.init_path})
    if (access(program.c_str(), X_OK) != 0)
      return make_error("launcher-not-started", program + " is not there or cannot be run");
  if (config.data_folder.empty() || config.data_folder[0] != '/')
    return make_error("data-folder", "the agent's data folder must be an absolute path");
  if (config.fast_folder.empty()) {
    auto chosen = fast_folder_for(config.data_folder);
    if (!chosen.ok()) return chosen.error();
    config.fast_folder = *chosen;
    if (*chosen != config.data_folder) sweep_fast_folders(std::filesystem::path(*chosen).parent_path());
  }
  if (config.kind == BackendKind::kProcess)
    if (auto right = check_process_user(config.process_user); !right.ok()) return right.error();
  const shim::Folders folders{config.data_folder, config.fast_folder};
  return ShimBackend::open(
      {folders, config.launcher_path, config.keep_logs, scope_settings(config.data_folder)},
      [&config] { return make_kind(config); });
}

}  // namespace berth::agents
