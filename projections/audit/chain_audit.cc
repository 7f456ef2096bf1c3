#include "projections/audit/chain_audit.h"

#include <algorithm>

#include "events/base/checks.h"
#include "events/base/hash.h"
#include "events/codec/chain_head.h"
#include "events/codec/envelope.h"

namespace berth::projections {
namespace {

// As the fold: the epochs that a lost tail may have had.
constexpr std::uint64_t kLiftOfRestore = 1'000;

std::string at_offset(Offset offset) { return "offset " + std::to_string(offset); }

const v1::Claim* claim_in(const RecordGlance& record) {
  for (const auto& event : record.told) {
    if (event.has_controller_elected()) return &event.controller_elected().claim();
    if (event.has_chain_head_recorded()) return &event.chain_head_recorded().claim();
  }
  return nullptr;
}

std::string fingerprint(std::string_view key) { return to_hex(key.substr(0, 8)); }

}  // namespace

ChainAudit::ChainAudit(std::optional<Uuid> cluster, std::optional<SignedHead> kept)
    : cluster_(cluster), kept_(std::move(kept)) {
  if (cluster_ && kept_ && kept_->cluster != *cluster_)
    bad(0, "other-cluster",
        "the head that was kept is of cluster " + to_string(kept_->cluster) + ", the log is of " +
            to_string(*cluster_));
}

void ChainAudit::bad(Offset offset, std::string code, std::string message) {
  if (!finding_) finding_ = AuditFinding{offset, std::move(code), std::move(message)};
}

void ChainAudit::suspect(Offset offset, std::string message) {
  if (!suspicion_) suspicion_ = AuditFinding{offset, "record-damaged", std::move(message)};
}

bool ChainAudit::take(const LogEntry& entry) {
  if (finding_) return false;
  BERTH_CHECK(entry.offset == chain_.next, "an audit reads the offsets in order");
  ++counts_.records;
  const Hash256 link = link_of(entry);
  const std::string why = entry.gap ? "gap" : judge(entry);
  if (finding_) return false;
  if (why.empty())
    apply(glance_, link, entry.offset);
  else
    ++counts_.voided;
  if (finding_) return false;
  extend(link);
  if (kept_ && kept_->offset == chain_.next) {
    kept_found_ = as_view(chain_.rolling) == kept_->rolling;
    if (!kept_found_) {
      const Offset first = suspicion_ ? suspicion_->offset : head_ ? head_->offset : 0;
      bad(first, "head-differs",
          "the first " + std::to_string(chain_.next) +
              " records are not those that the kept head was signed over; the first that may differ is at " +
              at_offset(first));
    }
  }
  return !finding_;
}

// Why the record is void; empty: it counts.
std::string ChainAudit::judge(const LogEntry& entry) {
  const auto envelope = open_envelope(entry.payload);
  if (!envelope) {
    suspect(entry.offset,
            "the record at " + at_offset(entry.offset) + " is damaged: " + envelope.error().message);
    return "envelope-malformed";
  }
  if (!cluster_) cluster_ = envelope->cluster;
  if (kept_ && entry.offset == 0 && kept_->cluster != envelope->cluster) {
    bad(0, "other-cluster",
        "the head that was kept is of cluster " + to_string(kept_->cluster) + ", the log is of " +
            to_string(envelope->cluster));
    return "other-cluster";
  }
  if (envelope->cluster != *cluster_) {
    const std::string message = "the record at " + at_offset(entry.offset) + " is of cluster " +
                                to_string(envelope->cluster) + ", the log of " + to_string(*cluster_);
    if (epoch_ == 0)
      bad(entry.offset, "other-cluster", message);
    else
      suspect(entry.offset, message);
    return "other-cluster";
  }
  if (!glance(envelope->body, glance_)) {
    suspect(entry.offset, "the record at " + at_offset(entry.offset) + " is no record");
    return "malformed";
  }
  if (!is_claim_right(glance_, entry.offset)) return "claim";
  std::string why = continues(glance_);
  // Of its epoch, and it follows none of it: one is lost or changed. A record of an older epoch is late,
  // which happens.
  if (!why.empty() && glance_.header.epoch() >= epoch_ && glance_.header.sequence() > sequence_)
    suspect(entry.offset, "the record at " + at_offset(entry.offset) + " does not continue the one before (" +
                              why + "): that one was changed, or records were taken out");
  return why;
}

bool ChainAudit::is_claim_right(const RecordGlance& record, Offset at) {
  const v1::Claim* claim = claim_in(record);
  if (claim == nullptr) return true;
  if (claim->offset() > chain_.next) return false;
  const ChainPoint* point = nullptr;
  if (claim->offset() == chain_.next)
    point = &chain_;
  else if (!window_.empty() && claim->offset() >= window_.front().next)
    point = &window_[claim->offset() - window_.front().next];
  if (point == nullptr) return false;  // too old: void, as for every reader
  if (as_view(point->rolling) == claim->rolling()) return true;
  const Offset first = suspicion_ ? suspicion_->offset : head_ ? head_->offset : 0;
  bad(first, suspicion_ ? suspicion_->code : "chain-differs",
      suspicion_
          ? suspicion_->message
          : "the record at " + at_offset(at) + " says what the first " + std::to_string(claim->offset()) +
                " records hash to, and they do not: something from " + at_offset(first) + " on was changed");
  return false;
}

std::string ChainAudit::continues(const RecordGlance& record) const {
  const auto& h = record.header;
  if (h.sequence() == 0) return h.epoch() == epoch_ + 1 && h.link().empty() ? "" : "epoch";
  if (h.epoch() != epoch_) return "epoch";
  if (h.sequence() != sequence_ + 1) return "sequence";
  if (h.link() != as_view(link_)) return "link";
  if (h.time_ns() < time_) return "time";
  for (const auto& range : h.ranges()) {
    const auto known = inputs_.find({range.stream(), range.partition()});
    if (range.from() != (known != inputs_.end() ? known->second : 0) || range.to() <= range.from())
      return "input-range";
  }
  return {};
}

void ChainAudit::apply(const RecordGlance& record, const Hash256& link, Offset at) {
  const auto& h = record.header;
  epoch_ = h.epoch();
  sequence_ = h.sequence();
  time_ = std::max(time_, h.time_ns());
  link_ = link;
  for (const auto& range : h.ranges()) inputs_[{range.stream(), range.partition()}] = range.to();
  ++counts_.applied;
  for (const auto& event : record.told) {
    if (event.has_input_rewound()) {
      const auto& e = event.input_rewound();
      inputs_[{e.stream(), e.partition()}] = e.to();
    }
    if (event.has_cluster_restored()) epoch_ += kLiftOfRestore;
    if (event.has_head_key_changed()) take_key(event.head_key_changed(), at);
    if (event.has_chain_head_recorded()) take_head(event.chain_head_recorded(), at);
    if (finding_) return;
  }
  ++chain_.applied;
}

void ChainAudit::take_key(const v1::HeadKeyChanged& e, Offset at) {
  if (key_.empty() ? !e.previous_key().empty() || e.public_key().size() != kHeadKeyBytes
                   : e.previous_key() != key_ ||
                         !is_signed_by(key_, e.signature(),
                                       head_key_bytes(*cluster_, e.previous_key(), e.public_key())))
    return bad(at, "key-forged",
               "the head key " + fingerprint(e.public_key()) + " at " + at_offset(at) +
                   " is not signed by the key before, " +
                   (key_.empty() ? "which is none" : fingerprint(key_)));
  key_ = e.public_key();
  ++counts_.keys;
}

// REQUIRES: its claim was right.
void ChainAudit::take_head(const v1::ChainHeadRecorded& e, Offset at) {
  if (e.signature().empty() && e.head_key().empty()) return;
  if (e.head_key() != key_)
    return bad(at, "head-forged",
               "the chain head at " + at_offset(at) + " is signed by key " + fingerprint(e.head_key()) +
                   ", and the log's is " + (key_.empty() ? "none" : fingerprint(key_)));
  SignedHead head = signed_head_of(*cluster_, e);
  if (!head.is_right())
    return bad(at, "head-forged", "the chain head at " + at_offset(at) + " has a wrong signature");
  if (head.from != (head_ ? head_->offset : 0))
    return bad(at, "head-forged",
               "the chain head at " + at_offset(at) + " follows one at " + std::to_string(head.from) +
                   " that is not there");
  // Its leaders counted otherwise: a record that the fold forbade. The hashes agree, so it is no change of
  // the log.
  const std::uint64_t counted =
      head.offset == chain_.next ? chain_.applied : window_[head.offset - window_.front().next].applied;
  chain_.applied += head.applied - counted;
  ++counts_.heads;
  head_ = std::move(head);
  if (suspicion_ && suspicion_->offset < head_->offset) suspicion_.reset();  // it was so when it was signed
}

void ChainAudit::extend(const Hash256& link) {
  std::string input(as_view(chain_.rolling));
  input.reserve(72);
  for (int i = 0; i < 8; ++i) input += static_cast<char>(chain_.next >> (8 * i));
  input += as_view(link);
  window_.push_back(chain_);
  if (window_.size() > kChainWindow) window_.pop_front();
  chain_.next += 1;
  chain_.rolling = blake2b_256(input);
}

void ChainAudit::miss() {
  bad(chain_.next, "record-missing",
      "the record of " + at_offset(chain_.next) + " is not there: it was taken out, or records were moved");
}

void ChainAudit::finish() {
  if (finding_) return;
  if (kept_ && kept_->offset > chain_.next)
    return bad(chain_.next, "log-cut",
               "the log ends at " + at_offset(chain_.next) + ", the kept head covers " +
                   std::to_string(kept_->offset) + " records: its tail was cut off");
  if (suspicion_)
    bad(suspicion_->offset, suspicion_->code, suspicion_->message + "; no signed head covers it");
}

}  // namespace berth::projections
