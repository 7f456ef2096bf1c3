// Folders and short hands for the tests of the embedded log.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "events/base/system_clock.h"
#include "events/log/local/local_log.h"

namespace berth {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "berth-log-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline const LogLayout kSmallLayout{.cluster = "t", .cell = "c0", .requests = 1, .reports = 1, .orders = 2};
inline constexpr Partition kJournalOfLocal{Stream::kJournal, 0};

// One append, waited for.
inline AppendResult append_and_wait(EventLog& log, Partition partition, std::string payload) {
  std::promise<AppendResult> done;
  log.append(partition, "", std::move(payload), [&](const AppendResult& result) { done.set_value(result); });
  return done.get_future().get();
}

inline std::vector<std::string> read_all(EventLog& log, Partition partition) {
  std::vector<std::string> payloads;
  const Extent extent = *log.extent(partition);
  const std::unique_ptr<LogReader> reader = std::move(*log.open_reader({{partition, extent.begin}}));
  std::vector<LogEntry> entries;
  while (payloads.size() < extent.end - extent.begin) {
    entries.clear();
    const Result<std::size_t> got = reader->poll(kSecond, 10'000, 64 << 20, entries);
    if (!got || *got == 0) {
      ADD_FAILURE() << (got ? "nothing more" : to_string(got.error()));
      break;
    }
    for (LogEntry& entry : entries) payloads.push_back(std::move(entry.payload));
  }
  return payloads;
}

}  // namespace berth
