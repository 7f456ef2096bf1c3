// RecordPipeline: the record that the leader is writing, and those that are in flight (P4, P5, P10, P11).
//
// A record is folded into the leader's projection as it is written; its orders wait in flight until it is
// read back. Nothing more may be decided while is_full(): records_in_flight or bytes_in_flight is reached
// (P20), or the pipeline is broken: the second net forbids an event of ours, which is a bug. A broken record
// goes to the log as it is, so that every reader refuses it alike and puts its inputs into quarantine (P7);
// nothing after it is written. One that is too large, which is a bug too, would be void without a word: it is
// not written at all (P4). Owned by a Leader.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "controller/cell/config.h"
#include "controller/cell/leader/order_outbox.h"
#include "controller/cell/leader/record_writer.h"
#include "controller/cell/leader/router.h"
#include "controller/cell/ports.h"

namespace berth::controller {

class RecordPipeline {
 public:
  using Orders = std::vector<std::pair<projections::Position, Append>>;

  // `snapshot_for`: agents that are to get a snapshot; what a record means adds to them.
  RecordPipeline(const ControllerConfig& config, projections::Projection& projection, Router& router,
                 OrderOutbox& outbox, std::set<std::string>& snapshot_for, Tickets& tickets,
                 ControllerCounters& counters);

  // ---- the open record ----
  RecordWriter& writer() { return writer_; }
  // Sends the open record to the log, if it holds anything.
  void close(const Instant& now, Outputs& out);
  // The same, once the record has grown to ControllerConfig::record_bytes.
  void close_if_large(const Instant& now, Outputs& out);

  bool is_full() const;
  bool is_broken() const { return !broken_.empty(); }
  // The forbidden event and why. REQUIRES: is_broken().
  const std::string& broken() const { return broken_; }

  // ---- in flight ----
  enum class ReadBack : std::uint8_t {
    kNext,       // the oldest in flight: its orders may leave
    kAgain,      // one of ours that was read back lately: the log has it twice
    kAfterLost,  // one of ours, but older ones never came: they are lost, and what was built on them is void
    kForeign,    // not ours
  };
  // `orders`: of kNext.
  [[nodiscard]] ReadBack read_back(const Hash256& link, Orders& orders);
  bool in_flight(std::uint64_t ticket) const;
  // Since when the oldest record in flight waits, on the boottime clock; nullopt: none is in flight.
  std::optional<Timestamp> waiting_since() const;
  // Keeps the order back until the newest record in flight is read back. Returns false, and leaves `order`
  // alone, if nothing is in flight.
  [[nodiscard]] bool hold_back(const projections::Position& position, Append& order);

 private:
  struct InFlight {
    std::uint64_t ticket = 0;
    Hash256 link{};
    std::size_t bytes = 0;
    Timestamp appended = 0;  // boottime
    Orders orders;
  };

  const ControllerConfig& config_;
  const projections::Projection& projection_;
  Router& router_;
  OrderOutbox& outbox_;
  std::set<std::string>& snapshot_for_;
  Tickets& tickets_;
  ControllerCounters& counters_;
  RecordWriter writer_;
  std::deque<InFlight> in_flight_;
  std::size_t bytes_in_flight_ = 0;
  std::deque<Hash256> own_links_;  // of own records read back lately
  std::string broken_;
};

}  // namespace berth::controller
