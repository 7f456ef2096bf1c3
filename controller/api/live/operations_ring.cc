#include "controller/api/live/operations_ring.h"

#include <algorithm>
#include <cmath>

#include "controller/api/map/json_values.h"
#include "events/base/checks.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kEpochsMax = 100;

}  // namespace

void OperationsRing::add(Timestamp time, std::vector<double> values) {
  BERTH_CHECK(values.size() == series_.size(), "a sample has a value for each series");
  const std::lock_guard lock(mutex_);
  samples_.push_back({time, std::move(values)});
  if (samples_.size() > kSamplesMax) samples_.pop_front();
}

void OperationsRing::saw_leader(std::uint64_t epoch, const std::string& leader, Timestamp time) {
  const std::lock_guard lock(mutex_);
  if (epoch == 0 || (!epochs_.empty() && epochs_.back().epoch == epoch)) return;
  epochs_.push_back({epoch, leader, samples_.empty() ? 0 : time});
  if (epochs_.size() > kEpochsMax) epochs_.pop_front();
}

std::size_t OperationsRing::size() const {
  const std::lock_guard lock(mutex_);
  return samples_.size();
}

json::object OperationsRing::json(std::size_t samples) const {
  const std::lock_guard lock(mutex_);
  const std::size_t first = samples_.size() - std::min(samples, samples_.size());
  json::array times, series, epochs;
  for (std::size_t i = first; i < samples_.size(); ++i) times.push_back(samples_[i].time / kSecond);
  for (std::size_t s = 0; s < series_.size(); ++s) {
    json::array values;
    for (std::size_t i = first; i < samples_.size(); ++i) {
      const double value = samples_[i].values[s];
      values.push_back(std::isfinite(value) ? json::value(value) : json::value(nullptr));
    }
    const SeriesName& name = series_[s];
    json::object labels;
    if (*name.label != '\0') labels[name.label] = name.value;
    series.push_back(json::object{{"name", name.name},
                                  {"unit", name.unit},
                                  {"labels", std::move(labels)},
                                  {"values", std::move(values)}});
  }
  for (const EpochSeen& seen : epochs_)
    epochs.push_back(
        json::object{{"epoch", seen.epoch}, {"leader", seen.leader}, {"since", time_or_null(seen.since)}});
  return {{"times", std::move(times)}, {"series", std::move(series)}, {"epochs", std::move(epochs)}};
}

}  // namespace berth::controller::api
