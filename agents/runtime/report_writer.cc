#include "agents/runtime/report_writer.h"

#include <algorithm>

#include "events/log/orders_partition.h"

namespace berth::agents {
namespace {

constexpr Duration kRetryPause = 200 * kMillisecond;

}  // namespace

ReportWriter::ReportWriter(EventLog& log, const Signer& signer, std::string agent,
                           std::weak_ptr<Strand> strand)
    : log_(log),
      signer_(signer),
      agent_(std::move(agent)),
      partition_(reports_partition(log.layout(), agent_)),
      strand_(std::move(strand)) {}

void ReportWriter::write(const v1::Report& report) {
  Entry& entry = entries_.emplace_back();
  entry.number = next_number_++;
  entry.incarnation = report.incarnation();
  entry.join = report.has_join();
  entry.payload = signer_.sign(Channel::kReport, report.SerializeAsString());
  if (!failed_) send(entry);  // else it waits behind those that are appended again
}

void ReportWriter::send(Entry& entry) {
  entry.state = State::kSent;
  ++outstanding_;
  log_.append(partition_, agent_, entry.payload,
              [this, number = entry.number, strand = strand_](const AppendResult& result) {
                if (const auto alive = strand.lock())
                  alive->post([this, number, state = result.state] { done(number, state); });
              });
}

void ReportWriter::done(std::uint64_t number, AppendState state) {
  --outstanding_;
  const auto entry =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.number == number; });
  if (entry == entries_.end()) return;
  entry->state = state == AppendState::kDurable ? State::kDurable : State::kFailed;
  if (entry->state == State::kFailed) {
    ++failures_;
    failed_ = true;
  }
  while (!entries_.empty() && entries_.front().state == State::kDurable) entries_.pop_front();
}

void ReportWriter::tick(Timestamp now) {
  if (!failed_ || outstanding_ > 0) return;
  if (retry_at_ == 0) retry_at_ = now + kRetryPause;
  if (now < retry_at_) return;
  retry_at_ = 0;
  failed_ = false;
  // The join of an incarnation that is over would only bring confusion.
  const std::string newest = entries_.empty() ? std::string() : entries_.back().incarnation;
  std::erase_if(entries_, [&](const Entry& e) { return e.join && e.incarnation != newest; });
  for (Entry& entry : entries_) send(entry);
}

}  // namespace berth::agents
