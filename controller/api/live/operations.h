// Operations: samples this process each five seconds into a ring of an hour: GET /v1/operations.
//
// What counts is the difference between two samples: rates of counters, percentiles of histograms. Neither
// Prometheus nor Grafana is needed to see the last hour.
#pragma once

#include <cstdint>
#include <mutex>

#include "controller/api/api_context.h"
#include "controller/api/http/turns.h"
#include "controller/api/http/workers.h"
#include "controller/api/live/operations_ring.h"

namespace berth::controller::api {

class Metrics;

class Operations {
 public:
  // All must outlive it, and `workers` be stopped before it goes.
  Operations(ApiContext& context, const Metrics& metrics, Workers& quick, Turns& turns);

  // Samples from now on, on the workers.
  void start();
  // One sample. May block on I/O.
  void sample();
  // The answer to GET /v1/operations, of so long a time. May block on I/O.
  boost::json::object json(Duration window);

 private:
  struct Counted {  // at one moment
    Timestamp boottime = 0;
    NodeFacts facts;
    std::uint64_t answered = 0;
    prometheus::ClientMetric::Histogram writes;
  };
  Counted count() const;
  std::vector<double> values_of(const Counted& now);

  ApiContext& context_;
  const Metrics& metrics_;
  Workers& quick_;
  Turns& turns_;
  std::mutex sampling_;
  Counted before_;  // guarded by sampling_
  OperationsRing ring_;
};

// The value below which `percent` of the observations between the two lie, drawn straight within a bucket;
// kNone if there were none. What is above the last bound counts as that bound.
double percentile_between(const prometheus::ClientMetric::Histogram& before,
                          const prometheus::ClientMetric::Histogram& after, int percent);

}  // namespace berth::controller::api
