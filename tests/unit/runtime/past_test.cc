// What a server remembers of the past, when the log loses its end (P35).
#include <gtest/gtest.h>

#include "tests/support/log/threaded_memory_log.h"
#include "tests/unit/runtime/server_rig.h"

namespace berth::testing {
namespace {

constexpr Partition kJournal{Stream::kJournal, 0};

TEST(PastOfAServer, P35_AStateOfRecordsThatTheLogLostIsTakenForNoOther) {
  ThreadedMemoryLog log;
  Server server(log, "c1");
  ASSERT_TRUE(server.start_and_define());
  const api::KeyPair key = server.key();
  const Offset before = log.extent(kJournal)->end;
  const auto made = server.ask(key, "POST", "/v1/users", R"({"name": "lost", "projects": []})");
  ASSERT_EQ(made.first, 201u) << made.second;
  const std::string at = std::to_string(log.extent(kJournal)->end - 1);
  const std::string user = "/v1/users/lost?at=" + at;
  const std::string diff = "/v1/diff?from=" + std::to_string(before - 1) + "&to=" + at;
  ASSERT_EQ(server.ask(key, "GET", user).first, 200u);
  ASSERT_NE(server.ask(key, "GET", diff).second.find("lost"), std::string::npos);

  log.truncate(kJournal, before);
  ASSERT_TRUE(
      server.await([](const projections::State& state) { return state.users.find("lost") == nullptr; }));
  ASSERT_TRUE(server.process().api().accept_truncation().ok());
  for (const char* name : {"u1", "u2", "u3", "u4"}) {
    const auto next = server.ask(key, "POST", "/v1/users", R"({"name": ")" + std::string(name) + R"("})");
    ASSERT_EQ(next.first, 201u) << next.second;
  }
  EXPECT_EQ(server.ask(key, "GET", user).first, 404u) << "the position came again with another record";
  EXPECT_EQ(server.ask(key, "GET", diff).second.find("lost"), std::string::npos);
}

}  // namespace
}  // namespace berth::testing
