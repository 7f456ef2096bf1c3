// berth event export: whole lines over breaks, one last line that counts all, a file that is whole or none.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "ops/cli/events/event_lines.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

const std::string kOne = "{\"id\":\"5-0\",\"text\":\"a\"}\n", kTwo = "{\"id\":\"5-1\",\"text\":\"b\"}\n";

std::string end_line(int events, const std::string& next = "null") {
  return "{\"end\":{\"events\":" + std::to_string(events) + ",\"from\":0,\"to\":9,\"next\":" + next + "}}\n";
}

TEST(EventLines, GivesWholeLinesWhereverTheBytesAreCut) {
  const std::string all = kOne + kTwo + end_line(2);
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    EventLines lines(false);
    std::string given = lines.take(all.substr(0, cut));
    given += lines.take(all.substr(cut));
    EXPECT_EQ(given, all);
    EXPECT_TRUE(lines.ended());
    EXPECT_EQ(lines.count(), 2u);
  }
}

TEST(EventLines, OfCsvEndOutsideOfQuotesAndHaveOneHead) {
  const std::string head = "id,text\r\n", one = "5-0,\"two\r\n\"\"lines\"\"\"\r\n", two = "6-0,b\r\n";
  EventLines lines(true);
  EXPECT_EQ(lines.take(head + one + "6-0,b"), head + one);
  lines.begin_again();
  EXPECT_EQ(lines.take(head + two + "#end,\"{\"\"events\"\":1}\"\r\n"),
            two + "#end,\"{\"\"events\"\":2}\"\r\n");
  EXPECT_EQ(lines.last(), "6-0");
  EXPECT_EQ(lines.closing(), "{\"events\":2}");
}

TEST(EventLines, KnowWhatCutTheExport) {
  EventLines lines(false);
  EXPECT_EQ(lines.take(kOne + "{\"error\":{\"code\":\"signed-out\",\"events\":1}}\n"), kOne);
  EXPECT_FALSE(lines.ended());
  EXPECT_EQ(lines.error(), "signed-out");
}

class EventExport : public ::testing::Test {
 protected:
  EventExport() { world.server.stream_reply.headers = {{"content-type", "application/x-ndjson"}}; }
  FakeWorld world;
  testing::TempDir folder;
};

TEST_F(EventExport, GoesOnBehindTheLastWholeEventAfterABreak) {
  world.server.stream_chunks = {kOne + kTwo.substr(0, 10), "", kTwo + end_line(1), ""};
  const auto ran = world.run({"event", "export", "--from", "3", "--noun", "session", "--actor", "alice"});
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  EXPECT_EQ(ran.out, kOne + kTwo + end_line(2));
  ASSERT_EQ(world.server.requests.size(), 2u);
  EXPECT_EQ(world.server.requests[0].target,
            "/v1/events/export?from=3&actor=alice&noun=session&format=jsonl");
  EXPECT_NE(world.server.requests[1].target.find("&after=5-0&"), std::string::npos)
      << world.server.requests[1].target;
}

TEST_F(EventExport, AFileIsThereWhenItIsWholeAndReplacesNoneUnasked) {
  const std::string path = (folder.path() / "events.jsonl").string();
  world.server.stream_chunks = {kOne, "{\"error\":{\"code\":\"signed-out\",\"events\":1}}\n", ""};
  const auto cut = world.run({"event", "export", "--file", path});
  EXPECT_EQ(cut.exit, kFailed);
  EXPECT_NE(cut.err.find("signed-out"), std::string::npos) << cut.err;
  EXPECT_NE(cut.err.find("--after 5-0"), std::string::npos) << cut.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  world.server.stream_chunks = {kOne + kTwo + end_line(2), ""};
  const auto ran = world.run({"event", "export", "--file", path});
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), kOne + kTwo + end_line(2));
  EXPECT_NE(ran.err.find("all events up to record 9"), std::string::npos) << ran.err;
  EXPECT_EQ(world.run({"event", "export", "--file", path}).exit, kUsage);
}

TEST_F(EventExport, ReplacesNoPipeAndNoDevice) {
  const std::string path = (folder.path() / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  world.server.stream_chunks = {kOne + kTwo + end_line(2), ""};
  const auto ran = world.run({"event", "export", "--file", path, "--force"});
  EXPECT_EQ(ran.exit, kConflict);
  EXPECT_NE(ran.err.find("not-a-file"), std::string::npos) << ran.err;
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_TRUE(world.server.requests.empty());
}

const std::string kStandsStill = "{\"error\":{\"code\":\"log-unavailable\",\"events\":1}}\n";

TEST_F(EventExport, WaitsForALogThatStandsStillAndGoesOn) {
  world.server.stream_chunks = {kOne + kStandsStill, "", kStandsStill, "", kTwo + end_line(1), ""};
  const auto ran = world.run({"event", "export"});
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  EXPECT_EQ(ran.out, kOne + kTwo + end_line(2));
}

TEST_F(EventExport, SaysThatTheLogStandsStillWhereItStaysSo) {
  world.server.stream_chunks = {kOne};
  for (int i = 0; i < 10; ++i)
    world.server.stream_chunks.insert(world.server.stream_chunks.end(), {kStandsStill, ""});
  const auto ran = world.run({"event", "export"});
  EXPECT_EQ(ran.exit, kUnreachable) << ran.err;
  EXPECT_NE(ran.err.find("log-unavailable"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("--after 5-0"), std::string::npos) << ran.err;
}

TEST_F(EventExport, IsNoneWhereItsLastLineNeverComes) {
  world.server.stream_chunks = {kOne};
  for (int i = 0; i < 10; ++i) world.server.stream_chunks.push_back("");
  const auto ran = world.run({"event", "export"});
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("export-cut"), std::string::npos) << ran.err;
}

TEST_F(EventExport, SaysWhatTheServerRefuses) {
  world.server.stream_reply = problem(400, "swapped-ends");
  world.server.stream_chunks = {""};
  const auto ran = world.run({"event", "export", "--from", "9", "--to", "3"});
  EXPECT_EQ(ran.exit, kUsage);
  EXPECT_NE(ran.err.find("swapped-ends"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace berth::cli
