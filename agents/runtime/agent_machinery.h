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

namespace berth::agents {

struct AgentMachinery {
  std::unique_ptr<KernelBackend> backend;
  std::unique_ptr<ImageStore> images;  // null where the backend needs none
  std::function<void(Instant)> pump;   // for AgentParts::pump
  // What kernels with egress may reach; absent: the backend has no networks.
  std::optional<RegistrySettings> registries;
};

// Makes the folder config.data if it is missing. Codes: backend-unknown, data-folder-failed, and those of the
// backend and image store.
Result<AgentMachinery> open_machinery(const AgentConfig& config);

}  // namespace berth::agents
