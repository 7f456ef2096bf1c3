// The embedded log against errors of its disk that pass, and against those that do not (P26).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iterator>
#include <random>

#include "events/log/local/local_reader.h"
#include "events/log/log_errors.h"
#include "tests/contract/event_log_local/local_fixture.h"
#include "tests/support/rocks/faulty_files.h"

namespace berth {
namespace {

using testing::FaultyFiles;
using ::testing::HasSubstr;

constexpr Partition kHealth{Stream::kHealth, 0};

std::string numbered(std::size_t i, std::size_t size) { return std::to_string(i) + std::string(size, 'x'); }

class LocalLogFaults : public ::testing::Test {
 protected:
  LocalLogOptions options() {
    return {.dir = dir_.path() + "/log", .layout = kSmallLayout, .clock = &clock_};
  }
  void open() {
    auto log = open_local_log(options());
    ASSERT_TRUE(log.ok()) << to_string(log.error());
    log_ = std::move(*log);
  }
  // Small records, and then large ones of a stream whose memtable is full after 4 MiB: a flush, a new
  // write-ahead file. Until an append fails.
  AppendResult append_until_it_fails() {
    AppendResult result{AppendState::kDurable, 0, {}};
    for (int i = 0; i < 40 && result.state == AppendState::kDurable; ++i) {
      result = append(kJournalOfLocal, numbered(journal_.size(), 10));
      if (result.state == AppendState::kDurable)
        result = append_and_wait(*log_, kHealth, std::string(300'000, 'h'));
    }
    return result;
  }
  AppendResult append(Partition partition, const std::string& payload) {
    const AppendResult result = append_and_wait(*log_, partition, payload);
    if (result.state == AppendState::kDurable) journal_.push_back(payload);
    return result;
  }
  // It tries again by itself, ten times a second.
  bool goes_on_within(std::chrono::seconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (append(kJournalOfLocal, numbered(journal_.size(), 20)).state != AppendState::kDurable)
      if (std::chrono::steady_clock::now() > until) return false;
    return true;
  }

  TemporaryFolder dir_;
  const SystemClock clock_;
  std::shared_ptr<FaultyFiles> disk_ = FaultyFiles::make();
  std::unique_ptr<EventLog> log_;
  std::vector<std::string> journal_;
};

struct Passing {
  int error;
  unsigned ops;
  int after;
};

class LocalLogPassing : public LocalLogFaults, public ::testing::WithParamInterface<Passing> {};

TEST_P(LocalLogPassing, TheLogWaitsLosesNothingAndGoesOnByItself) {
  const auto [error, ops, after] = GetParam();
  open();
  ASSERT_TRUE(goes_on_within(std::chrono::seconds(5)));
  disk_->fail(ops, error, after);
  const AppendResult failed = append_until_it_fails();
  if (disk_->failed() == 0) GTEST_SKIP() << "this disk was not asked that";
  if (failed.state != AppendState::kDurable) {
    EXPECT_TRUE(may_retry(failed.error)) << to_string(failed.error);
    for (int again = 0; again < 3; ++again) {
      const AppendResult meanwhile = append(kJournalOfLocal, numbered(journal_.size(), 20));
      EXPECT_TRUE(meanwhile.state == AppendState::kDurable || may_retry(meanwhile.error))
          << to_string(meanwhile.error);
    }
  }
  disk_->heal();
  ASSERT_TRUE(goes_on_within(std::chrono::seconds(5))) << "first it said: " << to_string(failed.error);
  EXPECT_EQ(append_until_it_fails().state, AppendState::kDurable);
  EXPECT_EQ(read_all(*log_, kJournalOfLocal), journal_);
  log_.reset();
  open();
  EXPECT_EQ(read_all(*log_, kJournalOfLocal), journal_);
}

std::vector<Passing> all_passing() {
  std::vector<Passing> all;
  for (const int after : {0, 3}) {
    for (const int error : {ENOSPC, EDQUOT, EIO, ESTALE})
      for (const unsigned ops : {testing::kOpen, testing::kAppend, testing::kSync, testing::kAllOps})
        all.push_back({error, ops, after});
    for (const int error : {EMFILE, ENFILE, ENOMEM}) all.push_back({error, testing::kOpen, after});
  }
  return all;
}

std::string name_of_case(const ::testing::TestParamInfo<Passing>& tested) {
  const auto [error, ops, after] = tested.param;
  return std::string(strerrorname_np(error)) + "_Ops" + std::to_string(ops) + "_After" +
         std::to_string(after);
}

INSTANTIATE_TEST_SUITE_P(Each, LocalLogPassing, ::testing::ValuesIn(all_passing()), name_of_case);

// One log, one fault after another, each at another place.
TEST_F(LocalLogFaults, ManyFaultsThatPassLoseNothing) {
  open();
  std::mt19937 random(20260701);
  const int errors[] = {ENOSPC, EDQUOT, EMFILE, EIO, ESTALE};
  for (int fault = 0; fault < 10; ++fault) {
    disk_->fail(1 + random() % testing::kAllOps, errors[random() % std::size(errors)],
                static_cast<int>(random() % 30));
    for (int i = 0; i < 6; ++i) {
      append(kJournalOfLocal, numbered(journal_.size(), 30'000));
      append_and_wait(*log_, kHealth, std::string(300'000, 'h'));
    }
    disk_->heal();
    ASSERT_TRUE(goes_on_within(std::chrono::seconds(5))) << "fault " << fault;
  }
  EXPECT_GT(disk_->failed(), 10);
  EXPECT_EQ(read_all(*log_, kJournalOfLocal), journal_);
  log_.reset();
  open();
  EXPECT_EQ(read_all(*log_, kJournalOfLocal), journal_);
}

TEST_F(LocalLogFaults, AReaderBehindTheTailWaitsForDescriptorsAndReadsOn) {
  LocalLogOptions with = options();
  with.tail_bytes = 0;
  {
    const auto log = open_local_log(with);
    ASSERT_TRUE(log.ok());
    for (int i = 0; i < 20; ++i) append_and_wait(**log, kHealth, std::string(300'000, 'h'));
  }  // some of them are in a table by now
  disk_->fail(testing::kOpenToRead | testing::kRead, EMFILE, 1'000'000);
  auto log = open_local_log(with);
  ASSERT_TRUE(log.ok()) << to_string(log.error());
  const auto reader = std::move(*(*log)->open_reader({{kHealth, 0}}));
  std::vector<LogEntry> entries;
  disk_->fail(testing::kOpenToRead | testing::kRead, EMFILE);
  const auto polled = reader->poll(0, 100, 64 << 20, entries);
  ASSERT_FALSE(polled.ok());
  EXPECT_EQ(polled.error().code, "resources-short") << to_string(polled.error());
  disk_->heal();
  while (entries.size() < 20) ASSERT_GT(*reader->poll(kSecond, 100, 64 << 20, entries), 0u);
}

TEST_F(LocalLogFaults, ADiskThatFailsForLongIsBrokenAndSaidSo) {
  LocalLogOptions with = options();
  with.disk_patience = 300 * kMillisecond;
  log_ = std::move(*open_local_log(with));
  disk_->fail(testing::kAllOps, EIO);
  AppendResult result = append_until_it_fails();
  EXPECT_EQ(result.error.code, "disk-failing");
  while (may_retry(result.error)) result = append(kJournalOfLocal, "x");
  EXPECT_EQ(result.error.code, "log-io-error");
  EXPECT_THAT(result.error.message, HasSubstr("Input/output error"));
  EXPECT_THAT(result.error.message, HasSubstr("the disk has failed for 0 s"));
  EXPECT_TRUE(is_log_broken(result.error));
  disk_->heal();
  EXPECT_EQ(append(kJournalOfLocal, "x").state, AppendState::kFailed) << "until it is opened again";
  log_.reset();
  open();
  EXPECT_EQ(read_all(*log_, kJournalOfLocal), journal_);
}

// What no time mends is said in the disk's words, and neither the log's end nor its next try ends the
// process.
TEST_F(LocalLogFaults, AReadOnlyDiskIsFinalAndSaidAndTheLogCloses) {
  open();
  ASSERT_TRUE(goes_on_within(std::chrono::seconds(5)));
  disk_->fail(testing::kAllOps, EROFS);
  const AppendResult failed = append_until_it_fails();
  ASSERT_NE(failed.state, AppendState::kDurable);
  EXPECT_FALSE(may_retry(failed.error));
  EXPECT_EQ(failed.error.code, "log-io-error");
  EXPECT_THAT(failed.error.message, HasSubstr("Read-only file system"));
  log_.reset();
}

TEST_F(LocalLogFaults, ALogThatWaitsForItsDiskCloses) {
  open();
  disk_->fail(testing::kAllOps, ENOSPC);
  ASSERT_NE(append_until_it_fails().state, AppendState::kDurable);
  log_.reset();
  disk_->heal();
  open();
  EXPECT_EQ(read_all(*log_, kJournalOfLocal), journal_);
}

}  // namespace
}  // namespace berth
