// KernelKind: the difference between backends whose kernels are processes and those whose kernels are
// containers. Everything else is the same for both (shim_backend.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "agents/kernel/backend.h"
#include "agents/kernel/backends.h"
#include "agents/kernel/shim/records.h"
#include "events/base/files/descriptor.h"

namespace berth::agents {

struct PreparedKernel {
  shim::ShimSpec spec;
  Descriptor disk;  // the mount of spec.disk, if it is mounted already
};

// Called on the backend's thread.
class KernelKind {
 public:
  virtual ~KernelKind() = default;
  virtual const char* name() const = 0;
  virtual bool needs_image() const = 0;
  virtual bool has_networks() const = 0;
  // As KernelBackend::disk_capacity; any thread. `data`: the folder of the backend.
  virtual Result<Amount> disk_capacity(const std::string& data) = 0;
  // Writes the kernel's files into its (existing, empty) folder. An error becomes kStartFailed with its code.
  virtual Result<PreparedKernel> prepare(const KernelSpec& spec, const std::string& rootfs,
                                         const shim::KernelFiles& files) = 0;
  // As KernelBackend::bare_rootfs and check_kept; any thread.
  virtual Result<std::string> bare_rootfs() { return std::string(); }
  virtual Result<void> check_kept(const KernelSpec&, std::int64_t /*pid*/) const { return {}; }
  // A kernel of an agent before this one, by its name (kernel_name.h).
  virtual void found(const std::string&, const shim::ShimSpec&) {}
  // Ends what still runs of a kernel of whose files nothing is left; waits for about two seconds. False:
  // something is left.
  virtual bool end_leftovers(const std::string& kernel) = 0;
  // Nothing is left of the kernel.
  virtual void forgotten(const std::string&) {}
};

// The spec's environment as "NAME=value", with defaults for PATH and HOSTNAME.
std::vector<std::string> environment_of(const KernelSpec& spec);

struct ProcessKindConfig {
  std::string init_path;
  std::optional<ProcessUser> user;  // absent: the agent's own
  // Folder of the agent's cgroup, made if missing, which holds one of each kernel; it ends with all that is
  // in it. Empty, or not to be made: kernels get none, and what survives a dead shim is known by its
  // environment.
  std::string cgroup;
};

// Runs the command as a child of the shim, in a folder that all kernels share, with no limits. Needs neither
// root nor image.
std::unique_ptr<KernelKind> make_process_kind(ProcessKindConfig config);

struct OciKindConfig {
  shim::Folders folders;
  std::string init_path;
  std::string runtime;  // as BackendConfig's
  std::uint32_t id_base = kUsualIdBase;
  std::uint32_t id_count = 65536;
  std::int64_t disk_per_kernel = 0;  // bytes that a kernel may write whose spec says nothing; 0: no bound
  EgressInside egress = {};
};

// Codes: not-root, runtime-missing, no-cgroups, cgroup-controllers-missing, and DiskPool's.
Result<std::unique_ptr<KernelKind>> make_oci_kind(OciKindConfig config);

}  // namespace berth::agents
