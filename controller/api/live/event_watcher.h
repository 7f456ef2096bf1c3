// Watcher: one client's place in the journal, as a FrameStream.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "controller/api/live/event_hub.h"

namespace berth::controller::api {

class Watcher final : public FrameStream, public std::enable_shared_from_this<Watcher> {
 public:
  Watcher(EventHub& hub, const WatchFrom& from, EventFilter filter, std::uint64_t rebuilds);
  ~Watcher() override;
  void next(std::function<void(Batch)> done) override;
  // Something changed that no news tell of: the hub stops.
  void look_again();

 private:
  using Lock = std::unique_lock<std::mutex>;
  // Looks for new events and hands them out, or arranges to look again.
  void look(Lock& lock);
  void end(Lock& lock, EventHub::Life life);
  void look_in_ring(Lock& lock, const std::vector<std::shared_ptr<EventHub::Slot>>& found,
                    std::optional<Offset> position);
  void read_log();
  void took_from_log(const Result<JournalPage>& read);
  void look_later();
  bool is_signed_out() const;
  // The stream ends with an error of that code.
  void cut_off(Code code);
  void take(const EncodedRecord& record);
  void finish_if_at_end(std::optional<Offset> position);
  // If a call of next() waits and there are events: unlocks and hands them out.
  bool hand_out(Lock& lock);
  void arm_keep_alive();
  template <class F> auto later(F f);

  EventHub& hub_;
  const WatchFrom from_;
  const std::uint64_t rebuilds_;  // of the hub's journal, when the stream began
  std::mutex mutex_;              // guards all below
  EventFilter filter_;
  const bool asks_whose_;
  Offset at_;                        // next record to look at
  Batch pending_;                    // found, not yet handed out
  std::function<void(Batch)> done_;  // of the call of next() under way
  std::uint64_t call_ = 0;           // number of calls of next()
  bool reading_log_ = false;
  bool waiting_for_news_ = false;
};

}  // namespace berth::controller::api
