// The worker thread of ShimBackend.
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "agents/kernel/kernel_name.h"
#include "agents/kernel/shim/machine_stop.h"
#include "agents/kernel/shim/own_cgroup.h"
#include "agents/kernel/shim/remove_tree.h"
#include "agents/kernel/shim/system.h"
#include "agents/kernel/shim_backend.h"
#include "events/base/edge_errors.h"

namespace berth::agents {
namespace {

constexpr int kTickMs = 2000;
constexpr Duration kTellAgain = kMinute;
constexpr const char* kFrozen = "is the process stopped (SIGSTOP), or its cgroup frozen?";
constexpr const char* kHungMount = "a hung mount? They end with what they wait for";
constexpr std::uint64_t kDataRoomMin = 4 << 20;    // bytes free,
constexpr std::uint64_t kFastRoomMin = 256 << 10;  // also of the fast folder,
constexpr std::uint64_t kInodesMin = 64;           // and inodes of both
constexpr int kLostTicks = 3;                      // without a shim and files: nobody makes them again

KernelEnd end_of(const std::string& word) {
  if (word == "exited") return KernelEnd::kExited;
  if (word == "signalled") return KernelEnd::kSignalled;
  if (word == "out-of-memory") return KernelEnd::kOutOfMemory;
  if (word == "stopped") return KernelEnd::kStopped;
  if (word == "lease-over") return KernelEnd::kLeaseOver;
  if (word == shim::kMachineStopped) return KernelEnd::kMachineStopped;
  if (word == "start-failed") return KernelEnd::kStartFailed;
  return KernelEnd::kResultUnknown;
}

shim::HoldingRecord holding_of(const KernelSpec& spec) {
  shim::HoldingRecord holding{spec.session_name, spec.cpu, spec.mem, {}, spec.disk_slot};
  for (const DeviceGrant& grant : spec.devices)
    holding.devices.push_back({grant.device, grant.slot, grant.amount});
  return holding;
}

}  // namespace

KernelEvent event_of(const KernelKey& key, const shim::ExitRecord& record) {
  KernelEvent event;
  event.what = KernelEvent::What::kEnded;
  event.key = key;
  event.started_at = record.started_at;
  event.ended_at = record.ended_at;
  event.end = end_of(record.end);
  event.exit_code = record.code;
  if (!record.error_code.empty()) event.error = make_error(Code::told(record.error_code), record.error);
  return event;
}

void ShimBackend::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void ShimBackend::work() {
  std::int64_t next_tick = 0;
  while (!closing_) {
    if (!launcher_.flush()) launcher_gone();
    epoll_event ready[64];
    // A full socket to the launcher is rare (a burst of hundreds of starts): look again in a moment.
    const int count = epoll_wait(epoll_, ready, 64, launcher_.has_unsent() ? 2 : kTickMs);
    for (int i = 0; i < count; ++i) {
      const int fd = ready[i].data.fd;
      if (fd == wake_)
        take_commands();
      else if (fd == notices_)
        read_notices();
      else if (fd == launcher_.socket())
        launcher_gone();
      else
        shim_gone(fd);
    }
    if (const std::int64_t now = shim::boottime_now(); now >= next_tick) {
      tick();
      next_tick = now + kTickMs * kMillisecond;
    }
  }
}

void ShimBackend::take_commands() {
  std::uint64_t times = 0;
  [[maybe_unused]] const ssize_t got = read(wake_, &times, sizeof times);
  std::vector<Command> commands;
  {
    const std::lock_guard lock(mutex_);
    commands.swap(commands_);
  }
  std::vector<Claimed> claimed;
  for (const Command& command : commands)
    if (const auto* start = std::get_if<Start>(&command)) begin_start(*start, claimed);
  // One sync for the whole batch; nothing runs before its claim is on disk.
  const bool durable = claims_.sync();
  for (auto& [name, disk] : claimed) {
    if (durable)
      launcher_.send('S', name, std::move(disk));
    else
      refuse_start(name, entries_[name],
                   make_error("claim-not-written", std::string("the ledger of kernels cannot be written: ") +
                                                       std::strerror(errno)));
  }
  if (!launcher_.flush()) launcher_gone();
  for (const Command& command : commands) {
    if (const auto* stop = std::get_if<Stop>(&command))
      do_stop(*stop);
    else if (const auto* forget = std::get_if<Forget>(&command))
      do_forget(*forget);
  }
  claims_.sync();
}

void ShimBackend::begin_start(const Start& start, std::vector<Claimed>& claimed) {
  const std::string name = kernel_name(start.spec.key);
  if (entries_.contains(name)) return;
  Entry& entry = entries_[name];
  entry.key = entry.last.key = start.spec.key;
  entry.last.what = KernelEvent::What::kCreating;
  if (claims_.is_forgotten(name)) return tell_forgotten(name, entry);
  const shim::KernelFiles files = files_of(name);
  std::error_code error;
  if (auto room = check_room(); !room.ok()) {
    refuse_start(name, entry, room.error());
    return;
  }
  if (!std::filesystem::create_directory(files.dir(), error)) {
    keep_folders();
    std::filesystem::create_directory(files.dir(), error);
  }
  if (error) {
    refuse_start(name, entry,
                 make_error(error == std::errc::no_space_on_device ? kDiskFull : "data-folder",
                            "cannot make " + files.dir() + ": " + error.message()));
    return;
  }
  auto prepared = kind_->prepare(start.spec, start.rootfs, files);
  if (!prepared.ok()) {
    refuse_start(name, entry, prepared.error());
    return;
  }
  shim::ShimSpec& spec = prepared->spec;
  spec.holding = holding_of(start.spec);
  spec.egress = start.spec.egress == Egress::kRegistries;
  if (start.spec.lease_until) {
    spec.lease_until = *start.spec.lease_until;
    spec.lease_generation = start.lease_generation;
  }
  if (!shim::write_aside(files.in("spec"), files.in("spec.new"), encode(spec))) {
    refuse_start(
        name, entry,
        make_error(kDiskFull, std::string("cannot write the kernel's spec: ") + std::strerror(errno)));
    return;
  }
  claims_.add(name);
  claimed.push_back({name, std::move(prepared->disk)});
}

// A start leaves files of a few KiB, and its end needs a few more: with less than this nothing begins, so
// that the fault is the machine's by name, and the ends of the kernels that run can still be written.
Result<void> ShimBackend::check_room() const {
  for (const auto& [folder, bytes] :
       {std::pair<const std::string&, std::uint64_t>(config_.folders.data, kDataRoomMin),
        {config_.folders.fast, kFastRoomMin}}) {
    struct statvfs disk {};
    if (statvfs(folder.c_str(), &disk) != 0) continue;  // is made again, or fails by its own name
    // Root's own reserve counts for root: people's kernels cannot fill that.
    const bool root = geteuid() == 0;
    const std::uint64_t free = (root ? disk.f_bfree : disk.f_bavail) * disk.f_frsize;
    const std::uint64_t inodes = root ? disk.f_ffree : disk.f_favail;
    if (free < bytes)
      return make_error(kDiskFull, folder + " has " + std::to_string(free >> 10) +
                                       " KiB free, and a start needs " + std::to_string(bytes >> 10) +
                                       " KiB");
    // btrfs counts no inodes.
    if (disk.f_files != 0 && inodes < kInodesMin)
      return make_error(kDiskFull, folder + " has " + std::to_string(inodes) +
                                       " inodes free, and a start needs " + std::to_string(kInodesMin));
  }
  return {};
}

void ShimBackend::refuse_start(const std::string& name, Entry& entry, Error error) {
  record_end(name, entry,
             {.end = "start-failed",
              .ended_at = shim::wall_now(),
              .error_code = error.code.word(),
              .error = error.message});
  entry.last.error = std::move(error);
  emit(entry.last);
}

// The journal lost the kernel's end, and has it started again.
void ShimBackend::tell_forgotten(const std::string& name, Entry& entry) {
  const auto known = ends_.find(name);
  record_end(name, entry,
             known != ends_.end()
                 ? known->second
                 : shim::ExitRecord{.end = "unknown",
                                    .ended_at = shim::wall_now(),
                                    .error_code = "result-unknown",
                                    .error = "the kernel ran here before, and its end was forgotten"});
  emit(entry.last);
}

void ShimBackend::keep_end(const std::string& name) {
  const auto bytes = shim::read_file(files_of(name).exit());
  if (const auto end = bytes ? shim::decode_exit(*bytes) : std::nullopt) ends_[name] = *end;
  ends_.erase(claims_.forget(name));
}

void ShimBackend::do_stop(const Stop& stop) {
  const std::string name = kernel_name(stop.key);
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.last.what == KernelEvent::What::kEnded) return;
  found->second.stop = stop.grace;
  found->second.tell_at = shim::boottime_now() + stop.grace + config_.end_max;
  ask_for_stop(name, found->second);
}

// The file is the request; the signal says that it is there. A shim looks by itself when it starts or adopts.
void ShimBackend::ask_for_stop(const std::string& name, Entry& entry) {
  shim::ask_for_stop(files_of(name), {*entry.stop, false}, "stop.new");
  if (entry.shim >= 0) shim::signal_pidfd(entry.shim, SIGUSR1);
}

// The request is in its file: else it could not be written, or somebody removed it.
bool ShimBackend::is_stop_asked(const std::string& name) const {
  return access(files_of(name).in("stop").c_str(), F_OK) == 0;
}

void ShimBackend::do_forget(const Forget& forget) {
  const std::string name = kernel_name(forget.key);
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.last.what != KernelEvent::What::kEnded) return;
  const shim::KernelFiles files = files_of(name);
  // The agent's own trials count from 1 in each life.
  if (forget.key.kernel.is_nil())
    claims_.remove(name);
  else
    keep_end(name);
  entries_.erase(found);
  for (const char* file : {"spec", "lock", "out"}) unlink(files.in(file).c_str());
  shim::remove_tree(files.dir());
  // Its shim has, unless it died.
  unlink(files.disk().c_str());
  shim::remove_tree(files.layers());
  kind_->forgotten(name);
  // Last: without a folder and with these, a crash in between finds an ended kernel once more, never a new
  // one.
  unlink(files.state().c_str());
  unlink(files.exit().c_str());
}

void ShimBackend::read_notices() {
  alignas(inotify_event) char buffer[16384];
  for (ssize_t got = read(notices_, buffer, sizeof buffer); got > 0;
       got = read(notices_, buffer, sizeof buffer)) {
    for (char* at = buffer; at < buffer + got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      at += sizeof(inotify_event) + event->len;
      if ((event->mask & IN_Q_OVERFLOW) != 0) {
        std::vector<std::string> names;
        for (const auto& [name, entry] : entries_) names.push_back(name);
        for (const std::string& name : names) look_at(name);
        continue;
      }
      if (event->len == 0) continue;
      const std::string file = event->name;
      look_at(file.substr(0, file.rfind('.')));
    }
  }
}

void ShimBackend::look_at(const std::string& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.last.what == KernelEvent::What::kEnded) return;
  shim_running(name, found->second);
  kernel_ended(name, found->second);
}

void ShimBackend::shim_running(const std::string& name, Entry& entry) {
  const auto bytes = shim::read_file(files_of(name).state());
  const auto state = bytes ? shim::decode_state(*bytes) : std::nullopt;
  if (!state) return;
  if (entry.shim < 0 && access(files_of(name).exit().c_str(), F_OK) != 0) {
    follow_shim(entry, state->shim);
    if (entry.shim >= 0) {
      shims_[entry.shim] = name;
      if (entry.stop) shim::signal_pidfd(entry.shim, SIGUSR1);
    }
  }
  // Its files were removed, and a request to stop with them.
  if (entry.stop && !is_stop_asked(name)) ask_for_stop(name, entry);
  // Not before: a kernel that its shim has not recorded is unknown to the next agent, which is ordered to
  // start it only if nobody was told of a beginning.
  if (!std::exchange(entry.told, true)) emit(entry.last);
  if (!state->stays.empty()) { tell_stays(entry, state->stays, kHungMount); }
  if (!state->running || entry.last.what == KernelEvent::What::kRunning) return;
  entry.last.what = KernelEvent::What::kRunning;
  entry.last.pid = state->main.pid;
  entry.last.started_at = state->started_at;
  emit(entry.last);
}

void ShimBackend::kernel_ended(const std::string& name, Entry& entry) {
  const auto bytes = shim::read_file(files_of(name).exit());
  if (!bytes) return;
  if (entry.shim >= 0) {
    shims_.erase(entry.shim);
    close(entry.shim);
    entry.shim = -1;
  }
  const auto record = shim::decode_exit(*bytes);
  const std::int64_t pid = entry.last.pid;
  entry.last = event_of(
      entry.key,
      record.value_or(shim::ExitRecord{
          .end = "unknown", .error_code = "record-damaged", .error = "the record of its end is damaged"}));
  // The disk may have filled up after check_room() at the start: then the runtime's code is its own, and the
  // cause is the full disk.
  if (entry.last.end == KernelEnd::kStartFailed && !is_machine_fault(entry.last.error.code))
    if (const auto room = check_room(); !room.ok())
      entry.last.error = make_error(kDiskFull, room.error().message + "; " + entry.last.error.message);
  entry.last.pid = pid;
  emit(entry.last);
}

void ShimBackend::follow_shim(Entry& entry, const shim::ProcessId& id) {
  entry.shim = shim::open_pidfd(id);
  entry.silent_ticks = 0;
  if (entry.shim >= 0) watch(entry.shim);
}

void ShimBackend::shim_gone(int pidfd) {
  const auto found = shims_.find(pidfd);
  if (found == shims_.end()) return;  // closed in this very round
  const std::string name = found->second;
  shims_.erase(found);
  close(pidfd);
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) return;
  entry->second.shim = -1;
  look_at(name);
  if (entry->second.last.what != KernelEvent::What::kEnded) launcher_.send('A', name);
}

void ShimBackend::launcher_gone() {
  epoll_ctl(epoll_, EPOLL_CTL_DEL, launcher_.socket(), nullptr);
  launcher_.drop();
  if (auto spawned = launcher_.spawn(); !spawned.ok()) {
    fprintf(stderr, "%s\n", to_string(spawned.error()).c_str());  // the next tick tries again
    return;
  }
  watch(launcher_.socket());
  // Whatever it had not begun is asked again; whoever has a live shim is not disturbed by that.
  for (const auto& [name, entry] : entries_)
    if (entry.last.what != KernelEvent::What::kEnded && entry.shim < 0) launcher_.send('A', name);
}

void ShimBackend::tick() {
  if (launcher_.socket() < 0) launcher_gone();
  keep_folders();
  for (auto& [name, entry] : entries_) {
    if (entry.last.what == KernelEvent::What::kEnded) continue;
    if (entry.shim >= 0) {
      if (entry.stop && !is_stop_asked(name)) ask_for_stop(name, entry);
      tell_silent_shim(name, entry);
      continue;
    }
    if (++entry.silent_ticks % 3 != 0) continue;
    const bool is_over = entry.silent_ticks * kTickMs * kMillisecond >= config_.begin_max;
    if (!entry.told && is_over && give_up_start(name, entry)) continue;
    if (entry.silent_ticks >= kLostTicks && !has_trace(name))
      end_lost(name, entry);
    else
      launcher_.send('A', name);
  }
}

// The folders of the fast folder and of the data folder, where somebody removes or moves them while this
// runs.
void ShimBackend::keep_folders() {
  const std::string& fast = config_.folders.fast;
  struct stat run {};
  const std::string& data = config_.folders.data;
  const auto is_there = [](const std::string& folder) { return access(folder.c_str(), F_OK) == 0; };
  if (stat((fast + "/run").c_str(), &run) == 0 && run.st_ino == run_ino_ && is_there(fast + "/kernels") &&
      is_there(data + "/layers") && is_there(data + "/logs"))
    return;
  if (auto made = make_folders(); !made.ok()) {
    fprintf(stderr, "%s\n", to_string(made.error()).c_str());  // the next tick tries again
    return;
  }
  fprintf(stderr, "folders in %s or %s were removed while this agent ran; they are made again\n",
          fast.c_str(), data.c_str());
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  for (const std::string& name : names) {
    look_at(name);  // what its shim made before the folder was watched
    if (const int shim = entries_[name].shim; shim >= 0) shim::signal_pidfd(shim, SIGUSR1);
  }
}

// A start that no launcher has begun. Under its lock: one that comes to it later finds nothing to start.
// False: it has begun.
bool ShimBackend::give_up_start(const std::string& name, Entry& entry) {
  const shim::KernelFiles files = files_of(name);
  const int lock = shim::take_lock(files.in("lock"));
  if (lock < 0) return false;
  const bool begun = access(files.state().c_str(), F_OK) == 0 || access(files.exit().c_str(), F_OK) == 0;
  if (!begun) {
    refuse_start(name, entry,
                 make_error("launcher-silent",
                            "berth-launcher (process " + std::to_string(launcher_.pid()) +
                                ") has not begun the start in its time",
                            kFrozen));
    drop_never_run(name);
  }
  close(lock);
  return !begun;
}

// A shim that was asked to end its kernel and does not: nobody but the operator can help.
void ShimBackend::tell_silent_shim(const std::string& name, Entry& entry) {
  const std::int64_t now = shim::boottime_now();
  if (!entry.stop || now < entry.tell_at) return;
  entry.tell_at = now + kTellAgain;
  if (!is_stop_asked(name))
    return tell_stays(entry,
                      "its end cannot be asked for: nothing can be written into " + files_of(name).dir(),
                      "is that file system full, or mounted read-only? It is asked for again by itself");
  const auto state = shim::decode_state(shim::read_file(files_of(name).state()).value_or(""));
  if (!state || !state->stays.empty()) return;  // its shim answers: what stays is named already
  tell_stays(entry, "its shim does not end it: " + shim::name_process(state->shim.pid), kFrozen);
}

void ShimBackend::tell_stays(const Entry& entry, const std::string& what, const char* hint) {
  KernelEvent event = entry.last;
  event.what = KernelEvent::What::kStays;
  event.error = make_error("kernel-stays", what, hint);
  emit(event);
}

void ShimBackend::end_lost(const std::string& name, Entry& entry) {
  if (kind_->end_leftovers(name)) {
    record_end(name, entry, end_of_lost());
    return emit(entry.last);
  }
  tell_stays(entry, "its files and its shim are gone, and its processes do not end", kHungMount);
}

}  // namespace berth::agents
