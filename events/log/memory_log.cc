#include "events/log/memory_log.h"

#include <algorithm>
#include <utility>

#include "events/base/checks.h"
#include "events/log/memory_client.h"
#include "events/log/positions.h"

namespace berth {

std::shared_ptr<MemoryLogServer> MemoryLogServer::create(LogLayout layout, MemoryLogMode mode) {
  return std::shared_ptr<MemoryLogServer>(new MemoryLogServer(std::move(layout), mode));
}

std::unique_ptr<EventLog> MemoryLogServer::connect() {
  return std::make_unique<MemoryLogClient>(shared_from_this(), next_client_++);
}

void MemoryLogServer::set_mode(MemoryLogMode mode) {
  mode_ = mode;
  if (mode != MemoryLogMode::kAutomatic) return;
  std::erase_if(in_flight_, [](const InFlight& append) { return append.phase == InFlightPhase::kStray; });
  pump();
}

void MemoryLogServer::append(std::uint64_t client, Partition partition, std::string payload,
                             AppendDone done) {
  InFlight append{next_id_++,         client,          partition, InFlightPhase::kQueued,
                  std::move(payload), std::move(done), 0};
  in_flight_.push_back(std::move(append));
  if (mode_ == MemoryLogMode::kAutomatic) pump();
}

void MemoryLogServer::pump() {
  if (pumping_) return;  // called from a callback: the loop below sees what it appended
  pumping_ = true;
  std::size_t strays = 0;
  while (strays < in_flight_.size()) {
    const InFlight& oldest = in_flight_[strays];
    if (oldest.phase == InFlightPhase::kStray) {
      ++strays;
      continue;
    }
    const std::uint64_t id = oldest.id;
    if (oldest.payload.size() > kPayloadBytesMax && oldest.phase == InFlightPhase::kQueued) {
      report(id, AppendState::kFailed, payload_too_large(oldest.payload.size()));
      continue;
    }
    if (oldest.phase == InFlightPhase::kQueued) land(id);
    acknowledge(id);
  }
  pumping_ = false;
}

bool MemoryLogServer::is_next(const InFlight& append) const {
  if (append.phase == InFlightPhase::kStray) return true;
  for (const InFlight& other : in_flight_) {
    if (other.id == append.id) return true;
    if (other.phase != InFlightPhase::kStray && other.client == append.client &&
        other.partition == append.partition) {
      // Landing may run ahead of the acknowledgement, but not of an append that is still queued.
      if (other.phase == InFlightPhase::kQueued || append.phase == InFlightPhase::kLanded) return false;
    }
  }
  return false;
}

bool MemoryLogServer::land(std::uint64_t id) {
  const auto append = find(id);
  if (append == in_flight_.end() || append->phase == InFlightPhase::kLanded || !is_next(*append))
    return false;
  if (!is_reachable(append->partition.stream)) return false;
  if (append->payload.size() > kPayloadBytesMax)
    return report(id, AppendState::kFailed, payload_too_large(append->payload.size()));
  if (append->phase == InFlightPhase::kStray) {
    push(append->partition, {std::move(append->payload)});
    in_flight_.erase(append);
    return true;
  }
  // A copy stays with the append only where the simulator may still ask for a duplicate.
  append->offset = push(append->partition,
                        {mode_ == MemoryLogMode::kManual ? append->payload : std::move(append->payload)});
  append->phase = InFlightPhase::kLanded;
  return true;
}

bool MemoryLogServer::acknowledge(std::uint64_t id) {
  const auto append = find(id);
  if (append == in_flight_.end() || append->phase != InFlightPhase::kLanded || !is_next(*append))
    return false;
  if (!is_reachable(append->partition.stream)) return false;
  finish(append, AppendState::kDurable, {});
  return true;
}

bool MemoryLogServer::report(std::uint64_t id, AppendState state, Error error) {
  const auto append = find(id);
  if (append == in_flight_.end() || append->phase == InFlightPhase::kStray) return false;
  // The writer hears in append order: also a queued one waits for those that landed before it.
  for (auto other = in_flight_.begin(); other != append; ++other) {
    if (other->phase == InFlightPhase::kStray) continue;
    if (other->client == append->client && other->partition == append->partition) return false;
  }
  if (append->phase == InFlightPhase::kLanded && state != AppendState::kUnknown) return false;
  if (state == AppendState::kDurable) return false;
  if (append->phase == InFlightPhase::kQueued && state == AppendState::kUnknown) {
    AppendDone done = std::exchange(append->done, {});
    append->phase = InFlightPhase::kStray;
    if (done) done(AppendResult{state, 0, std::move(error)});
    return true;
  }
  finish(append, state, std::move(error));
  return true;
}

bool MemoryLogServer::drop(std::uint64_t id) {
  const auto append = find(id);
  if (append == in_flight_.end() || append->phase != InFlightPhase::kStray) return false;
  in_flight_.erase(append);
  return true;
}

bool MemoryLogServer::duplicate(std::uint64_t id) {
  const auto append = find(id);
  if (append == in_flight_.end() || append->phase != InFlightPhase::kLanded) return false;
  push(append->partition, {append->payload});
  return true;
}

void MemoryLogServer::add_gap(Partition partition) { push(partition, {"", true}); }

void MemoryLogServer::truncate(Partition partition, Offset end) {
  Stored& log = stored(partition);
  const Offset kept = std::max(end, log.begin) - log.begin;
  if (kept < log.slots.size()) log.slots.resize(kept);
  ++version_;
}

void MemoryLogServer::retain(Partition partition, Offset begin) {
  Stored& log = stored(partition);
  while (log.begin < begin && !log.slots.empty()) {
    log.slots.pop_front();
    ++log.begin;
  }
  ++version_;
}

void MemoryLogServer::set_reachable(Stream stream, bool reachable) {
  if (reachable)
    unreachable_.erase(stream);
  else
    unreachable_.insert(stream);
  ++version_;
}

Extent MemoryLogServer::extent(Partition partition) const {
  const Stored* log = find_stored(partition);
  return log == nullptr ? Extent{} : Extent{log->begin, log->begin + log->slots.size()};
}

const MemoryLogServer::Slot& MemoryLogServer::at(Partition partition, Offset offset) const {
  const Stored* log = find_stored(partition);
  BERTH_CHECK(log != nullptr && offset >= log->begin && offset - log->begin < log->slots.size(),
              "offset outside the extent");
  return log->slots[offset - log->begin];
}

void MemoryLogServer::disconnect(std::uint64_t client) {
  std::erase_if(in_flight_, [client](const InFlight& a) {
    return a.client == client && a.phase == InFlightPhase::kLanded;
  });
  for (InFlight& append : in_flight_) {
    if (append.client != client) continue;
    append.phase = InFlightPhase::kStray;
    append.done = {};
  }
}

MemoryLogServer::Stored& MemoryLogServer::stored(Partition partition) {
  BERTH_CHECK(partition.number < layout_.partitions_of(partition.stream), "partition is not in the layout");
  return partitions_[partition];
}

const MemoryLogServer::Stored* MemoryLogServer::find_stored(Partition partition) const {
  const auto at = partitions_.find(partition);
  return at == partitions_.end() ? nullptr : &at->second;
}

std::deque<InFlight>::iterator MemoryLogServer::find(std::uint64_t id) {
  const auto at =
      std::lower_bound(in_flight_.begin(), in_flight_.end(), id,
                       [](const InFlight& append, std::uint64_t wanted) { return append.id < wanted; });
  return at != in_flight_.end() && at->id == id ? at : in_flight_.end();
}

const InFlight* MemoryLogServer::find_in_flight(std::uint64_t id) const {
  const auto at = const_cast<MemoryLogServer*>(this)->find(id);
  return at == in_flight_.end() ? nullptr : &*at;
}

Offset MemoryLogServer::push(Partition partition, Slot slot) {
  Stored& log = stored(partition);
  log.slots.push_back(std::move(slot));
  ++version_;
  return log.begin + log.slots.size() - 1;
}

void MemoryLogServer::finish(std::deque<InFlight>::iterator append, AppendState state, Error error) {
  const AppendDone done = std::move(append->done);
  const AppendResult result{state, append->offset, std::move(error)};
  in_flight_.erase(append);  // first: the callback may append
  if (done) done(result);
}

std::unique_ptr<EventLog> open_memory_log(const LogLayout& layout) {
  return MemoryLogServer::create(layout, MemoryLogMode::kAutomatic)->connect();
}

}  // namespace berth
