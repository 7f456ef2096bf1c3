// SchedulingTimes: how long sessions wait for their place and how long scheduling takes, for /metrics.
// Thread-safe.
#pragma once

#include <prometheus/histogram.h>

#include <string>

#include "events/base/clock.h"
#include "projections/tables/session_table.h"

namespace berth::controller {

class SchedulingTimes {
 public:
  SchedulingTimes();

  // A row that the fold changed (State::set_listener). Counts each session that got its place: how long it
  // was in the queue; and each whose kernels all run: how long they took to start. By header times.
  void on_row(const projections::SessionRow* before, const projections::SessionRow* after);
  // A round of the leader that made scheduling passes, the recording of their decisions included.
  void passed(Duration took);

  prometheus::ClientMetric::Histogram queue_wait() const { return queue_wait_.Collect().histogram; }
  prometheus::ClientMetric::Histogram pass() const { return pass_.Collect().histogram; }
  prometheus::ClientMetric::Histogram start() const { return start_.Collect().histogram; }
  // Prometheus' text form.
  std::string text() const;

 private:
  prometheus::Histogram queue_wait_, pass_, start_;  // seconds
};

}  // namespace berth::controller
