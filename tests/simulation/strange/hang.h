// Calls of one process's log that give nothing for a while, or answer late, although the log is there for all
// others and the process's own ticks go on.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "events/base/clock.h"
#include "events/base/random.h"
#include "events/log/event_log.h"

namespace berth::simulation {

struct Hang {
  bool journal = false;   // reads of the journal, and questions where it ends
  bool inputs = false;    // reads of requests and reports (agents: of orders and acks), and their checks
  bool liveness = false;  // reads of beats and heartbeats
  bool appends = false;   // appends wait in the process
  bool outcomes = false;  // appends land; the process hears of it late
  bool ends = false;      // where the journal ends is answered as it was when it was asked
  Timestamp until = 0;    // boottime

  // From 1 to 20 s.
  static Hang draw(Rng& rng, Timestamp boottime);
};

// An EventLog whose appends, or their outcomes, wait while told to. Its readers are those of `inner`: who
// reads does not ask them while they hang. Appends that wait die with the process.
class HangingLog final : public EventLog {
 public:
  explicit HangingLog(std::unique_ptr<EventLog> inner) : inner_(std::move(inner)) {}
  // `appends`, `outcomes`: whether they wait from now on. What has waited goes on in its order.
  void hold(bool appends, bool outcomes);

  const LogLayout& layout() const override { return inner_->layout(); }
  void append(Partition partition, std::string_view key, std::string payload, AppendDone done) override;
  void flush() override { inner_->flush(); }
  Result<Extent> extent(Partition partition) override { return inner_->extent(partition); }
  Result<std::unique_ptr<LogReader>> open_reader(std::vector<ReadFrom> from) override {
    return inner_->open_reader(std::move(from));
  }

 private:
  struct Append {
    Partition partition;
    std::string key, payload;
    AppendDone done;
  };
  void pass_on(Append append);

  std::deque<Append> appends_;
  std::deque<std::function<void()>> outcomes_;
  bool holds_appends_ = false, holds_outcomes_ = false;
  std::unique_ptr<EventLog> inner_;  // last: its callbacks refer to the queues
};

}  // namespace berth::simulation
