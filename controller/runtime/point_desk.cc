#include "controller/runtime/point_desk.h"

#include <chrono>

namespace berth::controller {

using projections::ChainPoint;

ChainPoint PointDesk::point() const {
  const std::lock_guard lock(mutex_);
  return point_;
}

std::uint64_t PointDesk::note_question() {
  const std::lock_guard lock(mutex_);
  return ++asked_;
}

Result<ChainPoint> PointDesk::answer_to(std::uint64_t question, Duration wait) {
  std::unique_lock lock(mutex_);
  const bool told = changed_.wait_for(lock, std::chrono::nanoseconds(wait),
                                      [&] { return answered_ >= question || closed_; });
  if (closed_) return make_error("stopping", "this server stops", "ask another one");
  if (!told)
    return make_error("not-ready", "the journal's reader has not answered in time",
                      "it catches up or rebuilds; see /readyz?verbose");
  return point_;
}

bool PointDesk::is_asked() {
  const std::lock_guard lock(mutex_);
  seen_ = asked_;
  return seen_ > answered_;
}

void PointDesk::show(const ChainPoint& point) {
  const std::lock_guard lock(mutex_);
  point_ = point;
}

void PointDesk::answer(const ChainPoint& point) {
  const std::lock_guard lock(mutex_);
  point_ = point;
  answered_ = seen_;
  changed_.notify_all();
}

void PointDesk::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace berth::controller
