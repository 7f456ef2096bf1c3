// The agent's own kernel, on a fake backend.
#include "agents/runtime/trial.h"

#include <gtest/gtest.h>

#include "agents/kernel/fake_backend.h"

namespace berth::agents {
namespace {

class Trials : public ::testing::Test {
 protected:
  void open(FakeBackend::Options options = {}) {
    backend = std::make_unique<FakeBackend>(options);
    trial = std::make_unique<Trial>(*backend);
    recover();
  }
  void recover() {
    auto found = backend->recover([this](const KernelEvent& event) { events.push_back(event); });
    ASSERT_TRUE(found.ok());
    trial->clean(*found);
    EXPECT_TRUE(found->empty());
    pump();  // the machine's time is ours
  }
  void begin() {
    result.reset();
    trial->begin(0, now, [this](Result<Duration> took) { result = std::move(took); });
  }
  void pump() {
    backend->pump({now, now});
    for (const KernelEvent& event : std::exchange(events, {})) trial->on(event, now);
  }
  void pass(Duration time) {
    now += time;
    pump();
    trial->tick(now);
    pump();
  }
  std::string code() const { return !result ? "none" : result->ok() ? "ok" : result->error().code.word(); }
  static KernelKey key(std::uint32_t attempt) { return {KernelId(), attempt}; }

  Timestamp now = kSecond;
  std::vector<KernelEvent> events;
  std::unique_ptr<FakeBackend> backend;
  std::unique_ptr<Trial> trial;
  std::optional<Result<Duration>> result;
};

TEST_F(Trials, AKernelThatRunsIsEndedForgottenAndTimed) {
  open({.start_delay = 200 * kMillisecond});
  begin();
  pass(0);
  EXPECT_EQ(code(), "none");
  pass(200 * kMillisecond);
  ASSERT_EQ(code(), "ok");
  EXPECT_EQ(**result, 200 * kMillisecond);
  EXPECT_TRUE(backend->running().empty());
  EXPECT_EQ(backend->spec(key(1)), nullptr);
  EXPECT_FALSE(trial->under_way());
}

TEST_F(Trials, TheNextOneHasAKeyOfItsOwn) {
  open();
  for (std::uint32_t n = 1; n <= 3; ++n) {
    begin();
    pass(kMillisecond);
    EXPECT_EQ(code(), "ok");
    EXPECT_EQ(backend->runs(key(n)), 1u);
  }
}

TEST_F(Trials, AStartThatFailsSaysWhyWithoutTheNameOfTheKernel) {
  open();
  backend->fail_starts(
      make_error("runtime-failed", "cannot make 00000000-0000-0000-0000-000000000000.1: no"));
  begin();
  pass(kMillisecond);
  ASSERT_EQ(code(), "runtime-failed");
  EXPECT_EQ(result->error().message, "cannot make trial: no");
}

TEST_F(Trials, LimitsThatDoNotHoldAreAFailureAndItIsEnded) {
  open();
  backend->fail_checks(make_error("limit-not-kept", "no memory.max"));
  begin();
  pass(kMillisecond);
  EXPECT_EQ(code(), "none") << "they may come";
  pass(2 * kSecond);
  EXPECT_EQ(code(), "limit-not-kept");
  EXPECT_TRUE(backend->running().empty());
}

TEST_F(Trials, LimitsThatComeAMomentLaterAreKept) {
  open();
  backend->fail_checks(make_error("wall-missing", "no seccomp"));
  begin();
  pass(kMillisecond);
  backend->fail_checks({});
  pass(100 * kMillisecond);
  EXPECT_EQ(code(), "ok");
}

TEST_F(Trials, OneThatDoesNotRunInTimeIsAFailure) {
  open({.start_delay = kHour});
  begin();
  pass(29 * kSecond);
  EXPECT_EQ(code(), "none");
  pass(kSecond);
  pass(15 * kSecond);
  EXPECT_EQ(code(), "trial-late");
}

TEST_F(Trials, OneThatDoesNotEndIsAFailureAndTheNextOneWaitsForItsEnd) {
  open();
  begin();
  pump();
  backend->crash();  // its end is heard of no more
  pass(16 * kSecond);
  EXPECT_EQ(code(), "trial-left");
  begin();
  EXPECT_EQ(code(), "trial-left");
  EXPECT_EQ(backend->runs(key(2)), 0u) << "another one would stick, too";
}

TEST_F(Trials, OneThatIsAbandonedEndsAndTellsNobody) {
  open({.start_delay = kSecond});
  begin();
  pass(kMillisecond);
  EXPECT_TRUE(trial->live());
  trial->abandon();
  pass(kSecond);
  EXPECT_FALSE(trial->live());
  EXPECT_EQ(code(), "none");
}

TEST_F(Trials, OneThatAnEarlierLifeLeftIsTakenAway) {
  open();
  KernelSpec left;
  left.key = key(7);
  backend->start(left, "");
  backend->pump({now, now});
  ASSERT_EQ(backend->running(), std::vector<KernelKey>{key(7)});
  backend->crash();
  trial = std::make_unique<Trial>(*backend);
  recover();
  pass(kMillisecond);
  EXPECT_TRUE(backend->running().empty());
  begin();
  pass(kMillisecond);
  EXPECT_EQ(backend->runs(key(8)), 1u) << "a key runs once";
}

}  // namespace
}  // namespace berth::agents
