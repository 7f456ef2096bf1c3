#include "agents/runtime/trial.h"

#include <algorithm>

#include "agents/kernel/kernel_name.h"

namespace berth::agents {
namespace {

constexpr Amount kMem = Amount{64} << 20;
constexpr Amount kShm = Amount{1} << 20;
constexpr std::uint32_t kPidsMax = 64;

KernelSpec spec_of_trial(std::uint32_t attempt, Amount disk) {
  KernelSpec spec;
  spec.key = {KernelId(), attempt};
  spec.session_name = "trial";
  spec.role = "main";
  spec.hostname = "trial";
  spec.cpu = kUnit;
  spec.mem = kMem;
  spec.shm = kShm;
  spec.disk = spec.disk_slot = disk;
  spec.pids_max = kPidsMax;
  return spec;
}

// The words name the kernel, whose name is another one each time.
Error without_name(Error error, const std::string& name) {
  for (std::size_t at = error.message.find(name); at != std::string::npos; at = error.message.find(name, at))
    error.message.replace(at, name.size(), "trial");
  return error;
}

std::string text_of(const KernelEvent& event) {
  switch (event.end) {
    case KernelEnd::kExited: return "it exited with code " + std::to_string(event.exit_code);
    case KernelEnd::kSignalled: return "a signal ended it, exit code " + std::to_string(event.exit_code);
    case KernelEnd::kOutOfMemory: return "it ran out of memory";
    default: return "nobody saw how";
  }
}

}  // namespace

void Trial::clean(std::vector<RecoveredKernel>& recovered) {
  for (const RecoveredKernel& kernel : recovered) {
    if (!is_one(kernel.key)) continue;
    attempts_ = std::max(attempts_, kernel.key.attempt);
    if (kernel.what == KernelEvent::What::kEnded)
      backend_.forget(kernel.key);
    else
      backend_.stop(kernel.key, 0);  // on() forgets it
  }
  std::erase_if(recovered, [](const RecoveredKernel& kernel) { return is_one(kernel.key); });
}

void Trial::begin(Amount disk, Timestamp boottime, Done done) {
  if (under_way()) return done(make_error("trial-left", "the last trial kernel is still under way"));
  done_ = std::move(done);
  result_.reset();
  if (live_) {  // stuck: another one would stick, too
    backend_.stop(spec_.key, 0);
    return answer(make_error("trial-left", "the last trial kernel does not end"));
  }
  auto rootfs = backend_.bare_rootfs();
  if (!rootfs.ok()) return answer(rootfs.error());
  spec_ = spec_of_trial(++attempts_, disk);
  live_ = true;
  stopping_ = false;
  settled_ = 0;
  began_ = boottime;
  deadline_ = boottime + times_.start;
  backend_.start(spec_, *rootfs);
}

void Trial::on(const KernelEvent& event, Timestamp boottime) {
  if (event.what == KernelEvent::What::kEnded) backend_.forget(event.key);
  if (!live_ || event.key != spec_.key) return;
  if (event.what == KernelEvent::What::kEnded) {
    live_ = false;
    if (!under_way()) return;
    if (result_) return answer(std::move(*result_));
    Error why = event.end == KernelEnd::kStartFailed
                    ? event.error
                    : make_error("trial-ended", "the trial kernel ended by itself: " + text_of(event));
    return answer(without_name(std::move(why), kernel_name(event.key)));
  }
  if (event.what != KernelEvent::What::kRunning || stopping_) return;
  pid_ = event.pid;
  settled_ = boottime + times_.settle;
  look(boottime);
}

void Trial::look(Timestamp boottime) {
  if (auto kept = backend_.check_kept(spec_, pid_); !kept.ok()) {
    if (boottime >= settled_) fail(kept.error(), boottime);
    return;
  }
  result_ = boottime - began_;
  end(boottime);
}

void Trial::tick(Timestamp boottime) {
  if (!under_way()) return;
  if (live_ && settled_ != 0 && !stopping_) look(boottime);
  if (!under_way() || boottime < deadline_) return;
  if (!stopping_)
    return fail(make_error("trial-late", "the trial kernel does not run after " +
                                             std::to_string(times_.start / kSecond) + " s"),
                boottime);
  if (result_ && result_->ok())
    result_ = make_error("trial-left", "the trial kernel does not end: it was killed " +
                                           std::to_string(times_.end / kSecond) + " s ago");
  answer(std::move(*result_));  // live_ stays: the next one does not begin before this one has ended
}

void Trial::abandon() {
  done_ = nullptr;
  if (live_) backend_.stop(spec_.key, 0);
}

void Trial::fail(Error error, Timestamp boottime) {
  result_ = without_name(std::move(error), kernel_name(spec_.key));
  end(boottime);
}

void Trial::end(Timestamp boottime) {
  stopping_ = true;
  deadline_ = boottime + times_.end;
  backend_.stop(spec_.key, 0);
}

void Trial::answer(Result<Duration> result) {
  const Done done = std::exchange(done_, nullptr);
  done(std::move(result));
}

}  // namespace berth::agents
