// The calls of the interface, the data folder and recovery. The worker thread is in shim_worker.cc.
#include "agents/kernel/shim_backend.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>

#include "agents/kernel/ends_file.h"
#include "agents/kernel/fast_folder.h"
#include "agents/kernel/kernel_name.h"
#include "agents/kernel/log_reader.h"
#include "agents/kernel/shim/machine_stop.h"
#include "agents/kernel/shim/remove_tree.h"
#include "agents/kernel/shim/system.h"
#include "agents/kernel/sweep.h"

namespace berth::agents {
namespace fs = std::filesystem;
namespace {

constexpr auto kSweepEvery = std::chrono::hours(1);

KernelHolding holding_of(const shim::HoldingRecord& record) {
  KernelHolding holding{record.session_name, record.cpu, record.mem, {}, record.disk};
  for (const auto& [device, slot, amount] : record.devices) holding.devices.push_back({device, slot, amount});
  return holding;
}

}  // namespace

ShimBackend::ShimBackend(ShimBackendConfig config)
    : config_(std::move(config)), launcher_(config_.launcher_path, config_.folders, config_.scope) {}

Result<std::unique_ptr<KernelBackend>> ShimBackend::open(ShimBackendConfig config,
                                                         const MakeKind& make_kind) {
  std::unique_ptr<ShimBackend> backend(new ShimBackend(std::move(config)));
  if (auto ready = backend->prepare_folder(); !ready.ok()) return ready.error();
  auto kind = make_kind();
  if (!kind.ok()) return kind.error();
  backend->kind_ = std::move(*kind);
  if (auto spawned = backend->launcher_.spawn(); !spawned.ok()) return spawned.error();
  return std::unique_ptr<KernelBackend>(std::move(backend));
}

Result<void> ShimBackend::prepare_folder() {
  const std::string& root = config_.folders.data;
  notices_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (auto made = make_folders(); !made.ok()) return made.error();
  lock_ = Descriptor(shim::take_lock(root + "/backend.lock"));
  if (!lock_)
    return make_error("data-folder-busy", "another agent uses " + root,
                      "stop it, or give this one a folder of its own");
  if (auto opened = claims_.open(config_.folders.claims()); !opened.ok()) return opened.error();
  if (auto opened = lease_.open(config_.folders.lease()); !opened.ok()) return opened.error();
  std::set<std::string> kept = claims_.names();
  kept.insert(claims_.forgotten().begin(), claims_.forgotten().end());
  auto ends = open_ends(config_.folders.ends(), kept);
  if (!ends.ok()) return ends.error();
  ends_ = std::move(*ends);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (epoll_ < 0 || wake_ < 0) return make_error("data-folder", "no descriptor is left to watch " + root);
  watch(wake_);
  watch(notices_);
  return {};
}

// Those of the fast folder are made again where somebody removes them, and watched.
Result<void> ShimBackend::make_folders() {
  const std::string &root = config_.folders.data, &fast = config_.folders.fast, run = fast + "/run";
  std::error_code error;
  if (fast != root) {
    auto held = hold_fast_folder(fast, root);
    if (!held.ok()) return held.error();
    fast_lock_ = std::move(*held);
  }
  for (const std::string& folder :
       {root, root + "/layers", root + "/logs", root + "/home", fast + "/kernels", run}) {
    fs::create_directories(folder, error);
    if (error) return make_error("data-folder", "cannot make " + folder + ": " + error.message());
  }
  for (const std::string& folder : {root + "/layers", root + "/logs", fast + "/kernels"})
    fs::permissions(folder, fs::perms::owner_all, error);
  struct stat info {};
  if (run_watch_ >= 0) inotify_rm_watch(notices_, run_watch_);
  run_watch_ = inotify_add_watch(notices_, run.c_str(), IN_MOVED_TO);
  if (run_watch_ < 0 || stat(run.c_str(), &info) != 0)
    return make_error("data-folder", "cannot watch " + run + ": " + std::strerror(errno),
                      "raise fs.inotify.max_user_instances");
  run_ino_ = info.st_ino;
  return {};
}

ShimBackend::~ShimBackend() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  if (worker_.joinable()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t wrote = write(wake_, &one, sizeof one);
    worker_.join();
  }
  closed_.notify_all();
  if (sweeper_.joinable()) sweeper_.join();
  for (const auto& [fd, name] : shims_) close(fd);
  for (const int fd : {notices_, wake_, epoll_})
    if (fd >= 0) close(fd);
}

Result<std::vector<RecoveredKernel>> ShimBackend::recover(OnEvent on_event) {
  BERTH_CHECK(!worker_.joinable(), "recover() is called once");
  on_event_ = std::move(on_event);
  std::set<std::string> names = claims_.names();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(config_.folders.fast + "/kernels", error))
    names.insert(entry.path().filename());
  for (const auto& entry : fs::directory_iterator(config_.folders.fast + "/run", error))
    names.insert(entry.path().stem());
  await_files();
  std::vector<RecoveredKernel> found;
  for (const std::string& name : names) recover_kernel(name, found);
  claims_.sync();
  if (auto remembered = lease_.remember_boot(); !remembered.ok()) return remembered.error();
  watch(launcher_.socket());
  worker_ = std::thread([this] { work(); });
  sweeper_ = std::thread([this] { sweep_on(); });
  return found;
}

void ShimBackend::recover_kernel(const std::string& name, std::vector<RecoveredKernel>& found) {
  const auto key = parse_kernel_name(name);
  if (!key) return;  // not ours: somebody's file must not stop the start
  const shim::KernelFiles files = files_of(name);
  Entry entry;
  entry.key = *key;
  entry.last.key = *key;
  const auto exit = shim::read_file(files.exit());
  const auto state_bytes = exit ? std::nullopt : shim::read_file(files.state());
  std::error_code error;
  if (exit) {
    const auto record = shim::decode_exit(*exit);
    entry.last = event_of(
        *key,
        record.value_or(shim::ExitRecord{
            .end = "unknown", .error_code = "record-damaged", .error = "the record of its end is damaged"}));
  } else if (!state_bytes && !fs::exists(files.dir(), error)) {
    find_without_trace(name, entry);
  } else if (!state_bytes) {
    if (const int lock = shim::take_lock(files.in("lock")); lock >= 0) {
      drop_never_run(name);  // under its lock: a request still on its way finds nothing to start
      close(lock);
      return;
    }
    entry.last.what = KernelEvent::What::kCreating;
  } else {
    // A damaged record: its shim, or one that adopts it, brings it to a known end. Until then its slots are
    // taken.
    const auto state = shim::decode_state(*state_bytes);
    if (state && !state->running)
      entry.last.what = KernelEvent::What::kCreating;
    else
      entry.last.what = KernelEvent::What::kRunning;
    if (state) {
      entry.last.pid = state->main.pid;
      entry.last.started_at = state->started_at;
      follow_shim(entry, state->shim);
    }
    if (entry.shim < 0) launcher_.send('A', name);
  }
  const auto spec = shim::decode_spec(shim::read_file(files.in("spec")).value_or(""));
  if (spec) kind_->found(name, *spec);
  found.push_back({entry.last,
                   spec && spec->holding ? std::optional(holding_of(*spec->holding)) : std::nullopt,
                   spec && spec->egress ? Egress::kRegistries : Egress::kNone});
  if (entry.shim >= 0) shims_[entry.shim] = name;
  claims_.add(name);
  entry.told = true;
  entries_[name] = std::move(entry);
}

bool ShimBackend::has_trace(const std::string& name) const {
  const shim::KernelFiles files = files_of(name);
  std::error_code error;
  return fs::exists(files.exit(), error) || fs::exists(files.state(), error) ||
         fs::exists(files.dir(), error);
}

// Somebody may have removed the files of kernels that run: their shims make them again, the record first and
// the folder with what the kernel holds after it.
void ShimBackend::await_files() {
  if (!lease_.is_of_this_boot()) return;
  const auto is_lost = [this](const std::string& name) {
    const shim::KernelFiles files = files_of(name);
    std::error_code error;
    return !ends_.contains(name) && !fs::exists(files.exit(), error) &&
           (!has_trace(name) || (fs::exists(files.state(), error) && !fs::exists(files.in("spec"), error)));
  };
  const std::int64_t until = shim::boottime_now() + 2 * shim::kKeepFilesMs * kMillisecond;
  while (std::ranges::any_of(claims_.names(), is_lost) && shim::boottime_now() < until) usleep(20'000);
}

// Claimed, and no trace of it. It may have run.
void ShimBackend::find_without_trace(const std::string& name, Entry& entry) {
  if (const auto known = ends_.find(name); known != ends_.end()) {
    shim::ExitRecord record = known->second;
    if (record.end == shim::kMachineStopped && record.error.empty()) shim::be_stopped_by_machine(record);
    record_end(name, entry, record);
  } else if (!lease_.is_of_this_boot()) {
    record_end(name, entry,
               {.end = shim::kMachineStopped,
                .ended_at = shim::wall_now(),
                .error_code = "machine-restarted",
                .error = "the machine stopped while the kernel ran"});
  } else if (kind_->end_leftovers(name)) {
    record_end(name, entry, end_of_lost());
  } else {
    entry.last.what = KernelEvent::What::kRunning;  // the worker goes on ending it
  }
}

void ShimBackend::record_end(const std::string& name, Entry& entry, const shim::ExitRecord& record) {
  shim::write_aside(files_of(name).exit(), config_.folders.fast + "/run/." + name, encode(record));
  entry.last = event_of(entry.key, record);  // its layers go with the first sweep
}

shim::ExitRecord ShimBackend::end_of_lost() const {
  return {.end = "unknown",
          .ended_at = shim::wall_now(),
          .error_code = "kernel-files-lost",
          .error = "the kernel's files in " + config_.folders.fast + " and its shim were gone while it ran"};
}

void ShimBackend::drop_never_run(const std::string& name) {
  shim::remove_tree(files_of(name).dir());
  unlink(files_of(name).disk().c_str());
  shim::remove_tree(files_of(name).layers());
  claims_.remove(name);
}

void ShimBackend::sweep_on() {
  while (!closing_) {
    sweep(config_.folders, shim::wall_now() - config_.keep_logs, closing_);
    std::unique_lock lock(mutex_);
    closed_.wait_for(lock, kSweepEvery, [this] { return closing_.load(); });
  }
}

void ShimBackend::post(Command command) {
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    if (commands_.size() > 1) return;  // the worker has not taken the last batch yet: it was woken for it
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = write(wake_, &one, sizeof one);
}

void ShimBackend::start(KernelSpec spec, std::string rootfs) {
  const std::uint64_t generation = spec.lease_until ? lease_.extend(*spec.lease_until) : 0;
  post(Start{std::move(spec), std::move(rootfs), generation});
}
void ShimBackend::stop(const KernelKey& key, Duration grace) { post(Stop{key, grace}); }
void ShimBackend::forget(const KernelKey& key) { post(Forget{key}); }
void ShimBackend::renew_leases(Timestamp lease_until) { lease_.extend(lease_until); }

Result<LogPage> ShimBackend::read_log(const KernelKey& key, std::int64_t offset, std::size_t max_bytes) {
  const shim::KernelFiles files = files_of(kernel_name(key));
  const bool ended = access(files.exit().c_str(), F_OK) == 0 || access(files.dir().c_str(), F_OK) != 0;
  auto page = read_log_page(files, offset, max_bytes, ended);
  // A kernel that has printed nothing has no file.
  if (!page.ok() && (access(files.dir().c_str(), F_OK) == 0 || access(files.exit().c_str(), F_OK) == 0))
    return LogPage{.bytes = {}, .next = 0, .ended = ended};
  return page;
}

std::string ShimBackend::door(const KernelKey& key) const { return files_of(kernel_name(key)).in("door"); }

}  // namespace berth::agents
