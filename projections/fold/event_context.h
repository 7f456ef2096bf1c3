// What a handler of the fold is given: one event and where it stands. A handler changes rows, or says why the
// event is forbidden (P7).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/schema/v1/event.pb.h"
#include "projections/fold/fold.h"
#include "projections/tables/state.h"

namespace berth::projections {

struct EventContext {
  State& state;
  const v1::Event& event;
  Position position;  // of the event
  Timestamp time;     // header time
  int index;
  std::vector<OrderNote>& notes;
  const Uuid& cluster;

  // Whether the event's epoch has these rules or newer ones (P15): events of older epochs fold as they did.
  bool rules_since(std::uint32_t rules) const { return state.epoch().rules >= rules; }
  // Notes an order to the agent at this event, once.
  void order_to(const std::string& agent, bool snapshot = false);
};

Forbidden apply(EventContext& c, const v1::ControllerElected& e);
Forbidden apply(EventContext& c, const v1::ChainHeadRecorded& e);
Forbidden apply(EventContext& c, const v1::ClockJumped& e);
Forbidden apply(EventContext& c, const v1::ClockBehind& e);
Forbidden apply(EventContext& c, const v1::ClockConfirmed& e);
Forbidden apply(EventContext& c, const v1::RequestRefused& e);
Forbidden apply(EventContext& c, const v1::RequestRepeated& e);
Forbidden apply(EventContext& c, const v1::RequestExpired& e);
Forbidden apply(EventContext& c, const v1::InputRewound& e);
Forbidden apply(EventContext& c, const v1::InternalErrorRecorded& e);
Forbidden apply(EventContext& c, const v1::QuarantineReleased& e);
Forbidden apply(EventContext& c, const v1::SelectionLearned& e);
Forbidden apply(EventContext& c, const v1::SlotTypeRegistered& e);
Forbidden apply(EventContext& c, const v1::ResourceGroupDefined& e);
Forbidden apply(EventContext& c, const v1::DomainDefined& e);
Forbidden apply(EventContext& c, const v1::ProjectDefined& e);
Forbidden apply(EventContext& c, const v1::UserDefined& e);
Forbidden apply(EventContext& c, const v1::KeyPairDefined& e);
Forbidden apply(EventContext& c, const v1::ImageRegistered& e);
Forbidden apply(EventContext& c, const v1::ImageBuildChanged& e);
Forbidden apply(EventContext& c, const v1::LimitSet& e);
Forbidden apply(EventContext& c, const v1::LimitRemoved& e);
Forbidden apply(EventContext& c, const v1::DefinitionRemoved& e);
Forbidden apply(EventContext& c, const v1::PresetDefined& e);
Forbidden apply(EventContext& c, const v1::AgentEnrolled& e);
Forbidden apply(EventContext& c, const v1::AgentJoined& e);
Forbidden apply(EventContext& c, const v1::AgentLost& e);
Forbidden apply(EventContext& c, const v1::AgentLeft& e);
Forbidden apply(EventContext& c, const v1::AgentFenced& e);
Forbidden apply(EventContext& c, const v1::AgentDrainChanged& e);
Forbidden apply(EventContext& c, const v1::AgentKeyCollected& e);
Forbidden apply(EventContext& c, const v1::AgentRemoved& e);
Forbidden apply(EventContext& c, const v1::SessionRequested& e);
Forbidden apply(EventContext& c, const v1::SessionReasonChanged& e);
Forbidden apply(EventContext& c, const v1::SessionRetried& e);
Forbidden apply(EventContext& c, const v1::SessionScheduled& e);
Forbidden apply(EventContext& c, const v1::SessionTerminating& e);
Forbidden apply(EventContext& c, const v1::SessionCancelled& e);
Forbidden apply(EventContext& c, const v1::SessionRequeued& e);
Forbidden apply(EventContext& c, const v1::SessionFailed& e);
Forbidden apply(EventContext& c, const v1::SessionReserved& e);
Forbidden apply(EventContext& c, const v1::SessionUnreserved& e);
Forbidden apply(EventContext& c, const v1::KernelPreparing& e);
Forbidden apply(EventContext& c, const v1::KernelPulling& e);
Forbidden apply(EventContext& c, const v1::KernelPrepared& e);
Forbidden apply(EventContext& c, const v1::KernelCreating& e);
Forbidden apply(EventContext& c, const v1::KernelRunning& e);
Forbidden apply(EventContext& c, const v1::KernelTerminated& e);
Forbidden apply(EventContext& c, const v1::KernelOpened& e);
Forbidden apply(EventContext& c, const v1::SessionShared& e);
Forbidden apply(EventContext& c, const v1::TerminationBegun& e);
Forbidden apply(EventContext& c, const v1::UnreachableChanged& e);
Forbidden apply(EventContext& c, const v1::PasswordSet& e);
Forbidden apply(EventContext& c, const v1::LoginLinkIssued& e);
Forbidden apply(EventContext& c, const v1::LoginLinkEnded& e);
Forbidden apply(EventContext& c, const v1::BrowserSessionStarted& e);
Forbidden apply(EventContext& c, const v1::BrowserSessionUsed& e);
Forbidden apply(EventContext& c, const v1::BrowserSessionEnded& e);
Forbidden apply(EventContext& c, const v1::KeyPairUsed& e);
Forbidden apply(EventContext& c, const v1::FolderCreated& e);
Forbidden apply(EventContext& c, const v1::FolderReady& e);
Forbidden apply(EventContext& c, const v1::FolderFailed& e);
Forbidden apply(EventContext& c, const v1::FolderRenamed& e);
Forbidden apply(EventContext& c, const v1::FolderTrashed& e);
Forbidden apply(EventContext& c, const v1::FolderRestored& e);
Forbidden apply(EventContext& c, const v1::FolderPurging& e);
Forbidden apply(EventContext& c, const v1::FolderPurged& e);
Forbidden apply(EventContext& c, const v1::FolderShared& e);
Forbidden apply(EventContext& c, const v1::VolumeAgentNamed& e);
Forbidden apply(EventContext& c, const v1::VolumeForgotten& e);
Forbidden apply(EventContext& c, const v1::ProducerDefined& e);
Forbidden apply(EventContext& c, const v1::ProducerKeyCollected& e);
Forbidden apply(EventContext& c, const v1::HistoryRuleSet& e);
Forbidden apply(EventContext& c, const v1::HistoryPruned& e);
Forbidden apply(EventContext& c, const v1::ClusterRestored& e);
Forbidden apply(EventContext& c, const v1::SealKeyAdded& e);
Forbidden apply(EventContext& c, const v1::SecretResealed& e);
Forbidden apply(EventContext& c, const v1::SealKeyDestroyed& e);
Forbidden apply(EventContext& c, const v1::ServerSealing& e);
Forbidden apply(EventContext& c, const v1::BackupTaken& e);
Forbidden apply(EventContext& c, const v1::HeadKeyChanged& e);

// Of a chain head that is signed: the signature is right, by the log's key, and the range follows the one
// before. One that is not signed is nothing to it.
Forbidden take_signed_head(EventContext& c, const v1::ChainHeadRecorded& e);

// The row with the status that follows from its flags and its kernels' states (session_table.h draws it), and
// with the times and the result that a change of status brings.
SessionRow with_status(const State& state, SessionRow row, Timestamp now);
SessionStatus status_of(const State& state, const SessionRow& row);

// Fills in the row of a kernel of the session that is placed at `p`.
Forbidden make_kernel(const SessionRow& session, const v1::Placement& p, std::uint32_t attempt,
                      KernelRow& row);

// Notes in the victim's row that it makes room for the session `preemptor` (bytes of its id), and whose that
// session is.
Forbidden preempt(const EventContext& c, SessionRow& victim, const std::string& preemptor);

// If the session has ended in SUCCESS, sessions that depend on it wait for it no longer.
void settle_dependents(EventContext& c, const SessionId& id);

// Adds what the kernel used to its owner's usage (day_usage_table.h): its slots are free from now on.
void count_usage(EventContext& c, const KernelRow& ended, const SessionRow& session);

// Counts the classes of a session that is asked for (request_mix_table.h).
void count_request(EventContext& c, const v1::SessionSpec& spec);

// Drops what the group has learned and counted.
void forget_group(State& state, const std::string& group);

// Drops the user with all that signs the user in.
void forget_user(State& state, const std::string& user);
// Drops the key pair and its limits; its id is never given again.
void forget_key_pair(State& state, const std::string& key);

// Drops what is shared with the user or project ("DOMAIN/NAME").
void forget_shares(State& state, v1::ScopeKind scope, const std::string& id);
void forget_session_shares(State& state, v1::ScopeKind scope, const std::string& id);
// No volume has the agent named for it any more.
void forget_volume_agent(State& state, const std::string& agent);

// Drops from the quarantine the inputs of the partition ("requests/0") from that offset on.
void forget_quarantined(State& state, const std::string& partition, std::uint64_t from);

// Notes in the request's row that this event answered it, and about which session. The first answer stands.
void note_answer(EventContext& c, AnswerKind kind, const SessionId* session = nullptr);

}  // namespace berth::projections
