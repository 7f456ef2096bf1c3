// Records: the small files by which shim, launcher and agent tell each other about a kernel, each written
// aside and renamed.
//
// The files are the whole protocol between the three, so that each of them may die at any moment (P23): its
// successor reads the files. Standard library only: the launcher's binary links nothing else.
//
// In the data folder, on disk:
//   layers/KEY/       a container's own overlay layer
//   disks/KEY.img     the file system that this layer is in, where kernels' disks are bounded
//   logs/KEY.log.N    output in segments of kLogSegment bytes, the last kLogSegments of them
//   ends              an exit record a line, appended by each shim, for after a power failure
//   claims            ledger of the started kernels, for after a power failure (claims.h)
//   lease             deadline of all kernels that have one
// In the fast folder, in memory where possible (a new file costs 0.5 ms on some disks, and none of these
// outlives a boot):
//   kernels/KEY/      spec, lock (held by the live shim), out (the output pipe), stop (a request), bundle,
//                     init (a container's end, written by its init, which alone has it open),
//                     door (door.h), helper (state record of a process kernel's helper)
//   run/KEY.state     written before the first instruction: this (kernel, attempt) never runs again
//   run/KEY.exit      the end, written once
// When somebody removes these files while the kernel runs, the kernel's shim makes them again within
// kKeepFilesMs.
//
// KEY = "<kernel uuid>.<attempt>". A record is fields (events/inside/fields.h).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/inside/fields.h"

namespace berth::agents::shim {

inline constexpr std::int64_t kLogSegment = 4 << 20;  // bytes
inline constexpr std::int64_t kLogSegments = 4;       // kept: 12 to 16 MiB of the newest output
// oom_score_adj of a kernel's processes, however its agent was started: where the machine itself has no
// memory left a kernel goes before what the machine needs.
inline constexpr int kKernelOomScore = 500;
inline constexpr int kShimOomScore = -900;  // of root's: who ends kernels goes last
inline constexpr int kExitFd = 3;           // on which a container's init writes its end
inline constexpr int kDoorFd = 4;           // the door, for a container's init or a helper
// Files that a program in a kernel may open before it asks for more, as everywhere: some close, or make room
// for, every number up to there.
inline constexpr std::uint64_t kFilesSoft = 1024;
inline constexpr std::uint64_t kFilesHard = 524'288;  // and no more, whatever the agent itself may open
inline constexpr int kKeepFilesMs = 3000;             // a shim looks that often for its kernel's files
inline constexpr int kExitShimBusy = 3;               // exit code of a shim that found another at work

inline constexpr const char* kNameOfData =
    "/data-folder";  // in a fast folder, apart: which data folder it is of

// The agent's folders, absolute; the same one twice if there is no faster one.
struct Folders {
  std::string data;
  std::string fast;

  std::string lease() const { return data + "/lease"; }
  std::string ends() const { return data + "/ends"; }
  std::string claims() const { return data + "/claims"; }
  std::string disks() const { return data + "/disks"; }
  std::string home() const { return data + "/home"; }  // current folder of process kernels
};

// Paths of one kernel.
struct KernelFiles {
  Folders folders;
  std::string key;

  std::string dir() const { return folders.fast + "/kernels/" + key; }
  std::string in(std::string_view name) const { return dir() + "/" + std::string(name); }
  std::string state() const { return folders.fast + "/run/" + key + ".state"; }
  std::string exit() const { return folders.fast + "/run/" + key + ".exit"; }
  std::string layers() const { return folders.data + "/layers/" + key; }
  std::string disk() const { return folders.disks() + "/" + key + ".img"; }
  std::string log(std::int64_t segment) const {
    return folders.data + "/logs/" + key + ".log." + std::to_string(segment);
  }
};

// What the kernel has of the machine, for an agent that finds it running.
struct HoldingRecord {
  struct Grant {
    std::string device, slot;
    std::int64_t amount = 0;
  };
  std::string session_name;
  std::int64_t cpu = 0;
  std::int64_t mem = 0;
  std::vector<Grant> devices;
  std::int64_t disk = 0;  // of the slot
};

inline constexpr const char* kFoldersInside = "/home/work";  // the place of folders in a kernel

// A folder of a volume in a kernel (backend.h).
struct FolderRecord {
  std::string root;    // of the volume, on the host
  std::string folder;  // 32 hex digits
  std::string target;  // its name below kFoldersInside
  bool read_only = false;
  bool shared_ids = false;
  bool automatic = false;  // made where it is not there, left out where it cannot be mounted

  bool operator==(const FolderRecord&) const = default;
};

struct ShimSpec {
  bool oci = false;
  std::vector<std::string> args;   // empty: wait until ended (a process kernel runs `init`)
  std::vector<std::string> env;    // process only; oci: in config.json
  std::string init;                // path of berth-init
  std::uint32_t uid = 0, gid = 0;  // process: as whom, 0: as the shim; oci: the image's user, as host ids
  std::int64_t lease_until = 0;    // CLOCK_BOOTTIME ns, 0 = none
  std::uint64_t lease_generation = 0;
  std::vector<std::string> cgroups;  // the kernel's folder in each hierarchy, removed after its end
  std::optional<HoldingRecord> holding;
  bool egress = false;  // the agent that follows it keeps a way to registries open
  std::string runtime;  // oci from here: "runc"
  std::string runtime_root;
  std::string lower;        // unpacked image
  std::string mount_point;  // of the overlay, in the shim's own mount namespace
  std::string disk;         // file system of the layer; empty: the folder itself
  std::string oom_file;     // memory.oom_control or memory.events
  std::string cpu_cgroup;   // the kernel's folder in the hierarchy of the cpu controller (own_cgroup.h)
  std::uint32_t id_base = 0, id_count = 0;  // host ids of the kernel's ids
  // Whom files of the image belong to on disk, if not to these ids; 0: to these.
  std::uint32_t image_base = 0;
  std::vector<FolderRecord> folders;
};
// A process kernel's environment has this entry.
std::string environment_mark(const std::string& key);
std::string encode(const ShimSpec& spec);
std::optional<ShimSpec> decode_spec(std::string_view bytes);

// Names a process, and no later one with the same pid.
struct ProcessId {
  std::int64_t pid = 0;
  std::uint64_t start = 0;  // field 22 of /proc/PID/stat
};

struct StateRecord {
  bool running = false;  // false: the runtime is at work
  ProcessId main;        // the kernel's process (PID 1 inside)
  ProcessId runtime;     // oci, while not running
  ProcessId shim;
  std::int64_t started_at = 0;  // wall clock, ns
  std::string boot;             // boot id: pids of an earlier boot mean nothing
  std::string stays = {};       // for people: what was killed and does not end; empty: nothing
};
std::string encode(const StateRecord& record);
std::optional<StateRecord> decode_state(std::string_view bytes);

// The record of a running kernel whose process and start are still to be set. Its length is fixed: a child of
// vfork() sets them without memory of its own.
class StateDraft {
 public:
  explicit StateDraft(StateRecord record);
  // Async-signal-safe.
  void set(const ProcessId& main, std::int64_t started_at);
  std::string_view bytes() const { return bytes_; }

 private:
  void write_number(std::size_t at, std::uint64_t number);

  std::string bytes_;
  std::size_t started_at_ = 0, pid_ = 0, start_ = 0;  // where the numbers are
};

struct ExitRecord {
  std::string end = "exited";  // exited, signalled, out-of-memory, stopped, lease-over,
                               // machine-stopped, start-failed, unknown
  int code = 0;
  std::int64_t started_at = 0;
  std::int64_t ended_at = 0;
  std::string error_code;
  std::string error;
};
std::string encode(const ExitRecord& record);
std::optional<ExitRecord> decode_exit(std::string_view bytes);
// One line of the file `ends`: "KEY how code started_at ended_at checksum\n".
std::string encode_end(const std::string& key, const ExitRecord& record);
// False for a line with a wrong checksum.
bool decode_end(std::string_view line, std::string& key, ExitRecord& record);

// The lease file: 16 bytes {generation, deadline}, written in place by the agent. If the deadline passes
// before it is renewed, a new generation starts, and the kernels of the old one are over: a lease never
// revives (P24).
struct Lease {
  std::uint64_t generation = 0;
  std::int64_t until = 0;
};
// Async-signal-safe.
std::optional<Lease> read_lease(const std::string& path);
// When the kernel's lease ends by the spec and the lease file: CLOCK_BOOTTIME ns, kNoLease if the kernel
// needs none, 0 if the lease is of a generation that is over. Async-signal-safe.
inline constexpr std::int64_t kNoLease = std::numeric_limits<std::int64_t>::max();
std::int64_t lease_deadline(const ShimSpec& spec, const std::string& lease_path);

}  // namespace berth::agents::shim
