// Key pairs live in the journal (P29): one that a cluster's first server made is good on every server.
#include <gtest/gtest.h>

#include "controller/api/auth/host_key.h"
#include "events/base/files/private_files.h"
#include "tests/support/log/threaded_memory_log.h"
#include "tests/unit/runtime/server_rig.h"

namespace berth::testing {
namespace {

constexpr char kLimit[] = "/v1/limits/user/admin";

TEST(Keys, OneIsGoodOnEveryServerAndOutlivesTheOneThatMadeIt) {
  ThreadedMemoryLog log;
  Server first(log, "c1"), second(log, "c2");
  ASSERT_TRUE(first.start_and_define());
  ASSERT_TRUE(second.start_and_define());
  const api::KeyPair key = first.key();
  for (Server* server : {&first, &second}) {
    const auto [status, body] = server->ask(key, "PUT", kLimit, R"({"sessions": 5})");
    EXPECT_EQ(status, 200u) << body;
  }
  first.process().stop();
  const auto [status, body] = second.ask(key, "PUT", kLimit, R"({"sessions": 6})");
  EXPECT_EQ(status, 200u) << body;
}

TEST(Keys, AServerThatJoinsMakesNoneAndDefinesNothingAnew) {
  ThreadedMemoryLog log;
  Server first(log, "c1"), second(log, "c2");
  ASSERT_TRUE(first.start_and_define());
  const auto [status, body] =
      first.ask(first.key(), "POST", "/v1/groups", R"({"name": "default", "order": "lifo"})");
  ASSERT_EQ(status, 201u) << body;
  ASSERT_TRUE(second.start_and_define());
  EXPECT_FALSE(second.process().has_key_file());
  EXPECT_FALSE(std::filesystem::exists(second.key_path()));
  EXPECT_TRUE(second.holds([](const projections::State& state) {
    return state.key_pairs.size() == 1 && state.groups.find("default")->def.order() == "lifo";
  }));
}

// What it acknowledged would be void for every other reader.
TEST(Keys, AServerWithAnotherSecretThanTheJournalsIsRefused) {
  ThreadedMemoryLog log;
  Server first(log, "c1"), other(log, "c2", 'x');
  ASSERT_TRUE(first.start_and_define());
  const auto started = other.process().start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, "cluster-secret-wrong");
}

TEST(Keys, P29_AServerWhoseSealingKeysOpenNotWhatTheLogHoldsIsRefused) {
  SealingRing wrong, none;
  wrong.add({1, std::string(kSealKeyBytes, 'x')});
  none.add({2, std::string(kSealKeyBytes, 's')});
  ThreadedMemoryLog log;
  Server first(log, "c1"), other(log, "c2", 's', wrong);
  ASSERT_TRUE(first.start_and_define());
  ASSERT_TRUE(first.await([](const projections::State& state) { return state.key_pairs.size() == 1; }));
  const auto joined = other.process().start();  // its folder is empty: it may not know yet
  const Error refused = joined.ok() ? other.process().define_defaults(kMinute).error() : joined.error();
  EXPECT_EQ(refused.code, "sealing-keys-wrong");
  for (const SealingRing& ring : {wrong, none}) {
    first.make_again(ring);
    const auto started = first.process().start();
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code, "sealing-keys-wrong");
  }
  first.make_again(test_sealing_ring());
  EXPECT_TRUE(first.start_and_define());
}

// The link lies in a file of this user alone where no terminal shows it.
TEST(FirstLogin, ALinkIsOfferedUntilASuperadminHasAPassword) {
  ThreadedMemoryLog log;
  Server server(log, "c1");
  ASSERT_TRUE(server.start_and_define());
  const auto file = server.process().offer_login_link(false, kMinute);
  ASSERT_TRUE(file);
  const auto kept = read_private_file(*file, "login-link", "");
  ASSERT_TRUE(kept);
  const auto shown = server.process().offer_login_link(true, kMinute);
  EXPECT_EQ(*shown + "\n", *kept) << "the one that lies there is still good";
  const std::string token = shown->substr(shown->rfind('/') + 1);
  const auto [status, reply] =
      server.ask({"nobody", "x", ""}, "POST", "/v1/login/link",
                 R"({"token": ")" + token + R"(", "password": "four words make one"})");
  EXPECT_EQ(status, 200u) << reply;
  EXPECT_NE(reply.find("\r\nSet-Cookie: berth_"), std::string::npos);
  EXPECT_EQ(*server.process().offer_login_link(false, kMinute), "");
  EXPECT_FALSE(std::filesystem::exists(*file));
}

TEST(FirstLogin, TheClustersFileMakesALinkAtAnyTime) {
  ThreadedMemoryLog log;
  Server server(log, "c1");
  ASSERT_TRUE(server.start_and_define());
  const api::KeyPair host{"cluster", api::host_secret_key(std::string(32, 's')), ""};
  const auto [status, reply] = server.ask(host, "POST", "/v1/users/admin/link");
  EXPECT_EQ(status, 201u) << reply;
  EXPECT_NE(reply.find(server.process().endpoint() + "/#/link/"), std::string::npos) << reply;
}

}  // namespace
}  // namespace berth::testing
