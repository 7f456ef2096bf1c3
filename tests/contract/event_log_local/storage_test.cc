// What the embedded log does with its folder: locks, layouts, damage, retention.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <map>

#include "events/log/local/batch_row.h"
#include "events/log/local/reading_log.h"
#include "events/log/log_errors.h"
#include "tests/contract/event_log_local/local_fixture.h"

namespace berth {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class HandClock final : public Clock {
 public:
  Instant now() const override { return {at_.load() + wall_ahead_.load(), at_.load()}; }
  void advance(Duration by) { at_ += by; }
  void jump_wall(Duration by) { wall_ahead_ += by; }

 private:
  std::atomic<Timestamp> at_{1'000 * kDay};
  std::atomic<Duration> wall_ahead_{0};
};

// This thread's, and those that it starts meanwhile: they come late, as on a machine with much to do.
class OneCore {
 public:
  OneCore() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    int core = 0;
    while (core < CPU_SETSIZE - 1 && !CPU_ISSET(core, &before_)) ++core;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { ::sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_;
};

class LocalLogFolder : public ::testing::Test {
 protected:
  LocalLogOptions options() {
    return {.dir = dir_.path() + "/log", .layout = kSmallLayout, .clock = &clock_};
  }
  Result<std::unique_ptr<EventLog>> open(const LocalLogOptions& with) { return open_local_log(with); }
  std::unique_ptr<EventLog> open_good(const LocalLogOptions& with) {
    Result<std::unique_ptr<EventLog>> log = open_local_log(with);
    EXPECT_TRUE(log.ok()) << to_string(log.error());
    return log ? std::move(*log) : nullptr;
  }
  // The newest write-ahead file below a log's folder.
  static fs::path newest_wal(const std::string& dir) {
    fs::path newest;
    for (const auto& file : fs::directory_iterator(dir + "/rows")) {
      if (file.path().extension() == ".log" && file.path() > newest && file.file_size() > 0)
        newest = file.path();
    }
    return newest;
  }
  static void flip_byte(const fs::path& path, std::uint64_t at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char was = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(was ^ 0x40));
  }
  // 50 synced rows in a log whose mark stays at 0, as a crash leaves it: a copy of the folder under way.
  std::string crashed_copy() {
    LocalLogOptions with = options();
    with.mark_interval = kDay;
    const std::unique_ptr<EventLog> log = open_good(with);
    for (int i = 0; i < 50; ++i) append_and_wait(*log, kJournalOfLocal, "record " + std::to_string(i));
    const std::string copy = dir_.path() + "/crashed";
    fs::copy(with.dir, copy, fs::copy_options::recursive);
    return copy;
  }

  TemporaryFolder dir_;
  HandClock clock_;
};

TEST_F(LocalLogFolder, ASecondOpeningIsRefusedWithTheHoldersPid) {
  const std::unique_ptr<EventLog> first = open_good(options());
  const Result<std::unique_ptr<EventLog>> second = open(options());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, "log-in-use");
  EXPECT_THAT(second.error().message, HasSubstr("pid " + std::to_string(getpid())));
}

// As the RocksDB of a newer Debian leaves it; the older one's own words would be "Unknown Footer version".
TEST_F(LocalLogFolder, ALogThatANewerRocksDbWroteIsRefusedByNameAndAnOlderOnesIsNot) {
  const std::string rows = options().dir + "/rows";
  append_and_wait(*open_good(options()), kJournalOfLocal, "kept");
  std::ofstream(rows + "/OPTIONS-999998") << "[Version]\n  rocksdb_version=99.10.1\n";
  const auto log = open(options());
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-newer");
  EXPECT_THAT(log.error().message, HasSubstr("RocksDB 99.10 wrote the log in " + rows));
  EXPECT_THAT(log.error().hint, HasSubstr("RocksDB 99.10 or newer"));
  const auto reading = open_local_log_for_reading(options().dir);
  ASSERT_FALSE(reading.ok());
  EXPECT_EQ(reading.error().code, "log-newer");
  std::ofstream(rows + "/OPTIONS-999999") << "[Version]\n  rocksdb_version=5.18.4\n";
  EXPECT_EQ(read_all(*open_good(options()), kJournalOfLocal), std::vector<std::string>{"kept"});
}

TEST_F(LocalLogFolder, AnotherLayoutIsRefusedAndBothAreNamed) {
  open_good(options()).reset();
  LocalLogOptions other = options();
  other.layout.orders = 3;
  const Result<std::unique_ptr<EventLog>> log = open(other);
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-layout-differs");
  EXPECT_THAT(log.error().message, HasSubstr("orders 2"));
  EXPECT_THAT(log.error().message, HasSubstr("orders 3"));
  EXPECT_NE(open_good(options()), nullptr);
}

TEST_F(LocalLogFolder, ALogThatEndsBeforeItsMarkIsRefusedAndBothAreNamed) {
  {
    const std::unique_ptr<EventLog> log = open_good(options());
    for (int i = 0; i < 50; ++i) append_and_wait(*log, kJournalOfLocal, "record " + std::to_string(i));
  }  // the mark says 50
  const fs::path wal = newest_wal(options().dir);
  fs::resize_file(wal, fs::file_size(wal) - 10);
  const Result<std::unique_ptr<EventLog>> log = open(options());
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-truncated");
  EXPECT_THAT(log.error().message, HasSubstr("ends at 49"));
  EXPECT_THAT(log.error().message, HasSubstr("up to 50"));
}

TEST_F(LocalLogFolder, P26_WhoAcceptsTheTruncationGetsWhatIsLeftAndTheNextOpeningNeedsNoFlag) {
  {
    const std::unique_ptr<EventLog> log = open_good(options());
    for (int i = 0; i < 50; ++i) append_and_wait(*log, kJournalOfLocal, "record " + std::to_string(i));
  }
  const fs::path wal = newest_wal(options().dir);
  fs::resize_file(wal, fs::file_size(wal) - 10);
  LocalLogOptions accepting = options();
  accepting.accept_truncation = true;
  EXPECT_EQ(read_all(*open_good(accepting), kJournalOfLocal).size(), 49u);
  EXPECT_NE(open_good(options()), nullptr);
}

TEST_F(LocalLogFolder, ALogWhoseRowsAreGoneIsRefused) {
  append_and_wait(*open_good(options()), kJournalOfLocal, "x");
  fs::remove_all(options().dir + "/rows");
  EXPECT_EQ(open(options()).error().code, "log-truncated");
}

// Which tables there are is in the MANIFEST: a part of it names fewer.
TEST_F(LocalLogFolder, AManifestThatIsCutOrGoneIsRefusedByNameAndLosesNothingInSilence) {
  std::vector<std::string> records;
  for (int start = 0; start < 6; ++start) {
    const std::unique_ptr<EventLog> log = open_good(options());
    for (int i = 0; i < 5; ++i) {
      records.push_back(std::to_string(records.size()));
      append_and_wait(*log, kJournalOfLocal, records.back());
    }
  }
  fs::path manifest;
  for (const auto& file : fs::directory_iterator(options().dir + "/rows"))
    if (file.path().filename().string().starts_with("MANIFEST")) manifest = file.path().filename();
  const auto whole = fs::file_size(fs::path(options().dir) / "rows" / manifest);
  int refused = 0;
  for (std::uintmax_t kept = 0; kept <= whole; kept += whole / 12) {
    LocalLogOptions cut = options();
    cut.dir = dir_.path() + "/cut-" + std::to_string(kept);
    fs::copy(options().dir, cut.dir, fs::copy_options::recursive);
    const fs::path damaged = fs::path(cut.dir) / "rows" / manifest;
    kept == 0 ? static_cast<void>(fs::remove(damaged)) : fs::resize_file(damaged, kept);
    const auto log = open(cut);
    if (log.ok()) {
      EXPECT_EQ(read_all(**log, kJournalOfLocal), records) << kept << " of " << whole;
      continue;
    }
    ++refused;
    EXPECT_TRUE(is_log_truncated(log.error()) || is_log_broken(log.error())) << to_string(log.error());
  }
  EXPECT_GT(refused, 3);
}

TEST_F(LocalLogFolder, ATailCutByACrashIsDroppedAndTheRestIsThere) {
  LocalLogOptions crashed = options();
  crashed.dir = crashed_copy();
  const fs::path wal = newest_wal(crashed.dir);
  fs::resize_file(wal, fs::file_size(wal) - 10);
  const std::unique_ptr<EventLog> log = open_good(crashed);
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(read_all(*log, kJournalOfLocal).size(), 49u);
  EXPECT_EQ(append_and_wait(*log, kJournalOfLocal, "next").offset, 49u);
}

TEST_F(LocalLogFolder, ADamagedRecordInTheMiddleIsRefusedNotDropped) {
  LocalLogOptions crashed = options();
  crashed.dir = crashed_copy();
  const fs::path wal = newest_wal(crashed.dir);
  flip_byte(wal, fs::file_size(wal) / 2);
  const Result<std::unique_ptr<EventLog>> log = open(crashed);
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-corrupt");
}

TEST_F(LocalLogFolder, ADamagedMarkIsRefusedWithWhatToDo) {
  append_and_wait(*open_good(options()), kJournalOfLocal, "x");
  const std::string mark = options().dir + "/end-mark";
  flip_byte(mark, 30);
  flip_byte(mark, 4096 + 30);
  const Result<std::unique_ptr<EventLog>> log = open(options());
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-corrupt");
  EXPECT_THAT(log.error().message, HasSubstr("end-mark"));
  EXPECT_THAT(log.error().hint, HasSubstr("remove"));
}

TEST_F(LocalLogFolder, ATornWriteOfTheMarkLeavesTheOneBefore) {
  append_and_wait(*open_good(options()), kJournalOfLocal, "x");  // the mark's second slot
  flip_byte(options().dir + "/end-mark", 4096 + 30);
  const std::unique_ptr<EventLog> log = open_good(options());
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(read_all(*log, kJournalOfLocal).size(), 1u);
}

TEST_F(LocalLogFolder, ALogThatIsStartedOftenHasFewFiles) {
  std::vector<std::string> expected;
  for (int start = 0; start < 100; ++start) {
    const std::unique_ptr<EventLog> log = open_good(options());
    ASSERT_TRUE(log);
    expected.push_back("record " + std::to_string(start));
    append_and_wait(*log, kJournalOfLocal, expected.back());
  }
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(options().dir + "/rows"))
    files += file.path().extension() == ".sst" ? 1 : 0;
  EXPECT_LT(files, 40u);
  EXPECT_EQ(read_all(*open_good(options()), kJournalOfLocal), expected);
}

// What a start wrote for one of a stream's partitions lies between files of the others, and moves down a
// level while those are merged.
TEST_F(LocalLogFolder, FilesThatAreMergedAndFilesThatMoveDownDoNotMeet) {
  const OneCore one_core;
  for (int folder = 0; folder < 6; ++folder) {
    LocalLogOptions with = options();
    with.dir += std::to_string(folder);
    with.layout.reports = with.layout.requests = with.layout.orders = 4;
    std::map<Partition, std::vector<std::string>> expected;
    for (unsigned start = 0; start < 26; ++start) {
      const std::unique_ptr<EventLog> log = open_good(with);
      ASSERT_TRUE(log);
      for (int stream = 0; stream < kStreamCount; ++stream) {
        const auto in = static_cast<Stream>(stream);
        const Partition partition{in, start * 7 % with.layout.partitions_of(in)};
        expected[partition].push_back(std::string(50'000, static_cast<char>('a' + start)));
        append_and_wait(*log, partition, expected[partition].back());
      }
    }
    const std::unique_ptr<EventLog> log = open_good(with);
    for (const auto& [partition, payloads] : expected) EXPECT_EQ(read_all(*log, partition), payloads);
  }
}

TEST_F(LocalLogFolder, EveryRecordHasAChecksum) {
  local::BlockBuilder builder(7, 100);
  builder.add("first");
  builder.add("second");
  std::string bytes = builder.finish(0)->bytes;
  ASSERT_TRUE(local::parse_block(kJournalOfLocal, 7, bytes).ok());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  const Result<local::BlockPtr> damaged = local::parse_block(kJournalOfLocal, 7, bytes);
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().code, "log-corrupt");
  EXPECT_THAT(damaged.error().message, HasSubstr("journal/0 at offset 8"));
}

TEST_F(LocalLogFolder, ReadersBehindTheTailReadFromDiskAndGoOnInMemory) {
  LocalLogOptions with = options();
  with.tail_bytes = 2'000;
  const std::unique_ptr<EventLog> log = open_good(with);
  const std::unique_ptr<LogReader> reader = std::move(*log->open_reader({{kJournalOfLocal, 0}}));
  std::vector<LogEntry> entries;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 200; ++i)
      append_and_wait(*log, kJournalOfLocal, "record " + std::to_string(round * 200 + i));
    while (entries.size() < static_cast<std::size_t>(round + 1) * 200 - 7)
      ASSERT_GT(*reader->poll(kSecond, 64, 1 << 20, entries), 0u);
  }
  for (std::size_t i = 0; i < entries.size(); ++i)
    ASSERT_EQ(entries[i].payload, "record " + std::to_string(i));
}

TEST_F(LocalLogFolder, RetentionTakesOldBeatsAndKeepsTheJournalAndTheEnds) {
  LocalLogOptions with = options();
  with.mark_interval = kMillisecond;
  const Partition health{Stream::kHealth, 0};
  {
    const std::unique_ptr<EventLog> log = open_good(with);
    append_and_wait(*log, health, "old");
    append_and_wait(*log, kJournalOfLocal, "for ever");
    clock_.advance(2 * kHour);
    append_and_wait(*log, health, "new");
    while (log->extent(health)->begin ==
           0) {  // the removal that saw only "old" may be the last of its interval
      clock_.advance(kSecond);
      std::this_thread::yield();
    }
    EXPECT_EQ(log->extent(health)->begin, 1u);
    EXPECT_EQ(read_all(*log, health), std::vector<std::string>{"new"});
    EXPECT_EQ(read_all(*log, kJournalOfLocal).size(), 1u);
    const std::unique_ptr<LogReader> late = std::move(*log->open_reader({{health, 0}}));
    std::vector<LogEntry> entries;
    EXPECT_EQ(late->poll(0, 10, 1000, entries).error().code, "offset-out-of-range");
  }
  const std::unique_ptr<EventLog> again = open_good(with);
  EXPECT_EQ(again->extent(health)->begin, 1u);
  EXPECT_EQ(append_and_wait(*again, health, "next").offset, 2u);
}

TEST_F(LocalLogFolder, F15_RetentionDoesNotBelieveAWallClockThatJumps) {
  LocalLogOptions with = options();
  with.mark_interval = kMillisecond;
  const Partition health{Stream::kHealth, 0}, requests{Stream::kRequests, 0};
  for (int start = 0; start < 2; ++start) {
    const std::unique_ptr<EventLog> log = open_good(with);
    append_and_wait(*log, health, "old");
    append_and_wait(*log, requests, "a request");
    clock_.jump_wall(30 * kDay);
    append_and_wait(*log, health, "new");
    append_and_wait(*log, requests, "another");
    const Offset beats = log->extent(health)->end;
    clock_.advance(2 * kHour);
    append_and_wait(*log, health, "newer");
    for (Duration waited = 0; log->extent(health)->begin < beats;) {  // until retention has run
      if (waited < kDay) clock_.advance(kSecond), waited += kSecond;
      std::this_thread::yield();
    }
    EXPECT_EQ(log->extent(requests)->begin, 0u) << "kept for 7 days, start " << start;
  }
}

}  // namespace
}  // namespace berth
