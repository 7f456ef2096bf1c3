// Trial: a kernel of the agent's own, which shows whether kernels can start on this machine.
//
// It takes the way of people's kernels through the same backend: namespaces, mounts, limits, seccomp and a
// layer of its own; in it is nothing but our init. When it runs, the backend looks whether the machine keeps
// its limits and walls; then it is ended and forgotten. Its key has the nil kernel id, which no order may
// have, so that it meets nobody's kernel, and the agent's core never hears of it.
//
// Used by AgentRuntime and by `berth agent check`. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "agents/kernel/backend.h"
#include "events/base/clock.h"

namespace berth::agents {

struct TrialTimes {
  Duration start = 30 * kSecond;  // until it runs
  // From then on, until the machine keeps its limits and walls: a runtime may say that a kernel runs while it
  // still puts these on it (crun).
  Duration settle = 2 * kSecond;
  Duration end = 15 * kSecond;  // from then on, or from the failure, until it has ended
};

class Trial {
 public:
  // How long it took to run. Codes: trial-late, trial-ended, trial-left, and those of starts, bare_rootfs()
  // and check_kept().
  using Done = std::function<void(Result<Duration>)>;

  // `backend` outlives it.
  explicit Trial(KernelBackend& backend, TrialTimes times = {}) : backend_(backend), times_(times) {}

  static bool is_one(const KernelKey& key) { return key.kernel.is_nil(); }
  // Takes trials of earlier lives out of what recover() found, and ends them.
  void clean(std::vector<RecoveredKernel>& recovered);

  // Begins one unless one is under way. `disk`: bytes that it may write, as people's kernels; 0: the
  // backend's own bound. `done` is called by begin(), on() or tick().
  void begin(Amount disk, Timestamp boottime, Done done);
  // REQUIRES: is_one(event.key)
  void on(const KernelEvent& event, Timestamp boottime);
  void tick(Timestamp boottime);
  bool under_way() const { return done_ != nullptr; }
  // Ends the kernel, if there is one; nobody is told how it went.
  void abandon();
  bool live() const { return live_; }

 private:
  void look(Timestamp boottime);
  void fail(Error error, Timestamp boottime);
  void end(Timestamp boottime);
  void answer(Result<Duration> result);

  KernelBackend& backend_;
  TrialTimes times_;
  KernelSpec spec_;
  std::uint32_t attempts_ = 0;
  bool live_ = false;      // the kernel of spec_.key has not ended
  bool stopping_ = false;  // its end was asked for
  std::int64_t pid_ = 0;
  Timestamp began_ = 0;
  Timestamp settled_ = 0;  // until when a limit may be missing; 0: it does not run yet
  Timestamp deadline_ = 0;
  std::optional<Result<Duration>> result_;  // known before the end
  Done done_;                               // empty: nobody waits
};

}  // namespace berth::agents
