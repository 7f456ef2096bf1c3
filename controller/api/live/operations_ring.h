// OperationsRing: the last hour of a process in samples of five seconds, as series that a page can draw.
// Thread-safe.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "events/base/clock.h"

namespace berth::controller::api {

inline constexpr Duration kSampleEvery = 5 * kSecond;
inline constexpr std::size_t kSamplesMax = 720;

struct SeriesName {
  const char* name;
  const char* unit;   // "1/s", "s", "bytes", "count"
  const char* label;  // "stage"; empty: none
  const char* value;
};

struct EpochSeen {
  std::uint64_t epoch = 0;
  std::string leader;
  Timestamp since = 0;  // the cluster's; 0: it led before the first sample
};

class OperationsRing {
 public:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  explicit OperationsRing(std::vector<SeriesName> series) : series_(std::move(series)) {}

  // `values`: one a series, kNone where nothing is known. REQUIRES: as many as there are series.
  void add(Timestamp time, std::vector<double> values);
  void saw_leader(std::uint64_t epoch, const std::string& leader, Timestamp time);

  // The members times, series and epochs of the newest `samples`.
  boost::json::object json(std::size_t samples) const;
  std::size_t size() const;

 private:
  struct Sample {
    Timestamp time = 0;
    std::vector<double> values;
  };
  const std::vector<SeriesName> series_;
  mutable std::mutex mutex_;
  std::deque<Sample> samples_;
  std::deque<EpochSeen> epochs_;
};

}  // namespace berth::controller::api
