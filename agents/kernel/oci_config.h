// The config.json of a kernel's container, by the OCI runtime specification 1.0.2.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>

#include "agents/kernel/backend.h"
#include "agents/kernel/backends.h"
#include "agents/kernel/cgroup_layout.h"
#include "agents/kernel/image/image_process.h"

namespace berth::agents {

// Path of the agent's own program inside a kernel.
inline constexpr const char* kInitInside = "/run/berth/init";

struct OciSettings {
  std::string root;         // mount point of the overlay, on the host
  std::string init_path;    // berth-init, on the host
  std::string kernel_dir;   // on the host, with the files `hosts` and `hostname`
  std::string cgroup_path;  // "/berth-1a2b/KEY/kernel", below each hierarchy
  std::uint32_t id_base = kUsualIdBase;
  std::uint32_t id_count = 65536;
  bool limits_swap = true;
  ImageProcess image;                   // its environment is overridden by the spec's
  EgressInside egress = {};             // of kernels that have it; overrides the image's environment
  std::uint64_t files_hard = 1 << 20;   // open files of a process, at most
  std::uint64_t locked_hard = 8 << 20;  // bytes that a process may lock in memory
};

// Pure: the same arguments give the same object.
boost::json::object make_oci_config(const KernelSpec& spec, const OciSettings& settings);

}  // namespace berth::agents
