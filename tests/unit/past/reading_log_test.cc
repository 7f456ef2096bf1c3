// A log on a disk, read beside the process that writes it.
#include "events/log/local/reading_log.h"

#include <atomic>
#include <thread>

#include "events/base/system_clock.h"
#include "events/log/local/local_log.h"
#include "tests/support/local_log_folder.h"
#include "tests/support/projector_rig.h"
#include "tests/unit/past/past_rig.h"

namespace berth::testing {
namespace {

TEST(ReadingLog, ShowsWhatIsThereAndLeavesItsWriterAlone) {
  TempDir dir;
  SystemClock clock;
  LocalLogOptions options;
  options.dir = (dir.path() / "log").string();
  options.clock = &clock;
  auto log = open_local_log(options);
  ASSERT_TRUE(log) << to_string(log.error());
  const auto journal = busy_journal(10);
  const auto append = [&](const std::string& payload) {
    std::atomic<bool> done = false;
    (*log)->append({Stream::kJournal, 0}, "", payload, [&](const AppendResult&) { done = true; });
    while (!done) std::this_thread::yield();
  };
  for (const std::string& payload : journal.payloads()) append(payload);
  const auto reading = open_local_log_for_reading(options.dir);
  ASSERT_TRUE(reading) << to_string(reading.error());
  append("one more");
  EXPECT_EQ((*reading)->extent({Stream::kJournal, 0})->end, journal.payloads().size());
  EXPECT_EQ((*log)->extent({Stream::kJournal, 0})->end, journal.payloads().size() + 1);
  const projections::PastRebuilder rebuilder(
      {test_cluster(), {}, **reading, nullptr, [](Offset) { return false; }});
  const auto state =
      rebuilder.rebuild(journal.payloads().size(), nullptr, [](Offset, Offset) { return true; });
  ASSERT_TRUE(state) << to_string(state.error());
  EXPECT_EQ(rows_of((*state)->state()), folded_rows(journal, journal.payloads().size()));
}

TEST(ReadingLog, SaysThatTheTailIsLostAndShowsWhatIsLeft) {
  TempDir dir;
  const std::string folder = (dir.path() / "log").string();
  const auto payloads = busy_journal(10).payloads();
  write_local_log(folder, payloads);
  std::optional<Error> lost;
  ASSERT_TRUE(open_local_log_for_reading(folder, &lost));
  EXPECT_FALSE(lost) << to_string(*lost);
  lose_tail(folder, {payloads.begin(), payloads.begin() + 4});
  const auto reading = open_local_log_for_reading(folder, &lost);
  ASSERT_TRUE(reading) << to_string(reading.error());
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->code, "log-truncated");
  EXPECT_EQ((*reading)->extent({Stream::kJournal, 0})->end, 4u);
  std::filesystem::resize_file(folder + "/end-mark", 10);
  lost.reset();
  ASSERT_TRUE(open_local_log_for_reading(folder, &lost));
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->code, "log-corrupt");
}

TEST(ReadingLog, OfAFolderWithoutALogIsRefused) {
  TempDir dir;
  EXPECT_FALSE(open_local_log_for_reading(dir.path().string()));
}

}  // namespace
}  // namespace berth::testing
