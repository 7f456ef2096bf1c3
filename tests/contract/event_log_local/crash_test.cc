// The embedded log against kill -9 and full disks (P26).
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/contract/event_log_local/local_fixture.h"

namespace berth {
namespace {

constexpr char kDirVariable[] = "BERTH_TEST_LOG_DIR";

// A process of its own (RocksDB's threads do not survive a fork): this program, running only the test below.
class ChildWriter {
 public:
  explicit ChildWriter(const std::string& dir) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], 3);
      setenv(kDirVariable, dir.c_str(), 1);
      execl("/proc/self/exe", "writer", "--gtest_filter=LocalLogChild.DISABLED_AppendsUntilItIsKilled",
            "--gtest_also_run_disabled_tests", "--gtest_brief=1", static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends[1]);
    from_child_ = ends[0];
  }
  ~ChildWriter() {
    if (pid_ > 0) kill_now();
    close(from_child_);
  }
  ChildWriter(const ChildWriter&) = delete;
  ChildWriter& operator=(const ChildWriter&) = delete;

  pid_t pid() const { return pid_; }
  // The next number that the child heard to be durable; -1 when it is gone and the pipe is empty.
  long next_acknowledged() {
    std::uint32_t number = 0;
    return read(from_child_, &number, sizeof number) == sizeof number ? static_cast<long>(number) : -1;
  }
  void kill_now() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  int from_child_ = -1;
};

std::string numbered(std::uint32_t number) { return std::to_string(number) + std::string(number % 300, '.'); }

TEST(LocalLogChild, DISABLED_AppendsUntilItIsKilled) {
  const char* dir = std::getenv(kDirVariable);
  ASSERT_NE(dir, nullptr);
  const SystemClock clock;
  Result<std::unique_ptr<EventLog>> log =
      open_local_log({.dir = dir, .layout = kSmallLayout, .clock = &clock});
  ASSERT_TRUE(log.ok()) << to_string(log.error());
  auto number = static_cast<std::uint32_t>((*log)->extent(kJournalOfLocal)->end);
  std::atomic<std::uint32_t> in_flight{0};
  while (true) {  // until killed
    ++in_flight;
    (*log)->append(kJournalOfLocal, "", numbered(number), [number, &in_flight](const AppendResult& result) {
      if (result.state != AppendState::kDurable || result.offset != number) _exit(3);
      if (write(3, &number, sizeof number) != sizeof number) _exit(4);
      --in_flight;
      in_flight.notify_one();
    });
    ++number;
    for (std::uint32_t now = in_flight; now > 200; now = in_flight) in_flight.wait(now);
  }
}

TEST(LocalLogCrash, NothingAcknowledgedIsLostToKill9AndOrderIsKept) {
  const TemporaryFolder dir;
  const SystemClock clock;
  long acknowledged = -1;
  for (int round = 0; round < 5; ++round) {
    {
      ChildWriter writer(dir.path());
      const long until = acknowledged + 300 * (round + 1);
      while (acknowledged < until) {
        const long number = writer.next_acknowledged();
        ASSERT_GE(number, 0) << "the writer ended by itself";
        acknowledged = number;
      }
      writer.kill_now();
      for (long number = writer.next_acknowledged(); number >= 0; number = writer.next_acknowledged())
        acknowledged = number;
    }
    Result<std::unique_ptr<EventLog>> log =
        open_local_log({.dir = dir.path(), .layout = kSmallLayout, .clock = &clock});
    ASSERT_TRUE(log.ok()) << to_string(log.error());
    const std::vector<std::string> payloads = read_all(**log, kJournalOfLocal);
    ASSERT_GT(payloads.size(), static_cast<std::size_t>(acknowledged));
    for (std::uint32_t i = 0; i < payloads.size(); ++i) ASSERT_EQ(payloads[i], numbered(i));
    acknowledged = static_cast<long>(payloads.size()) - 1;  // the next writer goes on from here
  }
}

TEST(LocalLogCrash, AnotherProcessOnTheFolderIsNamedByItsPid) {
  const TemporaryFolder dir;
  const SystemClock clock;
  ChildWriter writer(dir.path());
  ASSERT_GE(writer.next_acknowledged(), 0);
  const Result<std::unique_ptr<EventLog>> log =
      open_local_log({.dir = dir.path(), .layout = kSmallLayout, .clock = &clock});
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-in-use");
  EXPECT_NE(log.error().message.find("pid " + std::to_string(writer.pid())), std::string::npos)
      << log.error().message;
}

class SmallDisk {
 public:
  explicit SmallDisk(const std::string& at) : at_(at) {
    mounted_ = mount("tmpfs", at.c_str(), "tmpfs", 0, "size=64m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(at_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  std::string at_;
  bool mounted_ = false;
};

TEST(LocalLogFullDisk, SaysSoLosesNothingAndGoesOnWhenThereIsSpace) {
  const TemporaryFolder dir;
  const SmallDisk disk(dir.path());
  if (!disk.mounted()) GTEST_SKIP() << "needs root to mount a small tmpfs";
  const SystemClock clock;
  const LocalLogOptions options{.dir = dir.path() + "/log", .layout = kSmallLayout, .clock = &clock};
  const std::string ballast = dir.path() + "/ballast";
  std::ofstream(ballast) << std::string(44 << 20, 'b');
  std::vector<std::string> durable;
  {
    Result<std::unique_ptr<EventLog>> log = open_local_log(options);
    ASSERT_TRUE(log.ok()) << to_string(log.error());
    AppendResult result;
    for (int i = 0; i < 1000 && (i == 0 || result.state == AppendState::kDurable); ++i) {
      const std::string payload = std::to_string(i) + std::string(100'000, 'x');
      result = append_and_wait(**log, kJournalOfLocal, payload);
      if (result.state == AppendState::kDurable) durable.push_back(payload);
    }
    ASSERT_EQ(result.state, AppendState::kUnknown);
    EXPECT_EQ(result.error.code, "disk-full") << to_string(result.error);
    const AppendResult while_full = append_and_wait(**log, kJournalOfLocal, std::string(100'000, 'y'));
    EXPECT_EQ(while_full.state, AppendState::kFailed);
    EXPECT_EQ(while_full.error.code, "disk-full");
    EXPECT_EQ(read_all(**log, kJournalOfLocal), durable);  // reading goes on

    std::filesystem::remove(ballast);
    do {  // it tries again by itself, ten times a second
      result = append_and_wait(**log, kJournalOfLocal, "after");
    } while (result.state != AppendState::kDurable);
    durable.push_back("after");
    EXPECT_EQ(result.offset, durable.size() - 1);
    EXPECT_EQ(read_all(**log, kJournalOfLocal), durable);
  }
  Result<std::unique_ptr<EventLog>> again = open_local_log(options);
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_EQ(read_all(**again, kJournalOfLocal), durable);
}

TEST(LocalLogFullDisk, RefusesToOpenOnAFullDiskAndSaysWhy) {
  const TemporaryFolder dir;
  const SmallDisk disk(dir.path());
  if (!disk.mounted()) GTEST_SKIP() << "needs root to mount a small tmpfs";
  {
    std::ofstream ballast(dir.path() + "/ballast");
    const std::string block(64 << 10, 'b');
    while (ballast << block && ballast.flush()) {}
  }
  const SystemClock clock;
  const Result<std::unique_ptr<EventLog>> log =
      open_local_log({.dir = dir.path() + "/log", .layout = kSmallLayout, .clock = &clock});
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "disk-full") << to_string(log.error());
}

}  // namespace
}  // namespace berth
