#include "agents/kernel/fake_backend.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace berth::agents {
namespace {

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

FakeBackend::FakeBackend() : FakeBackend(Options{}) {}

Result<std::vector<RecoveredKernel>> FakeBackend::recover(OnEvent on_event) {
  on_event_ = std::move(on_event);
  std::vector<RecoveredKernel> found;
  for (const auto& [key, kernel] : kernels_) {
    const KernelSpec& spec = kernel.spec;
    found.push_back({kernel.last,
                     KernelHolding{spec.session_name, spec.cpu, spec.mem, spec.devices, spec.disk_slot},
                     spec.egress});
  }
  return found;
}

void FakeBackend::start(KernelSpec spec, std::string) {
  if (kernels_.contains(spec.key)) return;
  Kernel& kernel = kernels_[spec.key];
  kernel.spec = std::move(spec);
  kernel.last.key = kernel.spec.key;
  if (const auto known = forgotten_.find(kernel.spec.key); known != forgotten_.end()) {
    kernel.last = known->second;
    kernel.tells_again = true;
    return;
  }
  kernel.create_at = now_.boottime;
  kernel.run_at = now_.boottime + options_.start_delay;
  logs_[kernel.spec.key];
}

void FakeBackend::stop(const KernelKey& key, Duration grace) {
  const auto found = kernels_.find(key);
  if (found == kernels_.end() || ended(found->second)) return;
  Kernel& kernel = found->second;
  Timestamp kill_at = now_.boottime + grace;
  if (!kernel.ignores_term) kill_at = std::min(kill_at, now_.boottime + options_.stop_delay);
  kernel.kill_at = std::min(kernel.kill_at.value_or(kill_at), kill_at);
}

void FakeBackend::forget(const KernelKey& key) {
  const auto found = kernels_.find(key);
  if (found == kernels_.end() || !ended(found->second)) return;
  if (!key.kernel.is_nil()) forgotten_[key] = found->second.last;
  kernels_.erase(found);
}

void FakeBackend::renew_leases(Timestamp lease_until) {
  for (auto& [key, kernel] : kernels_)
    if (kernel.spec.lease_until && !ended(kernel) && *kernel.spec.lease_until > now_.boottime)
      kernel.spec.lease_until = std::max(*kernel.spec.lease_until, lease_until);
}

Timestamp FakeBackend::leased_until() const {
  Timestamp latest = 0;
  for (const auto& [key, kernel] : kernels_)
    if (!ended(kernel)) latest = std::max(latest, kernel.spec.lease_until.value_or(0));
  return latest;
}

Result<LogPage> FakeBackend::read_log(const KernelKey& key, std::int64_t offset, std::size_t max_bytes) {
  const auto log = logs_.find(key);
  if (log == logs_.end()) return make_error("unknown-kernel", "no log of this kernel is here");
  const std::string& text = log->second;
  const auto size = static_cast<std::int64_t>(text.size());
  const std::int64_t from = offset < 0 ? std::max<std::int64_t>(0, size + offset) : std::min(offset, size);
  LogPage page;
  page.bytes = text.substr(static_cast<std::size_t>(from), std::min<std::size_t>(max_bytes, 1 << 20));
  page.next = static_cast<std::uint64_t>(from) + page.bytes.size();
  const auto kernel = kernels_.find(key);
  page.ended = (kernel == kernels_.end() || ended(kernel->second)) && page.next == text.size();
  return page;
}

std::optional<Timestamp> FakeBackend::lease_end(const Kernel& kernel) const {
  if (!kernel.spec.lease_until) return std::nullopt;
  return *kernel.spec.lease_until + options_.watchdog_delay;
}

std::optional<Timestamp> FakeBackend::due(const Kernel& kernel) const {
  if (kernel.tells_again) return now_.boottime;
  if (ended(kernel)) return std::nullopt;
  std::optional<Timestamp> first;
  for (const auto& at : {kernel.create_at, kernel.run_at, kernel.end_at, kernel.kill_at, lease_end(kernel)})
    if (at && (!first || *at < *first)) first = at;
  return first;
}

void FakeBackend::pump(Instant now) {
  BERTH_CHECK(now.boottime >= now_.boottime, "boottime went back");
  // Earliest first; kernels that are due at one instant in the order of their keys. A callback may call
  // start() or stop().
  for (;;) {
    Kernel* next = nullptr;
    Timestamp next_at = 0;
    for (auto& [key, kernel] : kernels_) {
      const auto at = due(kernel);
      if (at && *at <= now.boottime && (next == nullptr || *at < next_at)) {
        next = &kernel;
        next_at = *at;
      }
    }
    if (next == nullptr) break;
    const Timestamp at = std::max(next_at, now_.boottime);
    now_ = Instant{now.wall - (now.boottime - at), at};
    advance(*next);
  }
  now_ = now;
}

void FakeBackend::advance(Kernel& kernel) {
  if (std::exchange(kernel.tells_again, false)) return emit(kernel);
  if (const auto end = lease_end(kernel); end && *end <= now_.boottime)
    return finish(kernel, KernelEnd::kLeaseOver, 137);
  if (kernel.kill_at && *kernel.kill_at <= now_.boottime)
    return finish(kernel, KernelEnd::kStopped, kernel.ignores_term ? 137 : 143);
  if (kernel.end_at && *kernel.end_at <= now_.boottime)
    return finish(kernel, kernel.end_how, kernel.end_code);
  if (kernel.create_at) {
    kernel.create_at.reset();
    return emit(kernel);
  }
  if (kernel.run_at && *kernel.run_at <= now_.boottime) run(kernel);
}

void FakeBackend::run(Kernel& kernel) {
  kernel.run_at.reset();
  if (!start_error_.code.empty()) return finish(kernel, KernelEnd::kStartFailed, 0, start_error_);
  ++runs_[kernel.spec.key];
  if (options_.keeps_record) {
    const KernelSpec& spec = kernel.spec;
    kernel.run = ran_.size();
    ran_.push_back({spec.key, spec.session, spec.hostname, spec.cpu, spec.mem, spec.devices,
                    spec.lease_until.has_value(), now_.boottime, std::nullopt});
  }
  kernel.last.what = KernelEvent::What::kRunning;
  kernel.last.started_at = now_.wall;
  kernel.last.pid = next_pid_++;
  const std::vector<std::string>& words = kernel.spec.command;
  Timestamp at = now_.boottime;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool takes_one = words[i] == "sleep" || words[i] == "exit" || words[i] == "echo";
    const std::string argument = takes_one && i + 1 < words.size() ? words[i + 1] : "";
    if (words[i] == "sleep")
      at += number(argument) * kSecond;
    else if (words[i] == "exit")
      kernel.end_code = static_cast<int>(number(argument));
    else if (words[i] == "echo")
      logs_[kernel.spec.key] += argument + "\n";
    else if (words[i] == "ignore-term")
      kernel.ignores_term = true;
    else if (words[i] == "kill")
      kernel.end_how = KernelEnd::kSignalled, kernel.end_code = 137;
    else if (words[i] == "oom")
      kernel.end_how = KernelEnd::kOutOfMemory, kernel.end_code = 137;
    else if (words[i] == "false")
      kernel.end_code = 1;
    else if (words[i] != "true")
      kernel.end_code = 127;
    if (takes_one) ++i;
  }
  if (!words.empty()) kernel.end_at = at;
  emit(kernel);
}

void FakeBackend::end(const KernelKey& key, KernelEnd how, int exit_code) {
  const auto found = kernels_.find(key);
  if (found != kernels_.end() && found->second.last.what == KernelEvent::What::kRunning)
    finish(found->second, how, exit_code);
}

void FakeBackend::finish(Kernel& kernel, KernelEnd how, int exit_code, Error error) {
  kernel.last.what = KernelEvent::What::kEnded;
  kernel.last.ended_at = now_.wall;
  if (kernel.run) ran_[*kernel.run].until = now_.boottime;
  kernel.last.end = how;
  kernel.last.exit_code = exit_code;
  kernel.last.error = std::move(error);
  emit(kernel);
}

void FakeBackend::emit(const Kernel& kernel) {
  const KernelEvent event = kernel.last;  // a copy: the callback may forget the kernel
  if (on_event_) on_event_(event);
}

void FakeBackend::power_failure() {
  on_event_ = nullptr;
  for (auto& [key, kernel] : kernels_) {
    if (ended(kernel)) continue;
    const bool ran = kernel.last.what == KernelEvent::What::kRunning;
    if (ran)
      finish(kernel, KernelEnd::kMachineStopped, 0, make_error("machine-restarted", "the machine restarted"));
    else
      finish(kernel, KernelEnd::kStartFailed, 0, make_error("machine-restarted", "the machine restarted"));
  }
}

std::vector<KernelKey> FakeBackend::running() const {
  std::vector<KernelKey> keys;
  for (const auto& [key, kernel] : kernels_)
    if (kernel.last.what == KernelEvent::What::kRunning) keys.push_back(key);
  return keys;
}

const KernelSpec* FakeBackend::spec(const KernelKey& key) const {
  const auto found = kernels_.find(key);
  return found == kernels_.end() ? nullptr : &found->second.spec;
}

std::uint32_t FakeBackend::runs(const KernelKey& key) const {
  const auto found = runs_.find(key);
  return found == runs_.end() ? 0 : found->second;
}

}  // namespace berth::agents
