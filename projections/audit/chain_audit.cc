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
// No right head claims what lies further back (P12), and memory is bounded.
constexpr std::size_t kPendingMax = kChainWindow;
constexpr std::size_t kPendingBytesMax = 64u << 20;

std::string at_offset(Offset offset) { return "offset " + std::to_string(offset); }
std::string record_at(Offset offset) { return "the record at " + at_offset(offset); }

const v1::Claim* claim_in(const RecordGlance& record) {
  for (const auto& event : record.told) {
    if (event.has_controller_elected()) return &event.controller_elected().claim();
    if (event.has_chain_head_recorded()) return &event.chain_head_recorded().claim();
  }
  return nullptr;
}

// nullptr: there is no signed one.
const v1::ChainHeadRecorded* signed_head_in(const RecordGlance& record) {
  for (const auto& event : record.told)
    if (event.has_chain_head_recorded() && !event.chain_head_recorded().signature().empty())
      return &event.chain_head_recorded();
  return nullptr;
}

// What apply() can refuse.
bool may_be_forbidden(const RecordGlance& record) {
  return std::any_of(record.told.begin(), record.told.end(), [](const v1::Event& event) {
    return event.has_head_key_changed() || event.has_chain_head_recorded();
  });
}

std::string fingerprint(std::string_view key) { return to_hex(key.substr(0, 8)); }

// The first key follows no other one, and nobody signs it.
bool follows(const Uuid& cluster, const std::string& key, const v1::HeadKeyChanged& e) {
  if (e.public_key().size() != kHeadKeyBytes || e.previous_key() != key) return false;
  return key.empty() ||
         is_signed_by(key, e.signature(), head_key_bytes(cluster, e.previous_key(), e.public_key()));
}

}  // namespace

std::string to_string(const IgnoredRecord& record) {
  return record_at(record.offset) + " continues the one before, and the cluster ignored it: " +
         (record.has_no_mac ? "it has no right MAC" : "it has no right MAC, or the fold forbade it");
}

ChainAudit::ChainAudit(std::optional<Uuid> cluster, std::optional<SignedHead> kept)
    : cluster_(cluster), kept_(std::move(kept)) {
  if (cluster_ && kept_ && kept_->cluster != *cluster_)
    bad({0, "other-cluster",
         "the head that was kept is of cluster " + to_string(kept_->cluster) + ", the log is of " +
             to_string(*cluster_)});
}

void ChainAudit::bad(AuditFinding finding) {
  if (!finding_) finding_ = std::move(finding);
}

void ChainAudit::suspect(AuditFinding finding) {
  if (!suspicion_) suspicion_ = std::move(finding);
}

AuditCounts ChainAudit::counts() const {
  return {records_, now_.voided, now_.applied, now_.heads, now_.keys, now_.ignored_all};
}

bool ChainAudit::take(const LogEntry& entry) {
  if (finding_) return false;
  BERTH_CHECK(entry.offset == chain_.next, "an audit reads the offsets in order");
  ++records_;
  Seen seen = look(entry);
  if (finding_) return false;
  pending_bytes_ += seen.bytes;
  pending_.push_back(std::move(seen));
  extend(pending_.back().link);
  if (!consider(pending_.back())) judge_pending(pending_.back());
  while (pending_.size() > kPendingMax || pending_bytes_ > kPendingBytesMax) drop_oldest();
  compare_with_kept();
  chain_.applied = now_.applied;
  return !finding_;
}

// ---- what a record is in any view ----

ChainAudit::Seen ChainAudit::look(const LogEntry& entry) {
  Seen seen;
  seen.offset = entry.offset;
  seen.bytes = entry.payload.size();
  seen.link = link_of(entry);
  if (entry.gap)
    seen.void_because = "gap";
  else
    look_inside(entry, seen);
  return seen;
}

void ChainAudit::look_inside(const LogEntry& entry, Seen& seen) {
  const auto damaged = [&](std::string why, std::string message) {
    seen.void_because = std::move(why);
    seen.suspicion = AuditFinding{entry.offset, "record-damaged", std::move(message)};
  };
  const auto envelope = open_envelope(entry.payload);
  if (!envelope)
    return damaged("envelope-malformed",
                   record_at(entry.offset) + " is damaged: " + envelope.error().message);
  if (!cluster_) cluster_ = envelope->cluster;
  if (kept_ && entry.offset == 0 && kept_->cluster != envelope->cluster)
    return bad({0, "other-cluster",
                "the head that was kept is of cluster " + to_string(kept_->cluster) + ", the log is of " +
                    to_string(envelope->cluster)});
  if (envelope->cluster != *cluster_) {
    damaged("other-cluster", record_at(entry.offset) + " is of cluster " + to_string(envelope->cluster) +
                                 ", the log of " + to_string(*cluster_));
    if (now_.epoch == 0) bad({entry.offset, "other-cluster", seen.suspicion->message});
    return;
  }
  if (entry.payload.size() > kRecordBytesMax || !glance(envelope->body, seen.glance))
    return damaged("malformed", record_at(entry.offset) + " is no record");
  look_at_claim(seen);
}

void ChainAudit::look_at_claim(Seen& seen) {
  const v1::Claim* claim = claim_in(seen.glance);
  if (claim == nullptr) return;
  const Offset back = signed_head_in(seen.glance) != nullptr ? kVoidsListed : kChainWindow;
  if (claim->offset() > chain_.next || claim->offset() + back < chain_.next) {
    seen.void_because = "claim";  // it lies ahead or too far back: void, as for every reader
    return;
  }
  const Hash256& rolling = claim->offset() == chain_.next
                               ? chain_.rolling
                               : window_[window_.size() - (chain_.next - claim->offset())];
  if (as_view(rolling) == claim->rolling()) return;
  seen.void_because = "claim";
  const Offset first = now_.head ? now_.head->offset : 0;
  seen.suspicion = AuditFinding{
      first, "chain-differs",
      record_at(seen.offset) + " says what the first " + std::to_string(claim->offset()) +
          " records hash to, and they do not: something from " + at_offset(first) + " on was changed"};
}

// ---- what it is in a view ----

std::string ChainAudit::continues(const View& view, const Seen& seen) const {
  if (!seen.void_because.empty()) return seen.void_because;
  const auto& h = seen.glance.header;
  const bool is_election =
      seen.glance.events == 1 && seen.glance.told.size() == 1 && seen.glance.told[0].has_controller_elected();
  if (h.sequence() == 0 && !(h.epoch() == view.epoch + 1 && h.link().empty())) return "epoch";
  if (h.sequence() != 0) {
    if (h.epoch() != view.epoch) return "epoch";
    if (view.dead) return "dead-epoch";
    if (h.sequence() != view.sequence + 1) return "sequence";
    if (h.link() != as_view(view.link)) return "link";
    if (h.time_ns() < view.time) return "time";
    for (const auto& range : h.ranges()) {
      const auto known = view.inputs.find({range.stream(), range.partition()});
      if (range.from() != (known != view.inputs.end() ? known->second : 0) || range.to() <= range.from())
        return "input-range";
    }
  }
  const bool is_empty = seen.glance.events == 0 && h.ranges().empty();
  return is_empty || is_election != (h.sequence() == 0) ? "malformed" : "";
}

std::optional<AuditFinding> ChainAudit::apply(View& view, const Seen& seen) const {
  const auto& h = seen.glance.header;
  view.epoch = h.epoch();
  view.sequence = h.sequence();
  view.dead = false;
  view.time = std::max(view.time, h.time_ns());
  view.link = seen.link;
  for (const auto& range : h.ranges()) view.inputs[{range.stream(), range.partition()}] = range.to();
  for (const auto& event : seen.glance.told) {
    std::optional<AuditFinding> forbidden;
    if (event.has_input_rewound()) {
      const auto& e = event.input_rewound();
      view.inputs[{e.stream(), e.partition()}] = e.to();
    }
    if (event.has_cluster_restored()) {
      view.epoch += kLiftOfRestore;
      view.dead = true;
    }
    if (event.has_head_key_changed()) forbidden = take_key(view, event.head_key_changed(), seen.offset);
    if (event.has_chain_head_recorded())
      forbidden = take_head(view, event.chain_head_recorded(), seen.offset);
    if (forbidden) return forbidden;
  }
  ++view.applied;
  for (IgnoredRecord& ignored : view.ignored)
    if (ignored.epoch == h.epoch()) ignored.has_no_mac = true;
  return std::nullopt;
}

std::optional<AuditFinding> ChainAudit::take_key(View& view, const v1::HeadKeyChanged& e, Offset at) const {
  if (!follows(*cluster_, view.key, e))
    return AuditFinding{at, "key-forged",
                        "the head key " + fingerprint(e.public_key()) + " at " + at_offset(at) +
                            " is not signed by the key before, " +
                            (view.key.empty() ? "which is none" : fingerprint(view.key))};
  view.key = e.public_key();
  ++view.keys;
  return std::nullopt;
}

// REQUIRES: its claim was right.
std::optional<AuditFinding> ChainAudit::take_head(View& view, const v1::ChainHeadRecorded& e,
                                                  Offset at) const {
  if (e.signature().empty() && e.head_key().empty()) return std::nullopt;
  const std::string here = "the chain head at " + at_offset(at);
  if (e.head_key() != view.key)
    return AuditFinding{at, "head-forged",
                        here + " is signed by key " + fingerprint(e.head_key()) + ", and the log's is " +
                            (view.key.empty() ? "none" : fingerprint(view.key))};
  SignedHead head = signed_head_of(*cluster_, e);
  if (!head.is_right()) return AuditFinding{at, "head-forged", here + " has a wrong signature"};
  if (head.from != (view.head ? view.head->offset : 0))
    return AuditFinding{at, "head-forged",
                        here + " follows one at " + std::to_string(head.from) + " that is not there"};
  ++view.heads;
  view.head = std::move(head);
  return std::nullopt;
}

void ChainAudit::ignore(View& view, const Seen& seen) const {
  ++view.ignored_all;
  if (view.ignored.size() < kIgnoredNamed)
    view.ignored.push_back({seen.offset, seen.glance.header.epoch(), false});
}

// ---- pending ----

void ChainAudit::judge_pending(Seen& seen) {
  seen.counts = seen.is_ignored = false;
  if (seen.suspicion) suspect(*seen.suspicion);
  const std::string why = continues(now_, seen);
  const auto& h = seen.glance.header;
  if (!why.empty()) {
    ++now_.voided;
    // Of its epoch, and it follows none of it: one is lost or changed. A record of an older epoch is late,
    // which happens.
    if (seen.void_because.empty() && h.epoch() >= now_.epoch && h.sequence() > now_.sequence)
      suspect({seen.offset, "record-damaged",
               record_at(seen.offset) + " does not continue the one before (" + why +
                   "): that one was changed, or records were taken out"});
    return;
  }
  std::optional<View> before;
  if (may_be_forbidden(seen.glance)) before = now_;
  if (auto forbidden = apply(now_, seen)) {
    now_ = std::move(*before);
    ++now_.voided;
    return suspect(std::move(*forbidden));
  }
  seen.counts = true;
}

// No head will settle it any more.
void ChainAudit::drop_oldest() {
  Seen& oldest = pending_.front();
  if (oldest.counts)
    (void)apply(settled_, oldest);
  else
    ++settled_.voided;
  on_settled_(oldest.offset, false);
  pending_bytes_ -= oldest.bytes;
  pending_.pop_front();
}

// ---- signed heads settle what they cover ----

// A head that is rightly signed over the bytes that were read here says of them what is so, in whatever
// record it stands: its leader may have been deposed meanwhile, or a record before it may be forged. What a
// faulty leader signed cannot be so, and is void for every reader.
// True: it has settled some, and all that is pending behind them is judged anew.
bool ChainAudit::consider(Seen& seen) {
  const v1::ChainHeadRecorded* e = signed_head_in(seen.glance);
  if (e == nullptr || !seen.void_because.empty() || e->claim().offset() <= pending_.front().offset ||
      !keys_known().contains(e->head_key()))
    return false;
  const SignedHead head = signed_head_of(*cluster_, *e);
  if (!head.is_right()) return false;
  if (settle(head)) return true;
  seen.void_because = "claim";
  return false;
}

// The key of now, and those that may follow it as far as the pending records tell.
std::set<std::string> ChainAudit::keys_known() const {
  std::set<std::string> keys{settled_.key};
  for (const Seen& seen : pending_)
    for (const auto& event : seen.glance.told)
      if (event.has_head_key_changed() && keys.contains(event.head_key_changed().previous_key()) &&
          follows(*cluster_, event.head_key_changed().previous_key(), event.head_key_changed()))
        keys.insert(event.head_key_changed().public_key());
  keys.erase("");
  return keys;
}

// False: what it says of the pending records cannot be.
bool ChainAudit::settle(const SignedHead& head) {
  const Offset first = pending_.front().offset, begin = voids_begin(head.from, head.offset);
  const auto applied = read_void_runs(head.voids, begin, head.offset);
  if (!applied) return false;
  View after = settled_;
  const std::size_t covered = head.offset - first;
  for (std::size_t i = 0; i < covered; ++i)
    if (!settle_one(after, pending_[i], *applied, begin)) {
      for (std::size_t k = 0; k <= i; ++k) pending_[k].is_ignored = false;
      return false;
    }
  if (begin <= first && after.applied != head.applied) return false;
  after.applied = head.applied;  // of what lies before its list, the leaders counted what the fold forbade
  settled_ = std::move(after);
  for (std::size_t i = 0; i < covered; ++i) {
    on_settled_(pending_.front().offset, pending_.front().is_ignored);
    pending_bytes_ -= pending_.front().bytes;
    pending_.pop_front();
  }
  now_ = settled_;
  suspicion_.reset();  // it was so when it was signed
  for (Seen& seen : pending_) judge_pending(seen);
  return true;
}

bool ChainAudit::settle_one(View& view, Seen& seen, const std::vector<bool>& applied, Offset begin) {
  const bool is_right = continues(view, seen).empty();
  const bool counts = seen.offset < begin ? is_right : applied[seen.offset - begin];
  if (counts) return is_right && !apply(view, seen);
  ++view.voided;
  seen.is_ignored = is_right;
  if (is_right) ignore(view, seen);
  return true;
}

// ---- the end of the walk ----

void ChainAudit::compare_with_kept() {
  if (finding_ || !kept_ || kept_->offset != chain_.next) return;
  kept_found_ = as_view(chain_.rolling) == kept_->rolling;
  if (kept_found_) {
    if (!pending_.empty() && kept_->offset > pending_.front().offset) settle(*kept_);
    return;
  }
  const Offset first = suspicion_ ? suspicion_->offset : now_.head ? now_.head->offset : 0;
  bad({first, "head-differs",
       "the first " + std::to_string(chain_.next) +
           " records are not those that the kept head was signed over; the first that may differ is at " +
           at_offset(first)});
}

void ChainAudit::extend(const Hash256& link) {
  std::string input(as_view(chain_.rolling));
  input.reserve(72);
  for (int i = 0; i < 8; ++i) input += static_cast<char>(chain_.next >> (8 * i));
  input += as_view(link);
  window_.push_back(chain_.rolling);
  if (window_.size() > kChainWindow) window_.pop_front();
  chain_.next += 1;
  chain_.rolling = blake2b_256(input);
}

void ChainAudit::miss() {
  bad({chain_.next, "record-missing",
       "the record of " + at_offset(chain_.next) + " is not there: it was taken out, or records were moved"});
}

void ChainAudit::finish() {
  while (!pending_.empty()) drop_oldest();
  if (finding_) return;
  if (kept_ && kept_->offset > chain_.next)
    return bad({chain_.next, "log-cut",
                "the log ends at " + at_offset(chain_.next) + ", the kept head covers " +
                    std::to_string(kept_->offset) + " records: its tail was cut off"});
  if (suspicion_)
    bad({suspicion_->offset, suspicion_->code, suspicion_->message + "; no signed head covers it"});
}

}  // namespace berth::projections
