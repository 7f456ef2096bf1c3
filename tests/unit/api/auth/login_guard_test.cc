// Who guesses passwords waits longer and longer; nobody is locked out.
#include "controller/api/auth/login_guard.h"

#include <gtest/gtest.h>

namespace berth::controller::api {
namespace {

constexpr LoginGuard::Limits kLimits{.free_by_user = 3,
                                     .free_by_address = 6,
                                     .wait_max = 30 * kSecond,
                                     .forgotten_after = 15 * kMinute,
                                     .entries_max = 100};

TEST(LoginGuard, WaitsDoubleUpToTheirMost) {
  LoginGuard guard(kLimits);
  Timestamp now = kHour;
  std::vector<Duration> waits;
  for (int i = 0; i < 10; ++i) {
    const Duration wait = guard.take("host " + std::to_string(i), "alice", now);
    waits.push_back(wait / kSecond);
    now += wait;
    if (wait == 0) continue;
    EXPECT_EQ(guard.take("host " + std::to_string(i), "alice", now), 0) << "a wait ends";
  }
  EXPECT_EQ(waits, (std::vector<Duration>{0, 0, 0, 1, 2, 4, 8, 16, 30, 30}));
}

TEST(LoginGuard, ATryThatMustWaitDoesNotCount) {
  LoginGuard guard(kLimits);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(guard.take("h", "alice", kHour), 0);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(guard.take("h", "alice", kHour), kSecond);
  EXPECT_EQ(guard.take("h", "alice", kHour + kSecond), 0);
}

TEST(LoginGuard, AnAddressIsSlowedWhoeverItGuessesAt) {
  LoginGuard guard(kLimits);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(guard.take("h", "user" + std::to_string(i), kHour), 0);
  EXPECT_EQ(guard.take("h", "another", kHour), kSecond);
  EXPECT_EQ(guard.take("g", "another", kHour), 0);
}

TEST(LoginGuard, GuessesAtAUserDoNotSlowThatUserWhereTheySignedInBefore) {
  LoginGuard guard(kLimits);
  EXPECT_EQ(guard.take("home", "alice", kHour), 0);
  guard.succeeded("home", "alice", kHour);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(guard.take("attic", "alice", kHour), 0);
  EXPECT_GT(guard.take("attic", "alice", kHour), 0);
  EXPECT_EQ(guard.take("home", "alice", kHour), 0);
}

TEST(LoginGuard, P33_AFloodFromTheSameAddressDoesNotSlowWhoSignedInThereBefore) {
  LoginGuard guard(kLimits);
  EXPECT_EQ(guard.take("home", "alice", kHour), 0);
  guard.succeeded("home", "alice", kHour);
  for (int i = 0; i < 20; ++i) (void)guard.take("home", "user" + std::to_string(i), kHour);
  EXPECT_GT(guard.take("home", "bob", kHour), 0);
  EXPECT_EQ(guard.take("home", "alice", kHour), 0);
  EXPECT_EQ(guard.take("home", "alice", kHour), 0);
  EXPECT_EQ(guard.take("home", "alice", kHour), 0)
      << "the third wrong guess in a row, after which there is a wait";
  EXPECT_GT(guard.take("home", "alice", kHour), 0) << "guesses at alice from there";
}

TEST(LoginGuard, ATryThatTheQueueRefusedIsNoGuess) {
  LoginGuard guard(kLimits);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(guard.take("h", "alice", kHour), 0) << i;
    guard.give_back("h", "alice");
  }
}

TEST(LoginGuard, AnAccountOfOnesOwnDoesNotFreeAnAddress) {
  LoginGuard guard(kLimits);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(guard.take("h", "victim" + std::to_string(i), kHour), 0);
    EXPECT_EQ(guard.take("h", "mallory", kHour), 0);
    guard.succeeded("h", "mallory", kHour);
  }
  EXPECT_EQ(guard.take("h", "bob", kHour), 0);
  EXPECT_EQ(guard.take("h", "bob", kHour), kSecond);
}

TEST(LoginGuard, ForgetsAfterAWhileAndIsBounded) {
  LoginGuard guard(kLimits);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(guard.take("h", "alice", kHour), 0);
  EXPECT_EQ(guard.take("h", "alice", kHour + kDay), 0);
  EXPECT_EQ(guard.take("h", "alice", kHour + kDay), 0) << "the count began anew";
  for (int i = 0; i < 1000; ++i) {
    const std::string n = std::to_string(i);
    (void)guard.take("h" + n, std::string(10'000, 'u') + n, kHour + kDay + i);
    guard.succeeded("h" + n, n, kHour + kDay + i);
  }
  EXPECT_LE(guard.size(), kLimits.entries_max);
}

}  // namespace
}  // namespace berth::controller::api
