#include "controller/cell/leader/record_pipeline.h"

#include <algorithm>

namespace berth::controller {

using projections::Position;

namespace {

constexpr std::size_t kOwnLinksKept = 256;  // a log that repeats a record does it within a producer's window

}  // namespace

RecordPipeline::RecordPipeline(const ControllerConfig& config, projections::Projection& projection,
                               Router& router, OrderOutbox& outbox, std::set<std::string>& snapshot_for,
                               Tickets& tickets, ControllerCounters& counters)
    : config_(config),
      projection_(projection),
      router_(router),
      outbox_(outbox),
      snapshot_for_(snapshot_for),
      tickets_(tickets),
      counters_(counters),
      writer_(projection, JournalSigner(config.cluster, config.secret)) {}

bool RecordPipeline::is_full() const {
  return is_broken() || in_flight_.size() >= config_.records_in_flight ||
         bytes_in_flight_ >= config_.bytes_in_flight;
}

void RecordPipeline::close(const Instant& now, Outputs& out) {
  if (is_broken() || !writer_.is_open()) return;
  if (writer_.is_empty()) return writer_.cancel();
  broken_ = writer_.forbidden();
  ClosedRecord closed = writer_.close();
  if (closed.payload.size() > kRecordBytesMax) {
    broken_ = "a record of " + std::to_string(closed.payload.size()) + " bytes";
    return;
  }
  InFlight record;
  record.ticket = tickets_.next();
  record.link = closed.link;
  record.bytes = closed.payload.size();
  record.appended = now.boottime;
  if (!is_broken()) {
    record.orders = router_.orders(projection_.state(), writer_.record(), writer_.notes());
    for (const auto& [position, order] : record.orders) outbox_.owe(position);
    for (const auto& note : writer_.notes())
      if (note.snapshot) snapshot_for_.insert(note.agent);
  }
  ++counters_.records;
  counters_.events += static_cast<std::uint64_t>(closed.events);
  bytes_in_flight_ += record.bytes;
  out.appends.push_back({{Stream::kJournal, 0}, config_.name, std::move(closed.payload), record.ticket});
  in_flight_.push_back(std::move(record));
}

void RecordPipeline::close_if_large(const Instant& now, Outputs& out) {
  if (writer_.is_open() && (writer_.bytes() >= config_.record_bytes || !writer_.forbidden().empty()))
    close(now, out);
}

RecordPipeline::ReadBack RecordPipeline::read_back(const Hash256& link, Orders& orders) {
  if (!in_flight_.empty() && in_flight_.front().link == link) {
    bytes_in_flight_ -= in_flight_.front().bytes;
    orders = std::move(in_flight_.front().orders);
    in_flight_.pop_front();
    own_links_.push_back(link);
    if (own_links_.size() > kOwnLinksKept) own_links_.pop_front();
    return ReadBack::kNext;
  }
  for (const auto& record : in_flight_)
    if (record.link == link) return ReadBack::kAfterLost;
  const bool again = std::find(own_links_.begin(), own_links_.end(), link) != own_links_.end();
  return again ? ReadBack::kAgain : ReadBack::kForeign;
}

bool RecordPipeline::in_flight(std::uint64_t ticket) const {
  return std::any_of(in_flight_.begin(), in_flight_.end(),
                     [&](const InFlight& record) { return record.ticket == ticket; });
}

std::optional<Timestamp> RecordPipeline::waiting_since() const {
  return in_flight_.empty() ? std::nullopt : std::optional(in_flight_.front().appended);
}

bool RecordPipeline::hold_back(const Position& position, Append& order) {
  if (in_flight_.empty()) return false;
  in_flight_.back().orders.emplace_back(position, std::move(order));
  return true;
}

}  // namespace berth::controller
