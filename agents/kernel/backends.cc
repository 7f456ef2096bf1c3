#include "agents/kernel/backends.h"

#include <unistd.h>

#include <filesystem>

#include "agents/kernel/fast_folder.h"
#include "agents/kernel/kernel_kind.h"
#include "agents/kernel/oci_kind.h"
#include "agents/kernel/shim_backend.h"

namespace berth::agents {
namespace {

std::string beside_this_program(const char* name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / name).string();
}

}  // namespace

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
  }
  const shim::Folders folders{config.data_folder, config.fast_folder};
  ShimBackendConfig shim{folders, config.launcher_path};
  if (config.kind == BackendKind::kProcess)
    return ShimBackend::open(std::move(shim), make_process_kind(config.init_path));
  auto kind = make_oci_kind({folders, config.init_path, config.runtime, config.id_base, config.id_count});
  if (!kind.ok()) return kind.error();
  return ShimBackend::open(std::move(shim), std::move(*kind));
}

}  // namespace berth::agents
