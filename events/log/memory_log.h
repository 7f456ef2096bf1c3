// The log in memory, for tests and the simulator. Pure: no threads, no clock, no randomness of its own. One
// thread.
//
// A MemoryLogServer is the log; each simulated process connects and gets a client (an EventLog). A client's
// appends are queued in flight. In mode kAutomatic they become durable at once, inside append(). In mode
// kManual the simulator decides the outcome of each append, by its id:
//
//             land ------------> landed -- acknowledge --> gone (the writer got kDurable)
//            /                    |  \__ duplicate: it is in the log once more
//     queued -- report(kFailed) -> gone (never lands)
//            \_ report(kUnknown) / disconnect of the client --> stray: no writer waits for it;
//                                                               it lands later (delay, reorder) or is dropped
//                                                               (loss)
//
// add_gap() is the mark at which a transactional producer of Kafka's ends a transaction: an offset without a
// payload (P30).
//
// Callbacks keep append order per client and partition: land(), acknowledge() and report() are allowed only
// for the oldest append whose outcome the writer does not have. Reordering happens as in a real log: by
// strays that land late. truncate() removes the durable tail, also acknowledged and read payloads; retain()
// removes the oldest.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/event_log.h"

namespace berth {

enum class MemoryLogMode : std::uint8_t { kAutomatic, kManual };
enum class InFlightPhase : std::uint8_t { kQueued, kLanded, kStray };

struct InFlight {
  std::uint64_t id = 0;      // grows with append order over all clients
  std::uint64_t client = 0;  // number of the client that appended
  Partition partition;
  InFlightPhase phase = InFlightPhase::kQueued;
  std::string payload;
  AppendDone done;    // empty for strays
  Offset offset = 0;  // where it landed
};

class MemoryLogServer : public std::enable_shared_from_this<MemoryLogServer> {
 public:
  static std::shared_ptr<MemoryLogServer> create(LogLayout layout, MemoryLogMode mode);

  // A process's own handle; keeps the server alive. Destroying the handle is that process's crash: its queued
  // appends become strays, and none of its callbacks runs any more.
  std::unique_ptr<EventLog> connect();

  const LogLayout& layout() const { return layout_; }
  void set_mode(MemoryLogMode mode);  // to kAutomatic: all strays drop, everything else lands

  // Lands and acknowledges all queued appends, in append order, also those that callbacks add meanwhile.
  // Strays stay.
  void pump();

  // In append order, all clients. The reference is valid until the next call that changes the server.
  const std::deque<InFlight>& in_flight() const { return in_flight_; }
  const InFlight* find_in_flight(std::uint64_t id) const;  // null: settled
  // True if land() / acknowledge() / report() may be applied to the append now (see above). Strays: always.
  bool is_next(const InFlight& append) const;

  // Each returns false, and does nothing, if the phase of `id` does not allow the call.
  bool land(std::uint64_t id);         // queued, stray
  bool acknowledge(std::uint64_t id);  // landed
  bool report(std::uint64_t id, AppendState state,
              Error error);          // queued: kFailed, kUnknown; landed: kUnknown
  bool drop(std::uint64_t id);       // stray
  bool duplicate(std::uint64_t id);  // landed
  // Durable at once, whatever is in flight: from somebody whose appends nobody simulates.
  void put(Partition partition, std::string payload) { push(partition, {std::move(payload)}); }

  void add_gap(Partition partition);
  void truncate(Partition partition, Offset end);
  void retain(Partition partition, Offset begin);
  // While a stream is out of reach nothing of it lands or is acknowledged; poll() and extent() of clients say
  // log-unavailable.
  void set_reachable(Stream stream, bool reachable);
  bool is_reachable(Stream stream) const { return !unreachable_.contains(stream); }
  Extent extent(Partition partition) const;
  // What is at an offset inside the extent: for checkers. The payload of a gap is empty.
  const std::string& payload_at(Partition partition, Offset offset) const {
    return at(partition, offset).payload;
  }
  bool is_gap(Partition partition, Offset offset) const { return at(partition, offset).gap; }
  // Grows with every change that a reader could notice.
  std::uint64_t version() const { return version_; }

 private:
  friend class MemoryLogClient;
  friend class MemoryLogReader;
  struct Slot {
    std::string payload;
    bool gap = false;
  };
  struct Stored {
    Offset begin = 0;
    std::deque<Slot> slots;
  };

  MemoryLogServer(LogLayout layout, MemoryLogMode mode) : layout_(std::move(layout)), mode_(mode) {}
  void append(std::uint64_t client, Partition partition, std::string payload, AppendDone done);
  void disconnect(std::uint64_t client);
  Stored& stored(Partition partition);
  const Stored* find_stored(Partition partition) const;
  std::deque<InFlight>::iterator find(std::uint64_t id);
  const Slot& at(Partition partition, Offset offset) const;
  Offset push(Partition partition, Slot slot);
  void finish(std::deque<InFlight>::iterator append, AppendState state, Error error);

  LogLayout layout_;
  MemoryLogMode mode_;
  std::map<Partition, Stored> partitions_;
  std::set<Stream> unreachable_;
  std::deque<InFlight> in_flight_;
  std::uint64_t next_id_ = 1;
  std::uint64_t next_client_ = 1;
  std::uint64_t version_ = 0;
  bool pumping_ = false;
};

// A server of its own in kAutomatic mode: the easiest log for a unit test.
std::unique_ptr<EventLog> open_memory_log(const LogLayout& layout);

}  // namespace berth
