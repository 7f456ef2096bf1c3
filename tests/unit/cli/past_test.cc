// --at and berth diff: reads of a moment, and nothing else.
#include <gtest/gtest.h>

#include "ops/cli/output/times.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

TEST(At, IsAskedOfEveryRead) {
  FakeWorld world;
  world.server.answer = [](const HttpRequest&) {
    return json_reply(R"({"agents": [], "next_page_token": null})");
  };
  EXPECT_EQ(world.run({"agent", "ls", "--at", "2026-01-01T14:03:00+01:00"}).exit, kOk);
  ASSERT_FALSE(world.server.requests.empty());
  for (const auto& request : world.server.requests)
    EXPECT_NE(request.target.find("at=2026-01-01T14%3A03%3A00%2B01%3A00"), std::string::npos)
        << request.target;
  world.server.requests.clear();
  EXPECT_EQ(world.run({"--at", "23:59", "agent", "ls"}).exit, kOk);
  ASSERT_FALSE(world.server.requests.empty());
  EXPECT_NE(world.server.requests[0].target.find("at=2025-12-31T23%3A59%3A00Z"), std::string::npos)
      << "the last one, by the reader's clock: " << world.server.requests[0].target;
}

TEST(At, IsRefusedForWhatChangesSomething) {
  FakeWorld world;
  for (const auto& words : std::vector<std::vector<std::string>>{{"agent", "drain", "a1"},
                                                                 {"session", "exec", "demo", "--", "true"},
                                                                 {"limit", "rm", "user", "x"},
                                                                 {"event", "tail"},
                                                                 {"event", "ls"},
                                                                 {"event", "export"},
                                                                 {"session", "events", "demo"},
                                                                 {"session", "ls", "--watch"}}) {
    auto with = words;
    with.insert(with.begin(), {"--at", "17"});
    const auto ran = world.run(with);
    EXPECT_EQ(ran.exit, kUsage) << words[0];
    EXPECT_NE(ran.err.find("--at shows what was"), std::string::npos) << ran.err;
  }
  for (const auto& request : world.server.requests) EXPECT_EQ(request.method, "GET");
}

// A session of then had run for as long as it had then.
TEST(At, AgesCountToTheMoment) {
  FakeWorld world;
  world.server.answer = [](const HttpRequest& request) {
    auto reply = json_reply(
        R"({"sessions": [{"id": "9f1c0000-0000-0000-0000-000000000001", "name": "demo", "status": "RUNNING",)"
        R"( "created_at": "2025-06-01T00:00:00Z", "user": "alice"}], "next_page_token": null, "position": 7})");
    if (request.target.find("at=17") != std::string::npos)
      reply.headers.emplace_back("berth-at", "17-0 2025-06-01T00:05:00Z");
    return reply;
  };
  const auto then = world.run({"--at", "17", "session", "ls", "-o", "wide"});
  EXPECT_EQ(then.exit, kOk) << then.err;
  EXPECT_NE(then.out.find("5m"), std::string::npos) << then.out;
  EXPECT_EQ(world.run({"session", "ls", "-o", "wide"}).out.find("5m"), std::string::npos);
}

// A machine whose clock is four minutes slow shows a session that has begun by the cluster's clock.
TEST(Ages, AreByTheClustersTimeWhereThisMachinesClockIsAnother) {
  const auto shown = [](const char* cluster_time) {
    FakeWorld world;
    world.server.answer = [&](const HttpRequest&) {
      auto reply = json_reply(
          R"({"sessions": [{"id": "9f1c0000-0000-0000-0000-000000000001", "name": "demo", "status": "RUNNING",)"
          R"( "created_at": "2026-01-01T00:00:00Z", "user": "alice"}], "next_page_token": null, "position": 7})");
      reply.headers.emplace_back("berth-time", cluster_time);
      return reply;
    };
    return world.run({"session", "ls", "-o", "wide"}).out;
  };
  EXPECT_NE(shown("2026-01-01T00:04:00.000Z").find("4m"), std::string::npos)
      << shown("2026-01-01T00:04:00.000Z");
  EXPECT_EQ(shown("2026-01-01T00:00:01.500Z").find("1s"), std::string::npos) << "the clocks are the same";
}

TEST(Diff, PrintsChangesWithTheirEventsPageByPage) {
  FakeWorld world;
  world.server.answer = [](const HttpRequest& request) {
    const bool second = request.target.find("page=1") != std::string::npos;
    const char* events =
        R"([{"position": "9-0", "time": "2026-01-01T00:00:00Z", "type": "KernelTerminated", "line": "KernelTerminated it ended"}])";
    const std::string demo =
        R"({"noun": "session", "id": "x", "name": "demo", "before": {"status": "RUNNING"},)"
        R"("after": {"status": "TERMINATED"}, "more_events": 0, "events": )" +
        std::string(events) + "}";
    const std::string eve = R"({"noun": "user", "id": "eve", "name": "eve", "before": null,)"
                            R"("after": {"name": "eve"}, "events": [], "more_events": 3})";
    return json_reply(R"({"changes": [)" + (second ? eve : demo) + R"(], "next": )" +
                      (second ? "null" : "\"1\"") + "}");
  };
  const auto ran = world.run({"diff", "5", "9"});
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  EXPECT_NE(ran.out.find("~ session demo  status: RUNNING -> TERMINATED\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("9-0  KernelTerminated it ended\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("+ user eve\n    and 3 more events\n"), std::string::npos) << ran.out;
  EXPECT_EQ(world.server.requests.size(), 2u);
}

TEST(ClockMoment, IsTheLastOneOfTheReadersClock) {
  const Timestamp noon = 1'767'225'600 * kSecond + 12 * kHour;  // 2026-01-01T12:00:00Z
  const auto none = UtcOffset();
  EXPECT_EQ(clock_moment("11:59", noon, none), noon - kMinute);
  EXPECT_EQ(clock_moment("12:01", noon, none), noon + kMinute - kDay);
  EXPECT_EQ(clock_moment("13:00:30", noon, [](Timestamp) { return kHour; }), noon + 30 * kSecond - kDay);
  for (const char* text : {"", "24:00", "1:00", "12:60", "12-00", "12:00:61", "1234"})
    EXPECT_FALSE(clock_moment(text, noon, none)) << text;
}

}  // namespace
}  // namespace berth::cli
