#include "controller/api/live/row_watcher.h"

#include <algorithm>

namespace berth::controller::api {
namespace {

Frame frame_of(const char* event, const boost::json::object& data, const std::string& id = "") {
  return std::make_shared<const std::string>(std::string("event: ") + event + "\n" + id +
                                             "data: " + boost::json::serialize(data) + "\n\n");
}

Frame position_frame(Offset position) {
  return frame_of("position", {{"position", position}}, "id: " + std::to_string(position) + "\n");
}

const char* detail_of(Code code) {
  if (code == "too-old") return "the changes since then are not in memory any more";
  if (code == "rebuilt") return "the journal lost records that this stream may have shown";
  if (code == "signed-out") return "what signed this stream is no longer good";
  if (code == "definitions-changed") return "amounts are written in another way now";
  return "you may see other rows now";
}

}  // namespace

RowWatcher::RowWatcher(RowFeed& feed, RowView view, const Place& place)
    : feed_(feed), view_(std::move(view)), rebuilds_(place.rebuilds), until_(place.until), next_(place.next) {
  static const Frame comment = std::make_shared<const std::string>(": ok\n\n");
  pending_.frames.push_back(place.position ? position_frame(*place.position) : comment);
  if (!place.refused.empty()) restart(place.refused);
}

RowWatcher::~RowWatcher() { feed_.forget(this); }

void RowWatcher::next(std::function<void(Batch)> done) {
  Lock lock(mutex_);
  done_ = std::move(done);
  arm_clock();
  look(lock);
}

void RowWatcher::look() {
  Lock lock(mutex_);
  look(lock);
}

void RowWatcher::look(Lock& lock) {
  if (!done_) return;
  if (pending_.frames.empty()) {
    const RowFeed::Look found = feed_.look(next_, rebuilds_);
    switch (found.life) {
      case RowFeed::Life::kGoesOn: take(found.batches); break;
      case RowFeed::Life::kStopped: pending_.end = true; break;
      case RowFeed::Life::kRebuilt: restart("rebuilt"); break;
      case RowFeed::Life::kBehind: restart("too-old"); break;
    }
  }
  if (!pending_.frames.empty() || pending_.end) hand_out(lock);
}

// The newest first, so that a row that changed several times is told once.
void RowWatcher::take(const RowFeed::Batches& batches) {
  if (batches.empty()) return;
  next_ = batches.back()->number + 1;
  for (const auto& batch : batches)
    if (const Code code = view_.ended_by(*batch); !code.empty()) return restart(code);
  std::set<RowKey> told;
  for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch)
    view_.tell(**batch, told, pending_.frames);
  owes_position_ = owes_position_ || !pending_.frames.empty();
  if (!owes_position_ || !batches.back()->complete) return;
  pending_.frames.push_back(position_frame(batches.back()->position));
  owes_position_ = false;
}

void RowWatcher::restart(Code code) {
  pending_.frames.push_back(frame_of("restart", {{"code", code.word()}, {"detail", detail_of(code)}}));
  pending_.end = true;
}

void RowWatcher::hand_out(Lock& lock) {
  const std::function<void(Batch)> done = std::exchange(done_, nullptr);
  Batch batch = std::exchange(pending_, {});
  lock.unlock();
  done(std::move(batch));
}

void RowWatcher::arm_clock() {
  if (std::exchange(clock_armed_, true)) return;
  feed_.quick_.post_after(feed_.limits_.position, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_clock();
  });
}

void RowWatcher::on_clock() {
  const bool over = until_ != 0 && until_ <= feed_.context_.now();
  std::uint64_t next;
  {
    const Lock lock(mutex_);
    next = next_;
  }
  const auto position = feed_.told_up_to(next);
  Lock lock(mutex_);
  clock_armed_ = false;
  if (over)
    restart("signed-out");
  else if (position && next == next_ && done_)
    pending_.frames.push_back(position_frame(*position));
  if (!done_) return;
  arm_clock();
  if (!pending_.frames.empty()) hand_out(lock);
}

}  // namespace berth::controller::api
