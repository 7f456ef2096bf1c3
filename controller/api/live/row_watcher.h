// RowWatcher: one client's place among the batches of changed rows, as a FrameStream.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "controller/api/live/row_feed.h"

namespace berth::controller::api {

class RowWatcher final : public FrameStream, public std::enable_shared_from_this<RowWatcher> {
 public:
  struct Place {
    std::uint64_t next = 0;          // batch
    std::uint64_t rebuilds = 0;      // of the feed's state, when the stream began
    Timestamp until = 0;             // the caller's key is good; 0: always
    std::optional<Offset> position;  // to be told at once
    Code refused;                    // code: the stream ends at once
  };
  RowWatcher(RowFeed& feed, RowView view, const Place& place);
  ~RowWatcher() override;
  void next(std::function<void(Batch)> done) override;
  // Looks for news and hands them out.
  void look();

 private:
  using Lock = std::unique_lock<std::mutex>;
  void look(Lock& lock);
  void take(const RowFeed::Batches& batches);
  void restart(Code code);
  void hand_out(Lock& lock);
  // Tells the position now and then, so that both sides know that the stream lives.
  void arm_clock();
  void on_clock();

  RowFeed& feed_;
  const RowView view_;
  const std::uint64_t rebuilds_;
  const Timestamp until_;
  std::mutex mutex_;  // guards all below
  std::uint64_t next_;
  Batch pending_;
  std::function<void(Batch)> done_;  // of the call of next() under way
  bool clock_armed_ = false;
  bool owes_position_ = false;  // rows were told, and not yet that these are all up to their position
};

}  // namespace berth::controller::api
