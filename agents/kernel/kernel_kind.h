// KernelKind: the difference between backends whose kernels are processes and those whose kernels are
// containers. Everything else is the same for both (shim_backend.h).
#pragma once

#include <memory>
#include <string>

#include "agents/kernel/backend.h"
#include "agents/kernel/shim/records.h"

namespace berth::agents {

// Called on the backend's thread.
class KernelKind {
 public:
  virtual ~KernelKind() = default;
  virtual const char* name() const = 0;
  virtual bool needs_image() const = 0;
  // Writes the kernel's files into its (existing, empty) folder and returns the spec for its shim. An error
  // becomes kStartFailed with its code.
  virtual Result<shim::ShimSpec> prepare(const KernelSpec& spec, const std::string& rootfs,
                                         const shim::KernelFiles& files) = 0;
};

// The spec's environment as "NAME=value", with defaults for PATH and HOSTNAME.
std::vector<std::string> environment_of(const KernelSpec& spec);

// Runs the command as a child of the shim, in a folder of its own, with no limits. Needs neither root nor
// image.
std::unique_ptr<KernelKind> make_process_kind(std::string init_path);

}  // namespace berth::agents
