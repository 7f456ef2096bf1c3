#include "projections/fold/projection.h"

#include <algorithm>

#include "events/codec/chain_head.h"
#include "events/codec/envelope.h"
#include "events/codec/known_fields.h"
#include "events/codec/made_before.h"

namespace berth::projections {
namespace {

using What = ApplyOutcome::What;

ApplyOutcome void_because(VoidReason reason) { return {What::kVoid, reason, {}, {}}; }
ApplyOutcome stop(Error error) { return {What::kStop, VoidReason::kNone, {}, std::move(error)}; }

const v1::Claim* claim_of(const v1::Record& record) {
  for (const auto& event : record.events()) {
    if (event.has_controller_elected()) return &event.controller_elected().claim();
    if (event.has_chain_head_recorded()) return &event.chain_head_recorded().claim();
  }
  return nullptr;
}

const v1::ChainHeadRecorded* chain_head_of(const v1::Record& record) {
  for (const auto& event : record.events())
    if (event.has_chain_head_recorded()) return &event.chain_head_recorded();
  return nullptr;
}

// The newest rules that the record speaks of: those of its writer, or those that it brings.
std::uint32_t rules_of(const Envelope& envelope, const v1::Record& record) {
  std::uint32_t rules = envelope.rules;
  for (const auto& event : record.events())
    if (event.has_controller_elected()) rules = std::max(rules, event.controller_elected().rules());
  return rules;
}

// May this build understand the record (P3, P15)?
std::optional<Error> unreadable(const Envelope& envelope, const v1::Record& record) {
  const std::uint32_t rules = rules_of(envelope, record);
  if (envelope.min_reader > kReaderVersion || rules > kRules)
    return make_error("reader-too-old",
                      "the journal needs reader version " + std::to_string(envelope.min_reader) +
                          " and rules " + std::to_string(rules) + "; this build has " +
                          std::to_string(kReaderVersion) + " and " + std::to_string(kRules),
                      "upgrade this program");
  const std::string unknown = first_unknown_field(*v1::Record::descriptor(), envelope.body);
  if (!unknown.empty())
    return make_error("unknown-field", "the journal holds " + unknown + ", which this build does not know",
                      "upgrade this program");
  return std::nullopt;
}

ApplyOutcome claim_mismatch(Offset at) {
  return {What::kMismatch,
          VoidReason::kClaim,
          {},
          make_error("claim-mismatch",
                     "a record at journal offset " + std::to_string(at) +
                         " was written by somebody who has read another log than this reader",
                     "the log was truncated or replaced")};
}

}  // namespace

std::string ApplyOutcome::text() const {
  if (forbidden()) return event;
  return reason != VoidReason::kNone ? to_string(reason) : error.code.word();
}

bool is_suspicious(const ApplyOutcome& outcome, const Projection& projection) {
  if (outcome.what != What::kVoid) return false;
  switch (outcome.reason) {
    case VoidReason::kSequence:
    case VoidReason::kLink:
    case VoidReason::kEpoch: return projection.record().header().sequence() != 0;
    case VoidReason::kGap:
    case VoidReason::kEnvelopeMalformed:
    case VoidReason::kOtherCluster:
    case VoidReason::kTooLarge:
    case VoidReason::kSignature:
    case VoidReason::kMalformed: return true;  // no leader writes them
    default: return false;
  }
}

Projection::Projection(const Uuid& cluster, Tracking tracking, JournalTrust trust)
    : cluster_(cluster), tracking_(tracking), trust_(std::move(trust)), fold_(state_, cluster) {
  if (tracking_ == Tracking::kRows) State::each_table(state_, [](auto& table) { table.track_changes(); });
}

Projection::Projection(const Projection& other)
    : cluster_(other.cluster_),
      tracking_(other.tracking_),
      believes_claims_(other.believes_claims_),
      trust_(other.trust_),
      state_(other.state_),
      fold_(state_, other.cluster_),
      chain_(other.chain_),
      hash_(other.hash_),
      pending_changes_(other.pending_changes_),
      counters_(other.counters_) {}

ApplyOutcome Projection::apply(Offset offset, std::string_view payload, bool claim_is_wrong) {
  BERTH_CHECK(offset == chain_.next(), "journal records are read in offset order");
  const Hash256 link = blake2b_256(payload);
  ApplyOutcome outcome = judge(payload, claim_is_wrong, link);
  if (outcome.what != What::kMismatch && outcome.what != What::kStop) take_in(outcome, link);
  return outcome;
}

ApplyOutcome Projection::apply(const LogEntry& entry, bool claim_is_wrong) {
  if (!entry.gap) return apply(entry.offset, entry.payload, claim_is_wrong);
  BERTH_CHECK(entry.offset == chain_.next(), "journal records are read in offset order");
  ApplyOutcome outcome = void_because(VoidReason::kGap);
  take_in(outcome, link_of(entry));
  return outcome;
}

void Projection::pass_over(const LogEntry& entry) {
  BERTH_CHECK(entry.offset == chain_.next(), "journal records are read in offset order");
  take_in(void_because(VoidReason::kSignature), link_of(entry));
}

void Projection::take_in(const ApplyOutcome& outcome, const Hash256& link) {
  chain_.extend(link, outcome.what != What::kVoid);
  if (outcome.what == What::kVoid) {
    ++counters_.voided;
    if (outcome.forbidden()) ++counters_.forbidden;
  } else {
    ++counters_.applied;
    counters_.events += static_cast<std::uint64_t>(record_.events_size());
  }
  if (chain_.next() % kChainEvery == 0) take_state_hash();
}

ApplyOutcome Projection::judge(std::string_view payload, bool claim_is_wrong, const Hash256& link) {
  const auto envelope = open_envelope(payload);
  if (!envelope) {
    // Nothing of this cluster was read yet: a whole journal of before. Later such bytes are as any others.
    if (is_made_before(envelope.error()) && state_.epoch().epoch == 0) return stop(envelope.error());
    return void_because(VoidReason::kEnvelopeMalformed);
  }
  if (envelope->cluster != cluster_) {
    // Nothing of this cluster was read yet: this is somebody else's journal. Later, a stray record stops
    // nobody.
    if (state_.epoch().epoch == 0) return stop(other_cluster(*envelope, cluster_));
    return void_because(VoidReason::kOtherCluster);
  }
  if (payload.size() > kRecordBytesMax) return void_because(VoidReason::kTooLarge);
  if (!record_.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())) ||
      !record_.has_header())
    return void_because(VoidReason::kMalformed);
  if (!is_believed(payload, *envelope)) return void_because(VoidReason::kSignature);
  if (ApplyOutcome claim = judge_claim(record_, claim_is_wrong); claim.what != What::kApplied) return claim;
  if (const VoidReason reason = fold_.continues(record_.header()); reason != VoidReason::kNone)
    return void_because(reason);
  if (auto error = unreadable(*envelope, record_)) return stop(std::move(*error));

  FoldResult folded = fold_.apply(record_, link);
  if (!folded.applied()) return {What::kVoid, folded.reason, std::move(folded.forbidden), {}};
  if (const auto* head = chain_head_of(record_); head != nullptr && tracking_ == Tracking::kRows) {
    const ChainPoint* point = chain_.at(head->claim().offset());
    if (point != nullptr && point->state_hash && head->state_hash() != as_view(*point->state_hash))
      return {What::kStateDiffers,
              VoidReason::kNone,
              {},
              make_error("state-differs",
                         "the leader's state hash at journal offset " + std::to_string(point->next) + " is " +
                             to_hex(head->state_hash()) + ", this build's is " +
                             to_hex(as_view(*point->state_hash)),
                         "rebuild the projection; if it stays, two builds fold differently")};
  }
  return {};
}

// Nothing else of a record is looked at without its signature.
bool Projection::is_believed(std::string_view payload, const Envelope& envelope) const {
  return !trust_ || trust_->is_right(payload, envelope);
}

ApplyOutcome Projection::judge_claim(const v1::Record& record, bool claim_is_wrong) const {
  const v1::Claim* claim = claim_of(record);
  if (claim == nullptr) return {};
  if (claim_is_wrong) return void_because(VoidReason::kClaim);
  if (believes_claims_) return {};
  switch (chain_.check(claim->offset(), claim->rolling())) {
    case Chain::Check::kRight: break;
    case Chain::Check::kTooOld: return void_because(VoidReason::kClaimTooOld);
    case Chain::Check::kWrong: return claim_mismatch(chain_.next());
  }
  const v1::ChainHeadRecorded* head = chain_head_of(record);
  return head == nullptr || head->signature().empty() ? ApplyOutcome() : judge_head(*head);
}

// Its writer has read the same bytes. If it took other records of them as effective, its signed word is void:
// for every reader alike.
ApplyOutcome Projection::judge_head(const v1::ChainHeadRecorded& head) const {
  const Offset offset = head.claim().offset(), begin = voids_begin(head.from(), offset);
  if (offset + kVoidsListed < chain_.next()) return void_because(VoidReason::kClaimTooOld);
  const bool is_right = begin <= offset && head.applied() == chain_.at(offset)->applied &&
                        head.voids() == chain_.voids(begin, offset);
  return is_right ? ApplyOutcome() : void_because(VoidReason::kClaim);
}

void Projection::take_state_hash() {
  if (tracking_ == Tracking::kRows) chain_.set_state_hash(state_hash());
}

void Projection::stop_tracking() {
  tracking_ = Tracking::kNone;
  fold_.keep_no_history();
  State::each_table(state_, [](auto& table) { table.stop_tracking(); });
  pending_changes_.clear();
}

Hash128 Projection::state_hash() {
  State::each_table(state_, [this](auto& table) { table.flush(hash_, &pending_changes_); });
  return hash_.value();
}

void Projection::flush(std::vector<RowChange>& changes, std::vector<HistoryEntry>& history) {
  state_hash();
  changes = std::move(pending_changes_);
  pending_changes_.clear();
  history = std::move(fold_.history());
  fold_.history().clear();
}

}  // namespace berth::projections
