// What benchmarks share: give up with a message, clocks, percentiles, a folder and a log of their own.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "events/log/event_log.h"

namespace berth::bench {

inline constexpr Partition kJournal{Stream::kJournal, 0};

[[noreturn]] void give_up(const Error& error);
template <class T> T must(Result<T> result) {
  if (!result.ok()) give_up(result.error());
  return std::move(*result);
}
inline void must(Result<void> result) {
  if (!result.ok()) give_up(result.error());
}

// Monotonic, ns.
std::int64_t now_ns();

class Stopwatch {
 public:
  double seconds() const { return static_cast<double>(now_ns() - start_) * 1e-9; }

 private:
  std::int64_t start_ = now_ns();
};

// `per_mille` of the values (500 = median) in ms; 0 of none. Sorts them.
double percentile_ms(std::vector<std::int64_t>& ns, int per_mille);

// The middle one, the upper of two; 0 of none.
double median(std::vector<double> values);

// A folder below `parent` (empty: the system's for temporary files), removed at the end.
class TempFolder {
 public:
  TempFolder(const std::string& parent, const std::string& name);
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A fresh log: local: below the folder it names (empty URL: below `folder`), Kafka: streams of a name of
// their own. `cell` tells several logs of one run apart.
std::unique_ptr<EventLog> open_fresh_log(const std::string& url, const std::string& folder,
                                         const std::string& cell);

}  // namespace berth::bench
