#include "tests/support/journal.h"

#include <algorithm>

#include "events/codec/envelope.h"

namespace berth::testing {

std::string unsigned_payload(const v1::Record& record, const Uuid& cluster) {
  return make_envelope(cluster, record.SerializeAsString());
}

Uuid nonce_of_election(std::uint64_t epoch, const std::string& controller) {
  return id_of("election " + std::to_string(epoch) + " of " + controller);
}

TestJournal::TestJournal(const Uuid& cluster) : cluster_(cluster), rules_(kRules) {}

v1::Claim TestJournal::claim() const {
  v1::Claim claim;
  claim.set_offset(chain_.next());
  claim.set_rolling(std::string(as_view(chain_.rolling())));
  return claim;
}

const std::string& TestJournal::elect(const std::string& controller) {
  v1::Record record;
  auto* elected = record.add_events()->mutable_controller_elected();
  elected->set_controller(controller);
  elected->set_nonce(std::string(nonce_of_election(epoch_ + 1, controller).view()));
  *elected->mutable_claim() = claim();
  elected->set_rules(rules_);
  record.mutable_header()->set_epoch(epoch_ + 1);
  record.mutable_header()->set_time_ns(time_);
  return append_record(record);
}

v1::Record TestJournal::next_record(const Events& events) const {
  v1::Record record;
  auto* header = record.mutable_header();
  header->set_epoch(epoch_);
  header->set_sequence(sequence_ + 1);
  header->set_link(link_);
  header->set_time_ns(time_);
  for (const auto& event : events) *record.add_events() = event;
  return record;
}

const std::string& TestJournal::append(const Events& events) { return append_record(next_record(events)); }

const std::string& TestJournal::append_chain_head(const std::string& state_hash) {
  v1::Event event;
  *event.mutable_chain_head_recorded()->mutable_claim() = claim();
  event.mutable_chain_head_recorded()->set_state_hash(state_hash);
  return append({event});
}

const std::string& TestJournal::append_record(const v1::Record& record) {
  append_void(record);
  epoch_ = record.header().epoch();
  for (const auto& event : record.events())
    if (event.has_cluster_restored()) epoch_ += 1'000;  // the fold lifts it (fold_keeping.cc)
  sequence_ = record.header().sequence();
  link_ = std::string(as_view(blake2b_256(payloads_.back())));
  time_ = std::max(time_, record.header().time_ns()) + kMillisecond;
  return payloads_.back();
}

const std::string& TestJournal::append_void(const v1::Record& record) {
  return append_bytes(signer_ ? signer_->sign(record.SerializeAsString())
                              : unsigned_payload(record, cluster_));
}

const std::string& TestJournal::append_bytes(std::string payload) {
  chain_.extend(blake2b_256(payload));
  payloads_.push_back(std::move(payload));
  return payloads_.back();
}

void TestJournal::add_gap() {
  gaps_.insert(payloads_.size());
  chain_.extend(Hash256{});
  payloads_.emplace_back();
}

std::vector<LogEntry> TestJournal::entries(Offset from) const {
  std::vector<LogEntry> out;
  for (Offset offset = from; offset < payloads_.size(); ++offset)
    out.push_back({{Stream::kJournal, 0}, offset, payloads_[offset], gaps_.contains(offset)});
  return out;
}

}  // namespace berth::testing
