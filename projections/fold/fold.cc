#include "projections/fold/fold.h"

#include <algorithm>

#include "events/codec/chain_head.h"
#include "projections/fold/event_context.h"

namespace berth::projections {
namespace {

// Once a day of header time: days that no lookback reaches any more.
void drop_old_usage(State& state, Timestamp now) {
  std::vector<std::string> keys;
  state.day_usage.for_each_unordered([&](const DayUsageRow& row) {
    if (row.day <= day_of(now) - kUsageKeptDays) keys.push_back(row.key());
  });
  std::sort(keys.begin(), keys.end());
  for (const std::string& key : keys) state.day_usage.erase(key);
}

Forbidden apply_producer_body(EventContext& c) {
  const v1::Event& e = c.event;
  switch (e.body_case()) {
    case v1::Event::kProducerDefined: return apply(c, e.producer_defined());
    case v1::Event::kProducerKeyCollected: return apply(c, e.producer_key_collected());
    default: return "an event of an unknown kind";
  }
}

Forbidden apply_keeping_body(EventContext& c) {
  const v1::Event& e = c.event;
  switch (e.body_case()) {
    case v1::Event::kHistoryRuleSet: return apply(c, e.history_rule_set());
    case v1::Event::kHistoryPruned: return apply(c, e.history_pruned());
    case v1::Event::kClusterRestored: return apply(c, e.cluster_restored());
    case v1::Event::kSealKeyAdded: return apply(c, e.seal_key_added());
    case v1::Event::kSecretResealed: return apply(c, e.secret_resealed());
    case v1::Event::kSealKeyDestroyed: return apply(c, e.seal_key_destroyed());
    case v1::Event::kServerSealing: return apply(c, e.server_sealing());
    case v1::Event::kBackupTaken: return apply(c, e.backup_taken());
    default: return apply_producer_body(c);
  }
}

Forbidden apply_folder_body(EventContext& c) {
  const v1::Event& e = c.event;
  switch (e.body_case()) {
    case v1::Event::kFolderCreated: return apply(c, e.folder_created());
    case v1::Event::kFolderReady: return apply(c, e.folder_ready());
    case v1::Event::kFolderFailed: return apply(c, e.folder_failed());
    case v1::Event::kFolderRenamed: return apply(c, e.folder_renamed());
    case v1::Event::kFolderTrashed: return apply(c, e.folder_trashed());
    case v1::Event::kFolderRestored: return apply(c, e.folder_restored());
    case v1::Event::kFolderPurging: return apply(c, e.folder_purging());
    case v1::Event::kFolderPurged: return apply(c, e.folder_purged());
    case v1::Event::kFolderShared: return apply(c, e.folder_shared());
    case v1::Event::kVolumeAgentNamed: return apply(c, e.volume_agent_named());
    case v1::Event::kVolumeForgotten: return apply(c, e.volume_forgotten());
    case v1::Event::kHeadKeyChanged: return apply(c, e.head_key_changed());
    default: return apply_keeping_body(c);
  }
}

Forbidden apply_body(EventContext& c) {
  const v1::Event& e = c.event;
  switch (e.body_case()) {
    case v1::Event::kControllerElected: return apply(c, e.controller_elected());
    case v1::Event::kChainHeadRecorded: return apply(c, e.chain_head_recorded());
    case v1::Event::kClockJumped: return apply(c, e.clock_jumped());
    case v1::Event::kClockBehind: return apply(c, e.clock_behind());
    case v1::Event::kClockConfirmed: return apply(c, e.clock_confirmed());
    case v1::Event::kRequestRefused: return apply(c, e.request_refused());
    case v1::Event::kRequestRepeated: return apply(c, e.request_repeated());
    case v1::Event::kRequestExpired: return apply(c, e.request_expired());
    case v1::Event::kInputRewound: return apply(c, e.input_rewound());
    case v1::Event::kInternalErrorRecorded: return apply(c, e.internal_error_recorded());
    case v1::Event::kQuarantineReleased: return apply(c, e.quarantine_released());
    case v1::Event::kSelectionLearned: return apply(c, e.selection_learned());
    case v1::Event::kSlotTypeRegistered: return apply(c, e.slot_type_registered());
    case v1::Event::kResourceGroupDefined: return apply(c, e.resource_group_defined());
    case v1::Event::kDomainDefined: return apply(c, e.domain_defined());
    case v1::Event::kProjectDefined: return apply(c, e.project_defined());
    case v1::Event::kUserDefined: return apply(c, e.user_defined());
    case v1::Event::kKeyPairDefined: return apply(c, e.key_pair_defined());
    case v1::Event::kImageRegistered: return apply(c, e.image_registered());
    case v1::Event::kImageBuildChanged: return apply(c, e.image_build_changed());
    case v1::Event::kLimitSet: return apply(c, e.limit_set());
    case v1::Event::kLimitRemoved: return apply(c, e.limit_removed());
    case v1::Event::kPresetDefined: return apply(c, e.preset_defined());
    case v1::Event::kDefinitionRemoved: return apply(c, e.definition_removed());
    case v1::Event::kAgentEnrolled: return apply(c, e.agent_enrolled());
    case v1::Event::kAgentJoined: return apply(c, e.agent_joined());
    case v1::Event::kAgentLost: return apply(c, e.agent_lost());
    case v1::Event::kAgentLeft: return apply(c, e.agent_left());
    case v1::Event::kAgentFenced: return apply(c, e.agent_fenced());
    case v1::Event::kAgentDrainChanged: return apply(c, e.agent_drain_changed());
    case v1::Event::kAgentKeyCollected: return apply(c, e.agent_key_collected());
    case v1::Event::kAgentRemoved: return apply(c, e.agent_removed());
    case v1::Event::kSessionRequested: return apply(c, e.session_requested());
    case v1::Event::kSessionReasonChanged: return apply(c, e.session_reason_changed());
    case v1::Event::kSessionRetried: return apply(c, e.session_retried());
    case v1::Event::kSessionScheduled: return apply(c, e.session_scheduled());
    case v1::Event::kSessionTerminating: return apply(c, e.session_terminating());
    case v1::Event::kSessionCancelled: return apply(c, e.session_cancelled());
    case v1::Event::kSessionRequeued: return apply(c, e.session_requeued());
    case v1::Event::kSessionFailed: return apply(c, e.session_failed());
    case v1::Event::kSessionReserved: return apply(c, e.session_reserved());
    case v1::Event::kSessionUnreserved: return apply(c, e.session_unreserved());
    case v1::Event::kKernelPreparing: return apply(c, e.kernel_preparing());
    case v1::Event::kKernelPulling: return apply(c, e.kernel_pulling());
    case v1::Event::kKernelPrepared: return apply(c, e.kernel_prepared());
    case v1::Event::kKernelCreating: return apply(c, e.kernel_creating());
    case v1::Event::kKernelRunning: return apply(c, e.kernel_running());
    case v1::Event::kKernelTerminated: return apply(c, e.kernel_terminated());
    case v1::Event::kKernelOpened: return apply(c, e.kernel_opened());
    case v1::Event::kSessionShared: return apply(c, e.session_shared());
    case v1::Event::kTerminationBegun: return apply(c, e.termination_begun());
    case v1::Event::kUnreachableChanged: return apply(c, e.unreachable_changed());
    case v1::Event::kPasswordSet: return apply(c, e.password_set());
    case v1::Event::kLoginLinkIssued: return apply(c, e.login_link_issued());
    case v1::Event::kLoginLinkEnded: return apply(c, e.login_link_ended());
    case v1::Event::kBrowserSessionStarted: return apply(c, e.browser_session_started());
    case v1::Event::kBrowserSessionUsed: return apply(c, e.browser_session_used());
    case v1::Event::kBrowserSessionEnded: return apply(c, e.browser_session_ended());
    case v1::Event::kKeyPairUsed: return apply(c, e.key_pair_used());
    case v1::Event::BODY_NOT_SET: return e.skippable() ? Forbidden() : "an event without a body";
    default: return apply_folder_body(c);
  }
}

}  // namespace

InputRow input_row(const State& state, const std::string& partition) {
  const InputRow* row = state.inputs.find(partition);
  return row != nullptr ? *row : InputRow{partition, 0, 0, {}};
}

std::string input_key(std::uint32_t stream, std::uint32_t partition) {
  return (stream == v1::REQUESTS ? "requests/" : "reports/") + std::to_string(partition);
}

std::string quarantine_key(std::uint32_t stream, std::uint32_t partition, std::uint64_t offset) {
  return input_key(stream, partition) + "@" + std::to_string(offset);
}

void EventContext::order_to(const std::string& agent, bool snapshot) {
  for (const auto& note : notes)
    if (note.agent == agent && note.event == index) return;
  const OrderCursorRow* cursor = state.order_cursors.find(agent);
  notes.push_back({agent, position, cursor != nullptr ? cursor->last : Position{}, index, snapshot});
  state.order_cursors.put({agent, position});
}

VoidReason Fold::continues(const v1::RecordHeader& h) const {
  using enum VoidReason;
  const EpochRow& epoch = state_.epoch();
  if (h.sequence() == 0) return h.epoch() == epoch.epoch + 1 && h.link().empty() ? kNone : kEpoch;
  if (h.epoch() != epoch.epoch) return kEpoch;
  if (epoch.dead) return kDeadEpoch;
  if (h.sequence() != epoch.sequence + 1) return kSequence;
  if (h.link() != as_view(epoch.link)) return kLink;
  if (h.time_ns() < epoch.time) return kTime;
  for (const auto& range : h.ranges())
    if (range.from() != state_.next_input(input_key(range.stream(), range.partition())) ||
        range.to() <= range.from())
      return kInputRange;
  return kNone;
}

FoldResult Fold::apply(const v1::Record& record, const Hash256& link) {
  const auto& header = record.header();
  if (const VoidReason reason = continues(header); reason != VoidReason::kNone) return {reason, {}};
  const bool is_election = record.events_size() == 1 && record.events(0).has_controller_elected();
  const bool is_empty = record.events_size() == 0 && header.ranges_size() == 0;
  if (is_empty || is_election != (header.sequence() == 0)) return {VoidReason::kMalformed, {}};

  open(header);
  for (int i = 0; i < record.events_size(); ++i) {
    if (const Forbidden forbidden = add(record.events(i)); !forbidden.empty()) {
      abort();
      refuse(header);
      state_.commit();
      return {VoidReason::kForbidden, "event " + std::to_string(i) + ": " + forbidden};
    }
  }
  close(header, link);
  return {};
}

void Fold::open(const v1::RecordHeader& header) {
  notes_.clear();
  next_ = {header.epoch(), header.sequence(), 0};
  time_ = header.time_ns();
}

Forbidden Fold::add(const v1::Event& event) {
  EventContext context{state_, event, next_, time_, static_cast<int>(next_.index), notes_, cluster_};
  ++next_.index;
  return apply_body(context);
}

void Fold::abort() {
  state_.rollback();
  notes_.clear();
}

void Fold::close(const v1::RecordHeader& h, const Hash256& link) {
  EpochRow epoch = state_.epoch();
  if (day_of(h.time_ns()) > day_of(epoch.time)) drop_old_usage(state_, h.time_ns());
  epoch.sequence = h.sequence();
  epoch.link = link;
  epoch.time = std::max(epoch.time, h.time_ns());
  ++epoch.applied;
  state_.epochs.put(std::move(epoch));
  for (const auto& range : h.ranges()) {
    InputRow row = input_row(state_, input_key(range.stream(), range.partition()));
    row.take(range.to(), range.last_crc(), h.time_ns());
    state_.inputs.put(std::move(row));
  }
  expire(h.time_ns());
  state_.commit();
}

// The second net: the record's inputs and subjects are remembered, so that the next leader decides them alone
// (P7).
void Fold::refuse(const v1::RecordHeader& h) {
  EpochRow epoch = state_.epoch();
  epoch.dead = true;
  state_.epochs.put(std::move(epoch));
  const auto count = [this](const std::string& what) {
    const QuarantineRow* row = state_.quarantine.find(what);
    QuarantineRow next = row != nullptr ? *row : QuarantineRow{what, 0, false};
    ++next.failures;
    state_.quarantine.put(std::move(next));
  };
  for (const auto& range : h.ranges())
    for (std::uint64_t offset = range.from(); offset < range.to(); ++offset)
      count(quarantine_key(range.stream(), range.partition(), offset));
  for (const auto& subject : h.subjects()) count(subject);
}

// What is old leaves the state: a pure function of header time, so every reader drops the same rows at the
// same record.
void Fold::expire(Timestamp now) {
  while (!state_.answered().empty() && state_.answered().front().first + kRequestKeptFor < now) {
    const std::string key = state_.answered().front().second;  // a copy: the queue drops its own with the row
    state_.requests.erase(key);
  }
  while (!state_.joined().empty() && state_.joined().front().first + kJoinKeptFor < now) {
    const std::string key = state_.joined().front().second;
    state_.joins.erase(key);
  }
  while (!state_.ended().empty() && state_.ended().front().first + kHistoryAfter < now) {
    const SessionRow* session = state_.sessions.find(state_.ended().front().second);
    HistoryEntry entry{*session, {}};
    for (const KernelId& id : entry.session.kernel_ids) {
      if (const KernelRow* kernel = state_.kernels.find(id)) entry.kernels.push_back(*kernel);
      state_.kernels.erase(id);
    }
    state_.session_shares.erase(entry.session.id);
    state_.sessions.erase(entry.session.id);
    if (keeps_history_) history_.push_back(std::move(entry));
  }
}

}  // namespace berth::projections
