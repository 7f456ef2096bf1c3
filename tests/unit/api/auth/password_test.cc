// Passwords and their thread.
#include "controller/api/auth/password.h"

#include <gtest/gtest.h>

#include <future>

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

TEST(PasswordThread, ChecksAHashAndNobodysIsNeverRight) {
  PasswordThread thread(kCheap);
  const auto check = [&](std::optional<std::string> hash, const std::string& password) {
    std::promise<bool> answer;
    EXPECT_TRUE(thread.check(std::move(hash), password, [&](Result<bool> same) { answer.set_value(*same); }));
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
  ASSERT_TRUE(thread.hash("x", [&](const auto&) {
    began.set_value();
    go_on.get_future().wait();
  }));
  began.get_future().wait();
  EXPECT_TRUE(thread.hash("a", [&](const auto&) { ++done; }));
  EXPECT_TRUE(thread.check(std::nullopt, "b", [&](const auto&) { ++done; }));
  EXPECT_FALSE(thread.hash("c", [&](const auto&) { ++done; }));
  std::promise<void> last;
  go_on.set_value();
  while (!thread.hash("d", [&](const auto&) { last.set_value(); })) std::this_thread::yield();
  last.get_future().wait();
  EXPECT_EQ(done, 2);
}

TEST(PasswordThread, AStopDropsTheQueue) {
  auto thread = std::make_unique<PasswordThread>(kCheap, 8);
  std::promise<void> began;
  std::atomic<int> done{0};
  ASSERT_TRUE(thread->hash("x", [&](const auto&) { began.set_value(); }));
  began.get_future().wait();
  thread->stop();
  EXPECT_FALSE(thread->hash("x", [&](const auto&) { ++done; }));
  thread.reset();
  EXPECT_EQ(done, 0);
}

}  // namespace
}  // namespace berth::controller::api
