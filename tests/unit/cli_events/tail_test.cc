// berth event tail: where it begins, goes on and ends.
#include <gtest/gtest.h>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

TEST(EventTail, BeginsBehindNowAndPrintsALinePerEvent) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) -> Result<HttpReply> {
    return json_reply("{\"position\": 41}", 200, 41);
  };
  w.server.stream_chunks = {
      "id: 42-0\nevent: X\ndata: "
      "{\"id\":\"42-0\",\"time\":\"2026-01-01T00:00:00Z\",\"type\":\"X\",\"text\":\"demo\"}\n\n"};
  const auto ran = w.run({"event", "tail"});
  EXPECT_EQ(ran.exit, 0) << ran.err;  // Ctrl-C is how it ends
  EXPECT_EQ(ran.out, "42-0     00:00:00.000Z  X demo\n");
  EXPECT_EQ(w.server.requests[1].target, "/v1/events?from=42");
}

TEST(EventTail, GoesOnBehindAnEventsId) {
  FakeWorld w;
  w.server.stream_chunks = {"id: 17-1\ndata: {\"id\":\"17-1\"}\n\n"};
  EXPECT_EQ(w.run({"event", "tail", "--from", "17-0", "-o", "jsonl", "-n", "1"}).out, "{\"id\":\"17-1\"}\n");
  EXPECT_EQ(header_of(w.server.requests[0], "Last-Event-ID"), "17-0");
  EXPECT_EQ(w.run({"event", "tail", "--from", "yesterday"}).exit, kUsage);
}

std::string ended_by(const std::string& code) {
  return "event: error\ndata: {\"code\":\"" + code + "\",\"detail\":\"so it is\"}\n\n";
}

TEST(EventTail, ALogThatStandsStillIsWaitedForAndIsNoEvent) {
  FakeWorld w;
  w.server.stream_chunks = {"id: 17-1\ndata: {\"id\":\"17-1\"}\n\n",
                            ended_by("log-unavailable"),
                            "",
                            ended_by("log-unavailable"),
                            "",
                            "id: 18-0\ndata: {\"id\":\"18-0\"}\n\n"};
  const auto ran = w.run({"event", "tail", "--from", "17-0", "-o", "jsonl", "-n", "2"});
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  EXPECT_EQ(ran.out, "{\"id\":\"17-1\"}\n{\"id\":\"18-0\"}\n");
  ASSERT_EQ(w.server.requests.size(), 3u);
  EXPECT_EQ(header_of(w.server.requests[2], "Last-Event-ID"), "17-1");
  ASSERT_EQ(w.server.pauses_ms.size(), 2u);
  EXPECT_GT(w.server.pauses_ms[1], w.server.pauses_ms[0]);
}

TEST(EventTail, SaysWhatEndedItsStream) {
  FakeWorld w;
  for (const auto& [code, exit] : {std::pair("log-truncated", kFailed), std::pair("signed-out", kDenied)}) {
    w.server.stream_chunks = {ended_by(code), ""};
    const auto ran = w.run({"event", "tail", "--from", "17-0", "-o", "jsonl"});
    EXPECT_EQ(ran.exit, exit) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find(code), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace berth::cli
