#include "agents/runtime/agent_machinery.h"

#include <unistd.h>

#include <filesystem>

#include "agents/kernel/backends.h"
#include "agents/kernel/fake_backend.h"
#include "agents/volumes/disk_owner.h"
#include "events/base/files/private_files.h"
#include "events/base/secrets.h"

namespace berth::agents {
namespace {

AgentMachinery fake_machinery() {
  AgentMachinery machinery;
  auto fake = std::make_unique<FakeBackend>();
  machinery.pump = [backend = fake.get()](Instant now) { backend->pump(now); };
  machinery.backend = std::move(fake);
  return machinery;
}

// The list of a person replaces what settings allow and what would be searched for.
RegistrySettings registries_of(const AgentConfig& config) {
  RegistrySettings registries = read_registry_settings(own_places());
  if (config.egress_allow.empty()) return registries;
  if (auto list = parse_allow_list(config.egress_allow)) registries.allowed = std::move(*list);
  registries.indexes.clear();
  registries.asks_pip = registries.asks_npm = false;
  return registries;
}

Result<std::unique_ptr<Volumes>> open_volumes(const AgentConfig& config, const BackendConfig& backend,
                                              std::function<void(LogLevel, const std::string&)> say) {
  static SystemRandom random;
  VolumeSettings settings;
  settings.places = config.volumes;
  settings.known = backend.data_folder + "/known-volumes";
  settings.shared_ids = config.shared_ids;
  settings.shared_owner = backend.id_base + (kFolderUid - kDiskBase);
  return Volumes::open(settings, {random, takes_idmaps, [say = std::move(say)](const std::string& text) {
                                    say(LogLevel::kWarning, text);
                                  }});
}

}  // namespace

Result<AgentMachinery> open_machinery(const AgentConfig& config,
                                      std::function<void(LogLevel, const std::string&)> say) {
  std::error_code error;
  const std::filesystem::path data = std::filesystem::absolute(config.data, error);
  if (error)
    return make_error("data-folder-failed", config.data + ": " + error.message(),
                      "choose another folder with --data");
  if (auto made = make_private_folder(data.string()); !made) return made.error();
  if (config.backend != "oci" && !config.volumes.empty())
    return make_error("not-for-this-backend",
                      "this agent's backend is '" + config.backend + "', whose kernels can have no folders",
                      "leave the volumes out, or: --backend oci");
  if (config.backend == "fake") return fake_machinery();
  if (config.backend != "oci" && config.backend != "process")
    return make_error("backend-unknown", "'" + config.backend + "' is no kernel backend",
                      "oci, process or fake");

  AgentMachinery machinery;
  BackendConfig backend;
  backend.kind = config.backend == "oci" ? BackendKind::kOci : BackendKind::kProcess;
  backend.data_folder = data.string();
  backend.process_user = config.process_user;
  backend.runtime = config.runtime;
  backend.keep_logs = config.keep_logs_days * kDay;
  backend.disk_per_kernel = config.disk_per_kernel;
  if (backend.kind == BackendKind::kOci) {
    machinery.registries = registries_of(config);
    auto bundle = copy_bundle(*machinery.registries, data.string());
    if (!bundle) machinery.registries->notes.push_back(bundle.error().message);
    if (bundle) backend.egress.ca_bundle = *bundle;
    backend.egress.variables = egress_variables(*machinery.registries, !backend.egress.ca_bundle.empty());
  }
  const std::string images_folder = config.images.empty() ? (data / "images").string() : config.images;
  if (backend.kind == BackendKind::kOci) {
    const auto warning = choose_ids(images_folder, config.shared_ids, backend);
    if (!warning) return warning.error();
    if (!warning->empty()) say(LogLevel::kWarning, *warning);
  }
  auto opened = open_backend(backend);
  if (!opened) return opened.error();
  machinery.backend = std::move(*opened);
  if (!machinery.backend->needs_image()) return machinery;
  ImageStoreConfig images;
  images.folder = images_folder;
  images.id_base = backend.id_base;
  images.id_count = backend.id_count;
  images.rootless = geteuid() != 0;
  auto store = open_image_store(images);
  if (!store) return store.error();
  machinery.images = std::move(*store);
  if (config.volumes.empty()) return machinery;
  auto volumes = open_volumes(config, backend, std::move(say));
  if (!volumes) return volumes.error();
  machinery.volumes = std::move(*volumes);
  return machinery;
}

}  // namespace berth::agents
