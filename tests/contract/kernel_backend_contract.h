// What every KernelBackend promises, as tests. An implementation brings a Rig and one INSTANTIATE line.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agents/kernel/backend.h"
#include "events/base/random.h"

namespace berth::agents::contract {

enum class Program {
  kTrue,  // ends at once, 0
  kExit7,
  kHello,       // prints "hello" and ends
  kMissing,     // cannot be found
  kLong,        // runs for minutes; ends on SIGTERM
  kIgnoreTerm,  // prints "ready", then runs for minutes and ignores SIGTERM
  kShort,       // prints "begin", runs for about a second, exits 5
  kDies,        // kills itself with SIGKILL
  kCount,       // appends a line to its log each time that it is run, then waits
};

// One machine with one data folder; the backend on it can be opened, dropped and opened again.
class Rig {
 public:
  virtual ~Rig() = default;
  // Empty: usable. Else why not (then the tests are skipped with this reason).
  virtual std::string missing() { return {}; }
  virtual std::unique_ptr<KernelBackend> open() = 0;  // fails the test if it cannot
  virtual std::vector<std::string> command(Program program) = 0;
  virtual std::string rootfs() { return {}; }
  virtual Timestamp boottime() = 0;
  // Lets time pass (the fake) or waits a moment for a notification (real ones).
  virtual void step(KernelBackend& backend) = 0;
  // Real backends only.
  virtual bool real() const { return true; }
  virtual void kill_launcher() {}
  virtual void kill_shim(const KernelKey&) {}
};

using RigFactory = std::function<std::unique_ptr<Rig>()>;

class KernelBackendContract : public ::testing::TestWithParam<RigFactory> {
 protected:
  void SetUp() override {
    rig_ = GetParam()();
    if (const std::string why = rig_->missing(); !why.empty()) GTEST_SKIP() << why;
    reopen();
  }
  void TearDown() override {
    if (backend_)
      for (const KernelKey& key : started_) end_and_forget(key);
  }

  // The agent is gone and another one is there: what recover() found.
  std::vector<RecoveredKernel> reopen() {
    backend_.reset();
    backend_ = rig_->open();
    auto found = backend_->recover([this](const KernelEvent& event) { take(event); });
    EXPECT_TRUE(found.ok());
    return found.ok() ? *found : std::vector<RecoveredKernel>{};
  }

  void take(const KernelEvent& event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
    changed_.notify_all();
  }

  KernelSpec spec(Program program) {
    KernelSpec spec = waiting_spec();
    spec.command = rig_->command(program);
    return spec;
  }
  KernelSpec waiting_spec() {
    KernelSpec spec;
    Rng rng(0x5eed0000u + ++ids_);
    spec.key = {KernelId(rng.uuid()), 1};
    spec.session_name = "demo-1";
    spec.role = "main";
    spec.hostname = "main1";
    spec.cpu = kUnit / 2;
    spec.mem = 256 << 20;
    spec.shm = 32 << 20;
    return spec;
  }
  KernelKey start(KernelSpec spec) {
    const KernelKey key = spec.key;
    started_.push_back(key);
    backend_->start(std::move(spec), rig_->rootfs());
    return key;
  }
  KernelKey start(Program program) { return start(spec(program)); }

  // The first event of this kind; fails the test after 20 s, or BERTH_TEST_PATIENCE seconds, for a machine
  // that is emulated.
  KernelEvent await(const KernelKey& key, KernelEvent::What what) {
    const char* const patience = std::getenv("BERTH_TEST_PATIENCE");
    const auto limit = std::chrono::steady_clock::now() +
                       std::chrono::seconds(patience != nullptr ? std::atoi(patience) : 20);
    while (std::chrono::steady_clock::now() < limit) {
      if (auto event = find(key, what)) return *event;
      rig_->step(*backend_);
      std::unique_lock lock(mutex_);
      if (rig_->real()) changed_.wait_for(lock, std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "no such event of " << to_string(key.kernel);
    return {};
  }
  KernelEvent await_running(const KernelKey& key) { return await(key, KernelEvent::What::kRunning); }
  KernelEvent await_end(const KernelKey& key) { return await(key, KernelEvent::What::kEnded); }
  void await_log(const KernelKey& key, const std::string& text) {
    for (int i = 0; i < 2000; ++i) {
      rig_->step(*backend_);
      if (log(key).find(text) != std::string::npos) return;
    }
    FAIL() << "'" << text << "' does not come in the log, which is: " << log(key);
  }

  std::optional<KernelEvent> find(const KernelKey& key, KernelEvent::What what) {
    const std::lock_guard lock(mutex_);
    for (const KernelEvent& event : events_)
      if (event.key == key && event.what == what) return event;
    return std::nullopt;
  }
  std::size_t count(const KernelKey& key, KernelEvent::What what) {
    const std::lock_guard lock(mutex_);
    std::size_t n = 0;
    for (const KernelEvent& event : events_) n += event.key == key && event.what == what ? 1 : 0;
    return n;
  }
  std::string log(const KernelKey& key) {
    const auto page = backend_->read_log(key, 0, 1 << 20);
    return page.ok() ? page->bytes : "";
  }
  void end_and_forget(const KernelKey& key) {
    backend_->stop(key, 0);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!find(key, KernelEvent::What::kEnded) && std::chrono::steady_clock::now() < limit) {
      if (!find(key, KernelEvent::What::kCreating) && !find(key, KernelEvent::What::kRunning)) break;
      rig_->step(*backend_);
    }
    backend_->forget(key);
  }

  std::unique_ptr<Rig> rig_;
  std::vector<KernelKey> started_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<KernelEvent> events_;
  static inline std::uint64_t ids_ = 0;
  std::unique_ptr<KernelBackend> backend_;  // last: ends before what its callback uses
};

inline const RecoveredKernel* find_in(const std::vector<RecoveredKernel>& list, const KernelKey& key) {
  for (const RecoveredKernel& kernel : list)
    if (kernel.key == key) return &kernel;
  return nullptr;
}

}  // namespace berth::agents::contract
