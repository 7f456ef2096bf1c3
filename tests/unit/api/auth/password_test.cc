// Passwords and their thread.
#include "controller/api/auth/password.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace berth::controller::api {
namespace {

constexpr PasswordCost kCheap{8u << 10, 1};

std::string weakness(const std::optional<Problem>& problem) { return problem ? problem->code.word() : ""; }

TEST(Password, IsNotShortCommonOrTheUsersName) {
  EXPECT_EQ(weakness(check_new_password("short", "alice")), "password-too-short");
  EXPECT_EQ(weakness(check_new_password(std::string(1025, 'x'), "alice")), "password-too-long");
  for (const char* common : {"password", "PassWord1", "aaaaaaaaaa", "alice.admin"})
    EXPECT_EQ(weakness(check_new_password(common, "Alice.Admin")), "password-too-common") << common;
  EXPECT_EQ(weakness(check_new_password("four words make one", "alice")), "");
  EXPECT_EQ(weakness(check_new_password("비밀번호", "alice")), "");
}

TEST(Password, IsArgon2idOf64MiBAnd3Passes) {
  const auto hash = hash_password("four words", {});
  ASSERT_TRUE(hash);
  EXPECT_TRUE(hash->starts_with("$argon2id$v=19$m=65536,t=3,p=1$")) << *hash;
  EXPECT_TRUE(*check_password(*hash, "four words"));
  EXPECT_FALSE(*check_password(*hash, "four word"));
  EXPECT_FALSE(*check_password("no hash", "four words"));
}

TEST(Password, TheSameOneHasAnotherHashEachTime) {
  EXPECT_NE(*hash_password("four words", kCheap), *hash_password("four words", kCheap));
}

const PasswordThread::Asker kHere{"here", false};

TEST(PasswordThread, ChecksAHashAndNobodysIsNeverRight) {
  PasswordThread thread(kCheap);
  const auto check = [&](std::optional<std::string> hash, const std::string& password) {
    std::promise<bool> answer;
    EXPECT_TRUE(
        thread.check(kHere, std::move(hash), password, [&](Result<bool> same) { answer.set_value(*same); }));
    return answer.get_future().get();
  };
  const std::string hash = *hash_password("four words", kCheap);
  EXPECT_TRUE(check(hash, "four words"));
  EXPECT_FALSE(check(hash, "other words"));
  EXPECT_FALSE(check(std::nullopt, "nobody's")) << "the decoy's own password";
}

TEST(PasswordThread, RefusesWhatItsQueueDoesNotHold) {
  PasswordThread thread(kCheap, 2);
  std::promise<void> began, go_on;
  std::atomic<int> done{0};
  ASSERT_TRUE(thread.hash(kHere, "x", [&](const auto&) {
    began.set_value();
    go_on.get_future().wait();
  }));
  began.get_future().wait();
  EXPECT_TRUE(thread.hash(kHere, "a", [&](const auto&) { ++done; }));
  EXPECT_TRUE(thread.check(kHere, std::nullopt, "b", [&](const auto&) { ++done; }));
  EXPECT_FALSE(thread.hash(kHere, "c", [&](const auto&) { ++done; }));
  std::promise<void> last;
  go_on.set_value();
  while (!thread.hash(kHere, "d", [&](const auto&) { last.set_value(); })) std::this_thread::yield();
  last.get_future().wait();
  EXPECT_EQ(done, 2);
}

// A thread that is held by its first task, and who came to turn afterwards.
class HeldThread {
 public:
  explicit HeldThread(std::size_t queued_max = 32) : thread_(kCheap, queued_max) {
    std::promise<void> began;
    EXPECT_TRUE(thread_.hash({"first", false}, "x", [&, held = go_on_.get_future().share()](const auto&) {
      began.set_value();
      held.wait();
    }));
    began.get_future().wait();
  }
  bool ask(const std::string& network, bool known = false) {
    return thread_.check({network, known}, std::nullopt, "x", [this, network](const auto&) {
      const std::lock_guard lock(mutex_);
      turns_.push_back(network);
      changed_.notify_all();
    });
  }
  std::vector<std::string> turns(std::size_t count) {
    go_on_.set_value();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turns_.size() >= count; });
    return turns_;
  }

 private:
  std::promise<void> go_on_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> turns_;
  PasswordThread thread_;
};

TEST(PasswordThread, P33_OfOneNetworkTwoAreQueuedAndNetworksTakeTurns) {
  HeldThread thread;
  EXPECT_TRUE(thread.ask("flood"));
  EXPECT_TRUE(thread.ask("flood"));
  EXPECT_FALSE(thread.ask("flood"));
  EXPECT_TRUE(thread.ask("home"));
  EXPECT_EQ(thread.turns(3), (std::vector<std::string>{"flood", "home", "flood"}));
}

TEST(PasswordThread, P33_WhoSignedInThereBeforeGoesFirst) {
  HeldThread thread(4);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(thread.ask("flood" + std::to_string(i)));
  EXPECT_FALSE(thread.ask("another")) << "the queue of strangers is full";
  for (const char* name : {"a", "b", "c", "d"}) EXPECT_TRUE(thread.ask(name, true));
  EXPECT_EQ(thread.turns(8),
            (std::vector<std::string>{"a", "b", "c", "flood0", "d", "flood1", "flood2", "flood3"}));
}

TEST(PasswordThread, AStopDropsTheQueue) {
  auto thread = std::make_unique<PasswordThread>(kCheap, 8);
  std::promise<void> began;
  std::atomic<int> done{0};
  ASSERT_TRUE(thread->hash(kHere, "x", [&](const auto&) { began.set_value(); }));
  began.get_future().wait();
  thread->stop();
  EXPECT_FALSE(thread->hash(kHere, "x", [&](const auto&) { ++done; }));
  thread.reset();
  EXPECT_EQ(done, 0);
}

}  // namespace
}  // namespace berth::controller::api
