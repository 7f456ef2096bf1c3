// Kernels as OCI containers.
#pragma once

#include <memory>
#include <string>

#include "agents/kernel/kernel_kind.h"

namespace berth::agents {

struct OciKindConfig {
  shim::Folders folders;
  std::string init_path;
  std::string runtime = "runc";
  std::uint32_t id_base = 100000;
  std::uint32_t id_count = 65536;
  std::int64_t disk_per_kernel = 0;  // bytes that a kernel may write; 0: no bound
};

// Codes: not-root, runtime-missing, no-cgroups, and DiskPool's.
Result<std::unique_ptr<KernelKind>> make_oci_kind(OciKindConfig config);

}  // namespace berth::agents
