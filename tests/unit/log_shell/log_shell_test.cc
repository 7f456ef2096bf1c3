// berth log shell: a journal as folders and files, at any of its moments.
#include "ops/cli/log_shell/log_shell.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <thread>

#include "events/base/system_clock.h"
#include "events/log/local/local_log.h"
#include "tests/unit/cli/fake_world.h"
#include "tests/unit/log_shell/data_folder.h"

namespace berth::cli {
namespace {

using namespace testing;  // the builders of events

// A session ran and ended.
struct OneEnded {
  TestJournal journal = made();
  DataFolder folder{journal};
  Offset running = journal.payloads().size() - 3;
  std::string path() const { return folder.path(); }

  static TestJournal made() {
    TestJournal journal;
    journal.elect();
    journal.append(definitions() + agent("a1"));
    journal.append({session_requested("demo")});
    journal.append({session_scheduled("demo", "a1")});
    journal.append({kernel_preparing(kernel_name("demo")), kernel_running(kernel_name("demo"))});
    journal.advance(kMinute);
    journal.append({session_terminating("demo")});
    journal.append({kernel_terminated(kernel_name("demo"), v1::EXITED)});
    return journal;
  }
};

TEST(LogShell, ShowsTheFoldersAndWhatIsInThemNow) {
  OneEnded data;
  FakeWorld world;
  const auto ran =
      world.run({"log", "shell", data.path(), "-c", "ls", "-c", "ls agents", "-c", "cat sessions/demo"});
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  EXPECT_NE(ran.out.find("sessions/\n"), std::string::npos);
  EXPECT_NE(ran.out.find("\na1\n"), std::string::npos);
  EXPECT_NE(ran.out.find("\"status\": \"TERMINATED\""), std::string::npos) << ran.out;
  EXPECT_NE(ran.err.find("signatures are not checked"), std::string::npos);
}

TEST(LogShell, GoesToAMomentByPositionAndByTime) {
  OneEnded data;
  FakeWorld world;
  const auto ran = world.run({"log", "shell", data.path(), "-c", "cd @" + std::to_string(data.running), "-c",
                              "cd sessions", "-c", "cat demo", "-c", "pwd", "-c", "cd ..", "-c", "cd @now",
                              "-c", "cat /sessions/demo"});
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  const auto then = ran.out.find("\"status\": \"RUNNING\""), now = ran.out.find("\"status\": \"TERMINATED\"");
  EXPECT_LT(then, now) << ran.out;
  EXPECT_NE(ran.out.find("/sessions @" + std::to_string(data.running) + "-0 "), std::string::npos) << ran.out;
  const auto by_time =
      world.run({"log", "shell", data.path(), "-c", "cd @2023-11-14T22:13:50Z", "-c", "cat sessions/demo"});
  EXPECT_NE(by_time.out.find("RUNNING"), std::string::npos) << by_time.out << by_time.err;
}

TEST(LogShell, ListsEventsAndShowsOne) {
  OneEnded data;
  FakeWorld world;
  const auto ran = world.run({"log", "shell", data.path(), "-c", "ls events", "-c",
                              "cat events/" + std::to_string(data.running) + "-1"});
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  EXPECT_NE(ran.out.find("KernelTerminated"), std::string::npos);
  EXPECT_NE(ran.out.find("\"type\": \"KernelRunning\""), std::string::npos) << ran.out;
}

TEST(LogShell, SaysWhatIsNotThere) {
  OneEnded data;
  FakeWorld world;
  for (const char* command :
       {"cat sessions/nobody", "ls cats", "cd cats", "cd @99999", "cd @2000-01-01T00:00:00Z",
        "cd @2023-11-14T22:13:50", "cat events/99999-0", "cat events/x", "rm sessions/demo", "cat"})
    EXPECT_NE(world.run({"log", "shell", data.path(), "-c", command}).exit, kOk) << command;
  EXPECT_EQ(world.run({"log", "shell", "/nonexistent", "-c", "ls"}).exit, kNotFound);
}

TEST(LogShell, NeitherLocksNorChangesTheFolder) {
  OneEnded data;
  SystemClock clock;
  LocalLogOptions options;
  options.dir = data.path() + "/log";
  options.clock = &clock;
  const auto writer = open_local_log(options);
  ASSERT_TRUE(writer.ok());
  const auto names = [&] {
    std::set<std::string> all;
    for (const auto& file : std::filesystem::recursive_directory_iterator(data.path()))
      all.insert(file.path());
    return all;
  };
  const auto before = names();
  FakeWorld world;
  EXPECT_EQ(world.run({"log", "shell", data.path(), "-c", "ls sessions"}).out, "demo\n");
  EXPECT_EQ(names(), before);
}

TEST(LogShell, KnowsWhatAWordMayBecome) {
  OneEnded data;
  auto log = OfflineLog::open(data.path());
  ASSERT_TRUE(log.ok());
  auto tree = LogTree::open(**log);
  ASSERT_TRUE(tree.ok());
  LogShell shell(std::move(*tree), 0, {});
  EXPECT_EQ(shell.completions("ca"), std::vector<std::string>{"cat"});
  EXPECT_EQ(shell.completions("ls sess"), std::vector<std::string>{"sessions/"});
  EXPECT_EQ(shell.completions("cat sessions/d"), std::vector<std::string>{"sessions/demo"});
  const std::string event = std::to_string(data.running) + "-1";
  EXPECT_EQ(shell.completions("cat events/" + event), std::vector<std::string>{"events/" + event});
  EXPECT_EQ(shell.completions("cd /sess"), std::vector<std::string>{"/sessions/"});
  EXPECT_EQ(shell.completions("cd sessions/d"), std::vector<std::string>());
  EXPECT_EQ(shell.completions("cd @"), std::vector<std::string>{"@now"});
}

}  // namespace
}  // namespace berth::cli
