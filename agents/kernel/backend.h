// KernelBackend: starts, stops and follows the kernels of an agent.
//
// Implementations: `oci` (runc under a shim per kernel), `process` (no root, no image), `fake` (tests,
// simulation, scale; in memory, says so in its name). One contract suite
// (tests/contract/kernel_backend_contract.h) runs on all.
//
// A kernel is named by (kernel id, attempt). A shim per kernel outlives agent and launcher and keeps the exit
// code on disk (P23), so after any crash recover() finds the running kernels and those that ended meanwhile.
//
// Calls return at once and never block on a container; results come as KernelEvent on a thread of the
// backend's own (the fake: inside pump()). Threads: calls from the agent's strand only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/base/amount.h"
#include "events/base/clock.h"
#include "events/base/result.h"
#include "events/base/uuid.h"

namespace berth::agents {

struct KernelKey {
  KernelId kernel;
  std::uint32_t attempt = 0;  // counts from 1
  auto operator<=>(const KernelKey&) const = default;
};

// A part of a device, as placed: "0.5 of cuda.shares on gpu0".
struct DeviceGrant {
  std::string device;  // the device's id as the agent reported it
  std::string slot;    // "cuda.shares"
  Amount amount = 0;   // micro-units
};

// What a kernel reaches of the internet.
enum class Egress : std::uint8_t {
  kNone,
  kRegistries,  // package registries, by names that the agent's operator allows
};

// A folder of a volume in a kernel, at /home/work/TARGET.
struct FolderMount {
  std::string volume_root;  // absolute path of the volume on this agent
  std::string folder;       // 32 hex digits: VOLUME_ROOT/folders/FOLDER
  std::string target;       // one path component
  bool read_only = false;
  // The volume's file system takes no idmapped mounts, and the agent was told to do without: on disk the
  // files belong to the ids of kernels.
  bool shared_ids = false;
  // Its owner's automatic folder, at kAutomaticTarget: made where it is not there, and left out where it
  // cannot be mounted; the kernel's output then says why.
  bool automatic = false;
};
inline constexpr std::size_t kFolderMountsMax = 16;  // of one kernel, beside the automatic one
inline constexpr const char* kAutomaticTarget = ".automatic";

struct KernelSpec {
  KernelKey key;
  SessionId session;
  std::string session_name;
  std::string role;         // "main", "sub"
  std::uint32_t index = 1;  // within the role, from 1
  std::string hostname;     // "main1"
  std::string image;        // canonical reference as ordered, e.g. "python:3.11"; empty: process backend only
  Amount cpu = 0;           // micro-units: 500000 = half a core, as a quota
  Amount mem = 0;           // bytes, /dev/shm included
  Amount shm = 0;           // bytes of /dev/shm
  Amount disk = 0;          // bytes that it may write; 0: the backend's own bound
  Amount disk_slot = 0;     // what it holds of the slot, and then `disk` too; 0: its session holds none
  Egress egress = Egress::kNone;
  std::uint32_t pids_max = 4096;
  std::vector<DeviceGrant> devices;
  std::vector<std::pair<std::string, std::string>>
      env;                           // complete: BERTH_*, NVIDIA_VISIBLE_DEVICES, OMP_NUM_THREADS, user's
  std::vector<std::string> command;  // empty: an interactive kernel, which waits until it is ended
  std::vector<FolderMount> mounts;   // at most kFolderMountsMax, and one automatic; oci only
  // Set for kernels of requeueable sessions (P24): CLOCK_BOOTTIME ns after which the kernel must not run. The
  // shim starts no kernel past its deadline and ends the kernel when the deadline passes without renewal.
  std::optional<Timestamp> lease_until;
};

enum class KernelEnd : std::uint8_t {
  kExited,       // exit_code is the program's; 127: its command was not found, 126: it cannot be run (as in a
                 // shell)
  kSignalled,    // exit_code is 128 + signal
  kOutOfMemory,  // killed by the host's kernel at the memory limit
  kStopped,      // ended by stop()
  kLeaseOver,    // ended by the shim when the lease was over
  kMachineStopped,  // ended because the machine was shut down, restarted or lost its power
  kStartFailed,     // never ran; error says why
  kResultUnknown,   // ran and ended, and nobody saw how (P23)
};

struct KernelEvent {
  // kStays: processes of the kernel were killed and do not end, which `error` says; it is told again and
  // again.
  enum class What : std::uint8_t { kCreating, kRunning, kStays, kEnded } what = What::kCreating;
  KernelKey key;
  Timestamp started_at = 0;  // wall clock, kRunning and kEnded
  Timestamp ended_at = 0;
  std::int64_t pid = 0;  // host pid of the kernel's init, kRunning
  KernelEnd end = KernelEnd::kExited;
  int exit_code = 0;
  Error error;  // kStartFailed, kStays: stable code and text
};

// What a kernel has of the machine.
struct KernelHolding {
  std::string session_name;
  Amount cpu = 0;
  Amount mem = 0;
  std::vector<DeviceGrant> devices;
  Amount disk = 0;
};

// The last event of a kernel that was not forgotten.
struct RecoveredKernel : KernelEvent {
  std::optional<KernelHolding> holding;  // absent: its record is damaged
  Egress egress = Egress::kNone;
};

// A page of a kernel's output (stdout and stderr together).
struct LogPage {
  std::string bytes;
  std::uint64_t next = 0;  // offset to go on from
  bool ended = false;      // the kernel ended and `next` is the end
};

class KernelBackend {
 public:
  using OnEvent = std::function<void(const KernelEvent&)>;

  virtual ~KernelBackend() = default;
  virtual const char* name() const = 0;  // "oci", "process", "fake"
  virtual bool needs_image() const = 0;
  // True: what listens in a kernel listens in a network of that kernel alone. False: in the host's.
  virtual bool has_networks() const { return false; }
  // Bytes that all kernels together may write beside their folders: what the agent offers of the slot `disk`.
  // 0: it offers none. Any thread. Codes: tool-missing, data-folder, disk-full (no bound can be kept here).
  virtual Result<Amount> disk_capacity() { return Amount{0}; }

  // First call: finds the kernels of earlier lives and follows them again; their later events come through
  // `on_event`. A damaged recovery file never fails the whole: its kernel is found running, its processes are
  // ended, then kEnded comes with kResultUnknown. A kernel whose start was cut short before its first
  // instruction is not found and may be ordered again; kCreating was not told of such a one.
  virtual Result<std::vector<RecoveredKernel>> recover(OnEvent on_event) = 0;

  // `rootfs`: the unpacked image (read-only lower layer) from the image store; empty for backends that need
  // none. Every outcome is an event; starting a key that exists already is a no-op. The claim is on disk
  // before anything runs: after any crash, also of the machine, recover() finds a key that may have run, and
  // the key never runs again. Nor does a key that was forgotten, unless 1,024 were forgotten since (the
  // trial's may): its end is told again, or that it is unknown.
  virtual void start(KernelSpec spec, std::string rootfs) = 0;
  // SIGTERM to the kernel's program, SIGKILL to all of it after `grace`; then kEnded. Unknown keys: no-op.
  virtual void stop(const KernelKey& key, Duration grace) = 0;
  // Removes the files of an ended kernel but its log. A no-op if the kernel has not ended.
  virtual void forget(const KernelKey& key) = 0;
  // Sets the deadline of every kernel that has one. Cheap: called at each acknowledged beat.
  virtual void renew_leases(Timestamp lease_until) = 0;
  // The latest deadline that a kernel may have, of an earlier life too; boottime, 0: none has any.
  virtual Timestamp leased_until() const = 0;
  // At most max_bytes (<= 1 MiB) from `offset`; a negative offset counts from the end. Code unknown-kernel.
  virtual Result<LogPage> read_log(const KernelKey& key, std::int64_t offset, std::size_t max_bytes) = 0;
  // ---- the trial: a kernel of the agent's own, which shows whether kernels can start (trial.h) ----
  // For start() of a kernel that has nothing but our init: made if it is missing; empty: the backend needs
  // none. Any thread. Code data-folder.
  virtual Result<std::string> bare_rootfs() { return std::string(); }
  // Whether the machine keeps the limits and walls that this spec of a running kernel asks for, as its kernel
  // shows them for `pid`, the kernel's init. Any thread. Codes: limit-not-kept, wall-missing.
  virtual Result<void> check_kept(const KernelSpec&, std::int64_t /*pid*/) const { return {}; }
  // Where Channel::open() comes into the kernel, as long as it runs; empty: nothing comes into
  // kernels of this backend. Any thread.
  virtual std::string door(const KernelKey&) const { return {}; }
};

}  // namespace berth::agents
