// ShimBackend: the backend over launcher and shims. Its KernelKind makes the kernels processes or containers.
//
//   agent's strand --commands--> worker thread --requests--> launcher --fork--> shim --> kernel
//                                     ^                                          |
//                                     +------ inotify on FAST/run <-- records ---+
//
// Truth is in files (shim/records.h); the worker's map only saves reading them. So a lost notification, a
// dead launcher and a new agent are one case: read again. A lock gives a data folder one backend at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "agents/kernel/claims.h"
#include "agents/kernel/kernel_kind.h"
#include "agents/kernel/launcher_client.h"
#include "agents/kernel/lease_file.h"
#include "events/base/files/descriptor.h"

namespace berth::agents {

struct ShimBackendConfig {
  shim::Folders folders;  // made if missing
  std::string launcher_path;
  Duration keep_logs = 30 * kDay;   // of kernels that were forgotten, from their last line
  shim::ScopeSettings scope = {};   // no name: the launcher stays in the agent's own cgroup
  Duration begin_max = kMinute;     // for the launcher to begin a start (launcher-silent)
  Duration end_max = 15 * kSecond;  // behind the grace, for a shim to end its kernel (kernel-stays)
};

class ShimBackend final : public KernelBackend {
 public:
  using MakeKind = std::function<Result<std::unique_ptr<KernelKind>>()>;

  // Starts the launcher. The kind is made and destroyed while the data folder is this backend's: a kind makes
  // and removes disks and cgroups that the folder's agent has. Codes: data-folder, data-folder-busy,
  // launcher-not-started, and those of `make_kind`.
  static Result<std::unique_ptr<KernelBackend>> open(ShimBackendConfig config, const MakeKind& make_kind);
  ~ShimBackend() override;

  const char* name() const override { return kind_->name(); }
  bool needs_image() const override { return kind_->needs_image(); }
  bool has_networks() const override { return kind_->has_networks(); }
  Result<Amount> disk_capacity() override { return kind_->disk_capacity(config_.folders.data); }
  Result<std::vector<RecoveredKernel>> recover(OnEvent on_event) override;
  void start(KernelSpec spec, std::string rootfs) override;
  void stop(const KernelKey& key, Duration grace) override;
  void forget(const KernelKey& key) override;
  void renew_leases(Timestamp lease_until) override;
  Timestamp leased_until() const override { return lease_.until(); }
  Result<LogPage> read_log(const KernelKey& key, std::int64_t offset, std::size_t max_bytes) override;
  Result<std::string> bare_rootfs() override { return kind_->bare_rootfs(); }
  Result<void> check_kept(const KernelSpec& spec, std::int64_t pid) const override {
    return kind_->check_kept(spec, pid);
  }
  std::string door(const KernelKey& key) const override;

 private:
  struct Start {
    KernelSpec spec;
    std::string rootfs;
    std::uint64_t lease_generation = 0;  // of the moment of start(): the worker may come to it much later
  };
  struct Stop {
    KernelKey key;
    Duration grace = 0;
  };
  struct Forget {
    KernelKey key;
  };
  using Command = std::variant<Start, Stop, Forget>;

  struct Claimed {
    std::string name;
    Descriptor disk;  // the mount of its file system, if it has one
  };

  struct Entry {
    KernelKey key;
    KernelEvent last;
    int shim = -1;                 // pidfd; -1: unknown or dead
    bool told = false;             // that it is being created: the agent knows the kernel
    std::optional<Duration> stop;  // the grace that was asked for last
    std::int64_t tell_at = 0;      // CLOCK_BOOTTIME: that its shim does not do so
    int silent_ticks = 0;          // without a known live shim
  };

  explicit ShimBackend(ShimBackendConfig config);
  Result<void> prepare_folder();
  shim::KernelFiles files_of(const std::string& name) const { return {config_.folders, name}; }

  // recover(), before the worker runs.
  void await_files();
  bool has_trace(const std::string& name) const;
  void find_without_trace(const std::string& name, Entry& entry);
  void recover_kernel(const std::string& name, std::vector<RecoveredKernel>& found);
  void drop_never_run(const std::string& name);
  void sweep_on();  // at the opening and every hour, on a thread of its own: a large tree takes long

  // Worker thread from here.
  void work();
  void post(Command command);
  void take_commands();
  void begin_start(const Start& start, std::vector<Claimed>& claimed);
  void do_stop(const Stop& stop);
  void do_forget(const Forget& forget);
  void read_notices();
  void look_at(const std::string& name);
  void shim_running(const std::string& name, Entry& entry);
  void kernel_ended(const std::string& name, Entry& entry);
  void follow_shim(Entry& entry, const shim::ProcessId& id);
  void ask_for_stop(const std::string& name, Entry& entry);
  bool is_stop_asked(const std::string& name) const;
  void record_end(const std::string& name, Entry& entry, const shim::ExitRecord& record);
  Result<void> make_folders();
  Result<void> check_room() const;
  void keep_folders();
  void end_lost(const std::string& name, Entry& entry);
  bool give_up_start(const std::string& name, Entry& entry);
  void tell_stays(const Entry& entry, const std::string& what, const char* hint);
  void tell_silent_shim(const std::string& name, Entry& entry);
  shim::ExitRecord end_of_lost() const;
  void shim_gone(int pidfd);
  void launcher_gone();
  void tick();
  void emit(const KernelEvent& event) { on_event_(event); }
  void refuse_start(const std::string& name, Entry& entry, Error error);
  void tell_forgotten(const std::string& name, Entry& entry);
  void keep_end(const std::string& name);
  void watch(int fd);

  ShimBackendConfig config_;
  Descriptor lock_, fast_lock_;  // of the data folder, and of the fast folder; they outlive the kind
  std::unique_ptr<KernelKind> kind_;
  LauncherClient launcher_;
  Claims claims_;
  LeaseFile lease_;
  OnEvent on_event_;
  // As read at the opening, and of kernels that were forgotten since.
  std::map<std::string, shim::ExitRecord> ends_;
  std::map<std::string, Entry> entries_;
  std::map<int, std::string> shims_;  // pidfd -> kernel
  int epoll_ = -1, notices_ = -1, wake_ = -1;
  int run_watch_ = -1;         // of notices_, on the folder run
  std::uint64_t run_ino_ = 0;  // of that folder

  std::mutex mutex_;  // guards commands_
  std::vector<Command> commands_;
  std::atomic<bool> closing_ = false;
  std::condition_variable closed_;
  std::thread worker_, sweeper_;
};

// The exit record of a shim as an event.
KernelEvent event_of(const KernelKey& key, const shim::ExitRecord& record);

}  // namespace berth::agents
