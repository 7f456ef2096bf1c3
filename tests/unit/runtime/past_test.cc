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
  const std::string then = "/v1/cluster?at=" + std::to_string(log.extent(kJournal)->end - 1);
  ASSERT_NE(server.ask(key, "GET", then).second.find("\"epoch\":1"), std::string::npos);

  log.truncate(kJournal, before);
  ASSERT_TRUE(server.await([](const projections::State& state) {  // folded again, and led anew
    return state.epoch().epoch == 2 && state.key_pairs.size() == 1;
  }));
  const auto refused = server.ask(key, "POST", "/v1/users", R"({"name": "u0"})");
  EXPECT_EQ(refused.first, 503u);
  EXPECT_NE(refused.second.find("log-truncated"), std::string::npos) << refused.second;
  ASSERT_EQ(server.ask(key, "POST", "/v1/cluster/accept-truncation", "").first, 200u);
  for (const char* name : {"u1", "u2"}) {
    const auto next = server.ask(key, "POST", "/v1/users", R"({"name": ")" + std::string(name) + R"("})");
    ASSERT_EQ(next.first, 201u) << next.second;
  }
  const auto now = server.ask(key, "GET", then);
  EXPECT_NE(now.second.find("\"epoch\":2"), std::string::npos)
      << "the position came again with another record: " << now.second;
}

}  // namespace
}  // namespace berth::testing
