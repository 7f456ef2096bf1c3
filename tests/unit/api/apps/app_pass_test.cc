#include "controller/api/apps/app_pass.h"

#include <gtest/gtest.h>

namespace berth::controller::api {
namespace {

using Kind = AppPassSeal::Kind;

Uuid id_of(char c) { return *Uuid::from_bytes(std::string(16, c)); }

AppPassSeal seal_of(char cluster, char key) {
  SealingRing ring;
  ring.add(SealingKey(7, std::string(kSealKeyBytes, key)));
  return {id_of(cluster), ring};
}

const AppPass kPass{id_of('p'),    id_of('b'),
                    "alice",       {"jupyter", SessionId(id_of('s'))},
                    100 * kSecond, "http://127.0.0.1:7410"};

TEST(AppPassSeal, APassComesBackAsItWasSealed) {
  const auto seal = seal_of('c', 'k');
  const auto pass = seal.open(Kind::kCookie, seal.seal(Kind::kCookie, kPass));
  ASSERT_TRUE(pass.ok());
  EXPECT_EQ(pass->id, kPass.id);
  EXPECT_EQ(pass->browser_session, kPass.browser_session);
  EXPECT_EQ(pass->user, kPass.user);
  EXPECT_EQ(pass->app, kPass.app);
  EXPECT_EQ(pass->until, kPass.until);
  EXPECT_EQ(pass->console, kPass.console);
}

TEST(AppPassSeal, ATicketIsNoCookieNorAnotherClustersNorAnotherKeys) {
  const std::string text = seal_of('c', 'k').seal(Kind::kTicket, kPass);
  EXPECT_TRUE(seal_of('c', 'k').open(Kind::kTicket, text).ok());
  EXPECT_EQ(seal_of('c', 'k').open(Kind::kCookie, text).error().code, "pass-invalid");
  EXPECT_EQ(seal_of('d', 'k').open(Kind::kTicket, text).error().code, "pass-invalid");
  EXPECT_EQ(seal_of('c', 'l').open(Kind::kTicket, text).error().code, "pass-invalid");
}

// More than are known at a time, and what is known as one kind is none of the other.
TEST(AppPassSeal, ManyCookiesComeBackEachAsItself) {
  const auto seal = seal_of('c', 'k');
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) {
    AppPass pass = kPass;
    pass.user = "user-" + std::to_string(i);
    texts.push_back(seal.seal(Kind::kCookie, pass));
  }
  for (int turn = 0; turn < 2; ++turn)
    for (int i = 0; i < 1000; ++i) {
      const std::string& text = texts[static_cast<std::size_t>(i)];
      const auto pass = seal.open(Kind::kCookie, text);
      ASSERT_TRUE(pass.ok());
      EXPECT_EQ(pass->user, "user-" + std::to_string(i));
      EXPECT_FALSE(seal.open(Kind::kTicket, text).ok());
      EXPECT_FALSE(seal.open(Kind::kCookie, text.substr(1)).ok());
    }
  EXPECT_FALSE(seal.open(Kind::kCookie, "").ok());
}

TEST(AppPassSeal, DamagedTextIsNoPass) {
  const auto seal = seal_of('c', 'k');
  const std::string text = seal.seal(Kind::kTicket, kPass);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(seal.open(Kind::kTicket, text.substr(0, size)).ok()) << size;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = other[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(seal.open(Kind::kTicket, other).ok()) << i;
  }
  EXPECT_FALSE(seal.open(Kind::kTicket, std::string(100'000, 'A')).ok());
  EXPECT_FALSE(seal.open(Kind::kTicket, text + "=").ok());
}

// Of a process that began at 10 s of its machine's boottime, where the cluster's time is `ahead` of that.
class UsedTicketsTest : public ::testing::TestWithParam<Duration> {
 protected:
  Result<void> use(const AppPass& ticket, Timestamp boottime) {
    AppPass there = ticket;
    there.until += GetParam();
    return used_.use(there, GetParam() + boottime, boottime);
  }
  static AppPass until(Timestamp boottime) {
    AppPass ticket = kPass;
    ticket.until = boottime;
    return ticket;
  }

 private:
  UsedTickets used_{10 * kSecond};
};

TEST_P(UsedTicketsTest, ATicketOpensOnce) {
  AppPass ticket = until(50 * kSecond);
  EXPECT_TRUE(use(ticket, 21 * kSecond).ok());
  EXPECT_EQ(use(ticket, 22 * kSecond).error().code, "ticket-used");
  ticket.id = id_of('q');
  EXPECT_TRUE(use(ticket, 22 * kSecond).ok());
}

TEST_P(UsedTicketsTest, ATicketIsGoodForThirtySeconds) {
  EXPECT_EQ(use(until(50 * kSecond), 50 * kSecond).error().code, "ticket-expired");
}

TEST_P(UsedTicketsTest, ATicketOfBeforeARestartMayHaveBeenUsed) {
  EXPECT_EQ(use(until(39 * kSecond), 12 * kSecond).error().code, "ticket-expired");
  EXPECT_TRUE(use(until(41 * kSecond), 12 * kSecond).ok());
}

INSTANTIATE_TEST_SUITE_P(Clocks, UsedTicketsTest,
                         ::testing::Values(Duration{0}, 2 * kHour, 1'700'000'000 * kSecond));

TEST(UsedTickets, BothTimesAreTold) {
  AppPass ticket = kPass;
  ticket.until = 50 * kSecond;
  UsedTickets used(10 * kSecond);
  EXPECT_EQ(
      used.use(ticket, 50 * kSecond, 50 * kSecond).error().message,
      "this ticket was good until 1970-01-01T00:00:50Z, and the cluster's time is 1970-01-01T00:00:50Z");
}

}  // namespace
}  // namespace berth::controller::api
