// What a disk has lost of old blocks of the journal is found before anybody needs them.
#include "controller/runtime/log/log_scrub.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "events/base/system_clock.h"
#include "events/log/local/local_log.h"
#include "events/log/log_errors.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/runtime/node_rig.h"

namespace berth::testing {
namespace {

namespace fs = std::filesystem;
using controller::LogScrub;

constexpr controller::LogScrubTimes kAtOnce{.first = 0, .every = kDay, .breath = 0};
const SystemClock kMachine;

std::unique_ptr<EventLog> log_to_scrub(const fs::path& folder) {
  auto log = open_local_log({.dir = folder, .layout = {}, .clock = &kMachine});
  EXPECT_TRUE(log.ok()) << to_string(log.error());
  return std::move(*log);
}

// Many rows.
void fill_journal(EventLog& log, int rows) {
  for (int i = 0; i < rows; ++i) {
    std::promise<AppendState> done;
    log.append(kJournal, {}, std::string(100'000, static_cast<char>('a' + i % 20)),
               [&done](const AppendResult& result) { done.set_value(result.state); });
    log.flush();
    ASSERT_EQ(done.get_future().get(), AppendState::kDurable);
  }
}

LogScrub::Found after_a_walk(EventLog& log) {
  LogScrub scrub(log, kMachine, kAtOnce);
  scrub.start();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  LogScrub::Found found;
  do {
    found = scrub.found();
    std::this_thread::yield();
  } while (found.whole_at == 0 && !found.damage && std::chrono::steady_clock::now() < until);
  scrub.stop();
  return found;
}

TEST(LogScrub, SaysWhenAWholeJournalWasReadLast) {
  const TempDir folder;
  const auto log = log_to_scrub(folder.path() / "log");
  fill_journal(*log, 40);
  const Timestamp before = kMachine.now().boottime;
  const auto found = after_a_walk(*log);
  EXPECT_FALSE(found.damage);
  EXPECT_GE(found.whole_at, before);
}

TEST(LogScrub, FindsOldRecordsThatTheDiskHasLost) {
  const TempDir folder;
  {
    const auto log = log_to_scrub(folder.path() / "log");
    fill_journal(*log, 40);
  }
  { const auto log = log_to_scrub(folder.path() / "log"); }  // they are in a table, no longer in a WAL
  int damaged = 0;
  for (const auto& file : fs::recursive_directory_iterator(folder.path() / "log")) {
    if (file.path().extension() != ".sst" || fs::file_size(file) < 20'000) continue;
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(fs::file_size(file) / 2));  // a start looks at both ends
    bytes << "rot, rot, rot, rot";
    ++damaged;
  }
  ASSERT_GT(damaged, 0);
  const auto log = log_to_scrub(folder.path() / "log");
  const auto found = after_a_walk(*log);
  ASSERT_TRUE(found.damage);
  EXPECT_TRUE(is_log_broken(*found.damage)) << to_string(*found.damage);
  EXPECT_EQ(found.whole_at, 0);
}

TEST(LogScrub, EndsAtOnceAlthoughItsTimeHasNotCome) {
  const TempDir folder;
  const auto log = log_to_scrub(folder.path() / "log");
  LogScrub scrub(*log, kMachine);
  scrub.start();
  scrub.stop();
  EXPECT_EQ(scrub.found().whole_at, 0);
}

}  // namespace
}  // namespace berth::testing
