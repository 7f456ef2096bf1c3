// Opens the kernel backend and image store of an agent, by its configuration. Call open_machinery() before
// any library thread exists: it starts the launcher (PITFALLS: librdkafka is not fork-safe).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agents/egress/registry_settings.h"
#include "agents/kernel/backend.h"
#include "agents/kernel/image_store.h"
#include "agents/runtime/agent_config.h"
#include "agents/volumes/volumes.h"

namespace berth::agents {

struct AgentMachinery {
  std::unique_ptr<KernelBackend> backend;
  std::unique_ptr<ImageStore> images;  // null where the backend needs none
  std::function<void(Instant)> pump;   // for AgentParts::pump
  std::unique_ptr<Volumes> volumes;    // null: none is configured
  // What kernels with egress may reach; absent: the backend has no networks.
  std::optional<RegistrySettings> registries;
};

// Makes the folder config.data if it is missing. Codes: backend-unknown, data-folder-failed,
// not-for-this-backend (volumes), and those of the backend, image store and Volumes::open(). `say` is told of
// the volumes later, on any thread.
Result<AgentMachinery> open_machinery(const AgentConfig& config,
                                      std::function<void(LogLevel, const std::string&)> say);

}  // namespace berth::agents
