#include "controller/api/live/event_watcher.h"

#include <algorithm>

#include "events/log/log_errors.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kBatchRecords = 256;
constexpr std::size_t kBatchBytes = 4u << 20;

const Frame& comment() {
  static const Frame frame = std::make_shared<const std::string>(": ok\n\n");
  return frame;
}

Frame end_frame(Offset position) {
  return std::make_shared<const std::string>("event: end\ndata: {\"position\":" + std::to_string(position) +
                                             "}\n\n");
}

Frame error_frame(const Error& error) {
  const boost::json::object data{{"code", error.code.word()}, {"detail", error.message}};
  return std::make_shared<const std::string>("event: error\ndata: " + boost::json::serialize(data) + "\n\n");
}

}  // namespace

Watcher::Watcher(EventHub& hub, const WatchFrom& from, EventFilter filter, std::uint64_t rebuilds)
    : hub_(hub),
      from_(from),
      rebuilds_(rebuilds),
      filter_(std::move(filter)),
      asks_whose_(filter_.asks_whose()),
      at_(from.after ? std::max(from.offset, from.after->offset) : from.offset) {
  pending_.frames.push_back(comment());  // so that the client sees at once that it is connected
}

Watcher::~Watcher() { hub_.forget(this); }

// A task for later that does nothing once the watcher is gone.
template <class F> auto Watcher::later(F f) {
  return [weak = weak_from_this(), f] {
    if (const auto self = weak.lock()) f(*self);
  };
}

void Watcher::next(std::function<void(Batch)> done) {
  Lock lock(mutex_);
  done_ = std::move(done);
  ++call_;
  if (hand_out(lock)) return;
  arm_keep_alive();
  look(lock);
}

void Watcher::look_again() {
  Lock lock(mutex_);
  look(lock);
}

bool Watcher::hand_out(Lock& lock) {
  if (!done_ || (pending_.frames.empty() && !pending_.end)) return false;
  std::function<void(Batch)> done = std::move(done_);
  done_ = nullptr;
  Batch batch = std::exchange(pending_, {});
  lock.unlock();
  done(std::move(batch));
  return true;
}

void Watcher::arm_keep_alive() {
  hub_.quick_.post_after(hub_.limits_.keep_alive, later([call = call_](Watcher& self) {
                           Lock lock(self.mutex_);
                           if (self.call_ != call || !self.done_) return;
                           if (self.is_signed_out()) self.cut_off("signed-out");
                           if (self.pending_.frames.empty()) self.pending_.frames.push_back(comment());
                           self.hand_out(lock);
                         }));
}

void Watcher::look(Lock& lock) {
  if (!done_) return;
  if (const auto life = hub_.life_of(rebuilds_); life != EventHub::Life::kGoesOn) return end(lock, life);
  if (is_signed_out()) {
    cut_off("signed-out");
    hand_out(lock);
    return;
  }
  if (reading_log_) return;
  // In this order: every record applied up to this position is in the ring when it is looked at.
  const auto position = hub_.board_.position();
  if (const auto found = hub_.recent(at_, kBatchRecords)) return look_in_ring(lock, *found, position);
  reading_log_ = true;
  hub_.turns_.go_on(filter_.reader.actor(), Turns::Work::kScan,
                    later([](Watcher& self) { self.read_log(); }));
}

void Watcher::end(Lock& lock, EventHub::Life life) {
  if (life == EventHub::Life::kRebuilt)
    pending_.frames.push_back(
        error_frame(make_error(kLogTruncated, "the journal lost records that this stream may have shown")));
  pending_.end = true;
  hand_out(lock);
}

bool Watcher::is_signed_out() const { return filter_.until != 0 && filter_.until <= hub_.context_.now(); }

void Watcher::cut_off(Code code) {
  pending_.frames.push_back(
      error_frame(make_error(code, code == "signed-out" ? "what signed this stream is no longer good"
                                                        : "you may see other events now")));
  pending_.end = true;
}

void Watcher::look_in_ring(Lock& lock, const std::vector<std::shared_ptr<EventHub::Slot>>& found,
                           std::optional<Offset> position) {
  for (const auto& slot : found) {
    take(hub_.encoded(*slot));
    at_ = slot->record.offset + 1;
  }
  const bool all = found.size() < kBatchRecords;
  if (all && position && at_ <= *position) at_ = *position + 1;  // what is between is void
  finish_if_at_end(position);
  if (hand_out(lock)) return;
  if (!all) {  // all filtered out: go on, but let others run
    hub_.quick_.post(later([](Watcher& self) {
      Lock again(self.mutex_);
      self.look(again);
    }));
    return;
  }
  if (std::exchange(waiting_for_news_, true)) return;
  hub_.when_news(position, later([](Watcher& self) {
                   Lock again(self.mutex_);
                   self.waiting_for_news_ = false;
                   if (!self.hand_out(again)) self.look(again);
                 }));
}

void Watcher::read_log() {
  Offset at;
  {
    const Lock lock(mutex_);
    at = at_;
  }
  took_from_log(hub_.context_.read_journal(at, kBatchRecords, kBatchBytes));  // nobody moves at_ meanwhile
}

void Watcher::took_from_log(const Result<JournalPage>& read) {
  std::vector<EncodedRecord> records;
  if (read.ok())
    for (const JournalRecord& record : read->records) records.push_back(hub_.encode(record, asks_whose_));
  const auto position = hub_.board_.position();
  Lock lock(mutex_);
  reading_log_ = false;
  if (!read.ok()) {
    pending_.frames.push_back(error_frame(read.error()));
    pending_.end = true;
  } else {
    for (const EncodedRecord& record : records) take(record);
    if (read->next <= at_)
      return look_later();  // the fold has read what this reader of the log has not got yet
    at_ = read->next;
    finish_if_at_end(position);
  }
  if (!hand_out(lock)) look(lock);
}

void Watcher::look_later() {
  hub_.quick_.post_after(std::chrono::milliseconds(50), later([](Watcher& self) {
                           Lock lock(self.mutex_);
                           self.look(lock);
                         }));
}

void Watcher::take(const EncodedRecord& record) {
  for (const EncodedEvent& event : record) {
    if (pending_.end) return;
    if (const Code code = filter_.ended_by(event); !code.empty()) return cut_off(code);
    if (from_.to && event.id.offset > *from_.to) return;
    if (from_.after && event.id <= *from_.after) continue;
    if (event.id.offset < from_.offset || !filter_.wants(event)) continue;
    pending_.frames.push_back(filter_.text_of(event).frame);
  }
}

void Watcher::finish_if_at_end(std::optional<Offset> position) {
  if (pending_.end || !from_.to || at_ <= *from_.to) return;
  pending_.frames.push_back(end_frame(position.value_or(0)));
  pending_.end = true;
}

}  // namespace berth::controller::api
