// berth replay --decision POSITION --log DIR: a past placement of a log without its server.
#include <gtest/gtest.h>

#include "tests/support/placed_by_pass.h"
#include "tests/unit/cli/fake_world.h"
#include "tests/unit/log_shell/data_folder.h"

namespace berth::cli {
namespace {

using namespace testing;  // the builders of events

// One placement by a pass that began in its own record, right behind the request, and one of an older
// version.
struct PlacedLog {
  TestJournal journal = made();
  DataFolder folder{journal};
  Offset placed = journal.payloads().size() - 3;
  std::string path() const { return folder.path(); }

  static TestJournal made() {
    TestJournal journal;
    journal.elect();
    journal.append(definitions() + agent("a1"));
    const v1::RecordHeader next = journal.next_record({}).header();
    journal.append(
        {session_requested("demo"), placed_by_pass("demo", "a1", {next.epoch(), next.sequence(), 1})});
    journal.append({session_requested("old")});
    journal.append({session_scheduled("old", "a1")});
    return journal;
  }
};

TEST(ReplayDecision, ShowsEachStepOfALogWithoutItsServer) {
  PlacedLog log;
  FakeWorld world;
  const auto ran = world.run({"replay", "--decision", std::to_string(log.placed), "--log", log.path()});
  EXPECT_EQ(ran.exit, kOk) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("demo of alice, attempt 1: placed"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Queue: 1 sessions"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Comes out:  main1 on a1"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Equal to the record"), std::string::npos) << ran.out;
  const auto as_json = world.run(
      {"replay", "--decision", std::to_string(log.placed) + "-1", "--log", log.path(), "-o", "json"});
  EXPECT_NE(as_json.out.find("\"equal\": true"), std::string::npos) << as_json.out << as_json.err;
}

// An unset variable of a script is no reason to ask the server instead.
TEST(ReplayDecision, OfALogWithoutANameIsRefused) {
  FakeWorld world;
  EXPECT_EQ(world.run({"replay", "--decision", "1234-0", "--log", ""}).exit, kUsage);
  EXPECT_TRUE(world.server.requests.empty());
}

TEST(ReplayDecision, SaysWhatIsNoneAndWhatCannotBeKnown) {
  PlacedLog log;
  FakeWorld world;
  const auto run = [&](Offset position) {
    return world.run({"replay", "--decision", std::to_string(position), "--log", log.path()});
  };
  const auto none = run(log.placed + 1), older = run(log.placed + 2), future = run(log.placed + 3);
  EXPECT_EQ(none.exit, kNotFound);
  EXPECT_NE(none.err.find("no-decision"), std::string::npos) << none.err;
  EXPECT_EQ(older.exit, kFailed);
  EXPECT_NE(older.err.find("inputs-not-recorded"), std::string::npos) << older.err;
  EXPECT_NE(future.err.find("future-moment"), std::string::npos) << future.err;
}

}  // namespace
}  // namespace berth::cli
