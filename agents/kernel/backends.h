// Opens the kernel backend and the image store of this machine. agents/runtime includes this header and the
// two interfaces, and no other of this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/kernel/backend.h"
#include "agents/kernel/image_store.h"

namespace berth::agents {

enum class BackendKind : std::uint8_t { kProcess, kOci };

// Whom kernels of the process backend run as.
struct ProcessUser {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};

// What a kernel that has egress is told of its way out, and of whom it may trust there.
struct EgressInside {
  std::vector<std::string> variables;  // "NAME=value"; a user's own of that name wins
  std::string ca_bundle;               // path on the host, bound at kCaBundleInside; empty: none
};
// Path of the operator's bundle of certificates in a kernel.
inline constexpr const char* kCaBundleInside = "/etc/berth/ca.crt";

inline constexpr std::uint32_t kUsualIdBase = 2'001'666'048;  // kImagesIdsBase

struct BackendConfig {
  BackendKind kind = BackendKind::kProcess;
  std::string data_folder;    // absolute; layers, ledgers and logs below it. One backend at a time.
  std::string fast_folder;    // records of live kernels; empty: as fast_folder.h chooses
  std::string launcher_path;  // berth-launcher; empty: beside this program
  std::string init_path;      // berth-init; empty: beside this program
  // process: root alone may name one, and has to: a user's program never runs as root. Without groups,
  // capabilities and new privileges.
  std::optional<ProcessUser> process_user;
  Duration keep_logs = 30 * kDay;  // of ended kernels, from their last line
  Amount disk_per_kernel = 0;      // oci: bytes that a kernel may write whose spec says nothing; 0: no bound
  std::string runtime;  // oci: runc or crun, or the path of either; empty: what is there, runc first
  EgressInside egress;  // oci
  // Host ids of the kernels' ids 0..id_count-1. The image store must have the same (ImageStoreConfig).
  std::uint32_t id_base = kUsualIdBase;
  std::uint32_t id_count = 65536;
};

// The ids for images in this folder, into `config`. Returns a warning for people, or "". Code: image-folder,
// no-id-range.
Result<std::string> choose_ids(const std::string& images, bool shared_ids, BackendConfig& config);

// Whether an agent has kept its ledger of kernels in this data folder.
bool holds_agent(const std::string& data_folder);
// Refuses a data folder without that ledger while kernels of an agent whose data folder has this path still
// run (left_kernels.h): its disk may not be mounted. `data_folder`: absolute. Makes nothing. Code:
// kernels-still-run.
Result<void> check_left_kernels(const std::string& data_folder);

// Starts the launcher: call it before any library thread exists. Codes: data-folder, data-folder-busy,
// launcher-not-started; oci also not-root, runtime-missing, no-cgroups, cgroup-controllers-missing; process
// also process-uid-missing, process-uid-wrong.
Result<std::unique_ptr<KernelBackend>> open_backend(BackendConfig config);

// Whether folders that lie where this one does can be mounted so that on disk the files belong to the range
// of agents/volumes/disk_owner.h. Needs root. Any thread. Codes: no-idmaps (the text says why),
// no-user-namespaces (so that nothing can be said of the folder, and no container starts).
Result<void> takes_idmaps(int folder);
inline constexpr const char* kUserNamespacesHint =
    "sysctl -w user.max_user_namespaces=15000, and that line in a file in /etc/sysctl.d";

struct ImageStoreConfig {
  std::string folder;  // absolute; made if missing
  std::uint32_t id_base = kUsualIdBase;
  std::uint32_t id_count = 65536;
  bool rootless = false;  // unpack without root: owners are not shifted
};

// Removes pulls that a crash cut short. Codes: image-folder, tool-missing (skopeo, umoci).
Result<std::unique_ptr<ImageStore>> open_image_store(ImageStoreConfig config);

}  // namespace berth::agents
