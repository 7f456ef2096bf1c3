#include "agents/kernel/fake_backend.h"
#include "tests/contract/kernel_backend_contract_tests.h"

namespace berth::agents::contract {
namespace {

// Hands out the calls of one long-lived FakeBackend, so that dropping the "backend" is the agent's crash.
class Borrowed final : public KernelBackend {
 public:
  explicit Borrowed(FakeBackend& fake) : fake_(fake) {}
  ~Borrowed() override { fake_.crash(); }
  const char* name() const override { return fake_.name(); }
  bool needs_image() const override { return fake_.needs_image(); }
  Result<std::vector<RecoveredKernel>> recover(OnEvent on_event) override {
    return fake_.recover(std::move(on_event));
  }
  void start(KernelSpec spec, std::string rootfs) override {
    fake_.start(std::move(spec), std::move(rootfs));
  }
  void stop(const KernelKey& key, Duration grace) override { fake_.stop(key, grace); }
  void forget(const KernelKey& key) override { fake_.forget(key); }
  void renew_leases(Timestamp until) override { fake_.renew_leases(until); }
  Timestamp leased_until() const override { return fake_.leased_until(); }
  Result<LogPage> read_log(const KernelKey& key, std::int64_t offset, std::size_t max) override {
    return fake_.read_log(key, offset, max);
  }

 private:
  FakeBackend& fake_;
};

class FakeRig final : public Rig {
 public:
  FakeRig() { fake_.pump(now_); }
  std::unique_ptr<KernelBackend> open() override { return std::make_unique<Borrowed>(fake_); }
  bool real() const override { return false; }
  Timestamp boottime() override { return now_.boottime; }
  void step(KernelBackend&) override {
    now_.wall += 10 * kMillisecond;
    now_.boottime += 10 * kMillisecond;
    fake_.pump(now_);
  }
  std::vector<std::string> command(Program program) override {
    switch (program) {
      case Program::kTrue: return {"true"};
      case Program::kExit7: return {"exit", "7"};
      case Program::kHello: return {"echo", "hello"};
      case Program::kMissing: return {"no-such-program"};
      case Program::kLong: return {"sleep", "300"};
      case Program::kIgnoreTerm: return {"ignore-term", "echo", "ready", "sleep", "300"};
      case Program::kShort: return {"echo", "begin", "sleep", "1", "exit", "5"};
      case Program::kDies: return {"kill"};
      case Program::kCount: return {"echo", "run", "sleep", "300"};
    }
    return {};
  }

 private:
  FakeBackend fake_;
  Instant now_{1'700'000'000 * kSecond, 1000 * kSecond};
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Fake, KernelBackendContract,
                         testing::Values(RigFactory([] { return std::make_unique<FakeRig>(); })));

}  // namespace berth::agents::contract
