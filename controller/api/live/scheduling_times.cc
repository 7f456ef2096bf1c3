#include "controller/api/live/scheduling_times.h"

#include <prometheus/text_serializer.h>

#include <algorithm>

namespace berth::controller {
namespace {

using prometheus::Histogram;

double seconds(Duration duration) { return static_cast<double>(duration) / kSecond; }

prometheus::MetricFamily family(const char* name, const char* help, const Histogram& histogram) {
  return {name, help, prometheus::MetricType::Histogram, {histogram.Collect()}};
}

}  // namespace

SchedulingTimes::SchedulingTimes()
    : queue_wait_(
          Histogram::BucketBoundaries{0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3'600, 14'400, 86'400}),
      pass_(Histogram::BucketBoundaries{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                        0.25, 1}),
      start_(Histogram::BucketBoundaries{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900}) {}

void SchedulingTimes::on_row(const projections::SessionRow* before, const projections::SessionRow* after) {
  if (before == nullptr || after == nullptr) return;
  if (projections::is_waiting(before->status) && projections::is_end(after->status)) return;  // told before
  if (after->running_at != 0 && before->running_at != after->running_at)
    start_.Observe(seconds(after->running_at - after->scheduled_at));
  if (after->attempt <= before->attempt) return;
  queue_wait_.Observe(seconds(after->scheduled_at - std::max(after->created_at, after->requeued_at)));
}

void SchedulingTimes::passed(Duration took) { pass_.Observe(seconds(took)); }

std::string SchedulingTimes::text() const {
  return prometheus::TextSerializer().Serialize(
      {family("berth_queue_wait_seconds",
              "From a session's request, or its return to the queue, to its place.", queue_wait_),
       family("berth_scheduler_pass_seconds", "A round of the leader that made scheduling passes.", pass_),
       family("berth_session_start_seconds", "From a session's place to all of its kernels running.",
              start_)});
}

}  // namespace berth::controller
