// A KernelBackend in memory, for unit tests, simulation and scale. Nothing runs; pump() sets the time.
//
// Pure: no threads, no clock, no I/O. Events come inside pump() and end(), in the order in which they
// happened. The "machine" (kernels, logs) outlives crash(), as shims outlive an agent: recover() then finds
// the kernels again.
//
// Words of a command, one after the other: "echo TEXT", "sleep SECONDS", "exit CODE", "ignore-term", "oom",
// "kill"; "true" and "false" as in a shell; any other word cannot be found (exit 127). A kernel without a
// command waits until it is ended.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agents/kernel/backend.h"

namespace berth::agents {

class FakeBackend : public KernelBackend {
 public:
  struct Options {
    Duration start_delay = 0;  // start() to kRunning
    Duration stop_delay = 0;   // SIGTERM to the program's end
    bool needs_image = false;
    Duration watchdog_delay =
        0;  // from a lease's end to the end of its kernel: shims are slow on busy machines
    bool keeps_record = false;  // of what ran and when, see ran()
    Amount disk = 0;            // disk_capacity()
  };
  // A program's life on the machine. `until`: unset while it runs.
  struct Run {
    KernelKey key;
    SessionId session;
    std::string hostname;  // its role and index
    Amount cpu = 0, mem = 0;
    std::vector<DeviceGrant> devices;
    bool leased = false;
    Timestamp from = 0;  // boottime, as `until`
    std::optional<Timestamp> until;
  };

  FakeBackend();
  explicit FakeBackend(Options options) : options_(options) {}

  const char* name() const override { return "fake"; }
  bool needs_image() const override { return options_.needs_image; }
  Result<Amount> disk_capacity() override { return options_.disk; }
  Result<std::vector<RecoveredKernel>> recover(OnEvent on_event) override;
  void start(KernelSpec spec, std::string rootfs) override;
  void stop(const KernelKey& key, Duration grace) override;
  void forget(const KernelKey& key) override;
  void renew_leases(Timestamp lease_until) override;
  Timestamp leased_until() const override;
  Result<void> check_kept(const KernelSpec&, std::int64_t) const override {
    return check_error_.code.empty() ? Result<void>() : Result<void>(check_error_);
  }
  Result<LogPage> read_log(const KernelKey& key, std::int64_t offset, std::size_t max_bytes) override;

  // Moves the machine's time forward and delivers the events until then. Time never goes back.
  void pump(Instant now);

  // The agent process dies: events go nowhere until recover(). Kernels go on, and leases run out.
  void crash() { on_event_ = nullptr; }
  // The machine dies: the kernels are gone, and the results of running ones are unknown.
  void power_failure();
  // From now on every start fails with this error (until called with an empty code).
  void fail_starts(Error error) { start_error_ = std::move(error); }
  // From now on no kernel has the limits that it asked for (until called with an empty code).
  void fail_checks(Error error) { check_error_ = std::move(error); }
  // Ends a running kernel as if its program had ended; a no-op for others.
  void end(const KernelKey& key, KernelEnd how, int exit_code);

  std::vector<KernelKey> running() const;              // first instruction done, not ended
  const KernelSpec* spec(const KernelKey& key) const;  // nullptr: unknown or forgotten
  // How often a (kernel, attempt) has run, for checkers: never more than once.
  std::uint32_t runs(const KernelKey& key) const;
  // Every run, in the order of their beginnings; empty unless Options::keeps_record.
  const std::vector<Run>& ran() const { return ran_; }

 private:
  struct Kernel {
    KernelSpec spec;
    KernelEvent last;
    std::optional<Timestamp> create_at;
    std::optional<Timestamp> run_at;
    std::optional<Timestamp> end_at;
    std::optional<Timestamp> kill_at;
    KernelEnd end_how = KernelEnd::kExited;
    int end_code = 0;
    bool ignores_term = false;
    bool tells_again = false;        // it was forgotten: the next pump() tells its end
    std::optional<std::size_t> run;  // its place in ran_
  };

  bool ended(const Kernel& kernel) const { return kernel.last.what == KernelEvent::What::kEnded; }
  std::optional<Timestamp> due(const Kernel& kernel) const;
  std::optional<Timestamp> lease_end(const Kernel& kernel) const;
  void advance(Kernel& kernel);
  void run(Kernel& kernel);
  void finish(Kernel& kernel, KernelEnd how, int exit_code, Error error = {});
  void emit(const Kernel& kernel);

  Options options_;
  OnEvent on_event_;
  Instant now_;
  Error start_error_, check_error_;
  std::int64_t next_pid_ = 1000;
  std::map<KernelKey, Kernel> kernels_;
  std::map<KernelKey, KernelEvent> forgotten_;  // and how they ended
  std::map<KernelKey, std::string> logs_;
  std::map<KernelKey, std::uint32_t> runs_;
  std::vector<Run> ran_;
};

}  // namespace berth::agents
