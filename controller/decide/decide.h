// The decisions that an input or the passing of time can lead to. Pure: (context, input) -> Decision, or
// events where nothing can be refused; the context holds the state.
#pragma once

#include <variant>
#include <vector>

#include "controller/decide/context.h"
#include "events/codec/request_hash.h"

namespace berth::controller {

inline constexpr Duration kNotAfterDefault = 10 * kMinute;
inline constexpr Duration kNotAfterMax = kHour;
inline constexpr Duration kAheadMax = 10 * kMinute;  // of a request's time, before the cluster's (P16)

// One request: repeated, expired, refused or carried out (P13); each outcome is one event or several, and
// fits a record (P4). No events if the request has no id, or no actor of at most kWriterNameMax bytes: nobody
// waits for it.
EventList decide_request(const DecisionContext& c, const v1::Request& request);

// The request's own handlers, one a file.
Decision decide(const DecisionContext& c, const v1::Request& request, const v1::RequestSession& body,
                const RequestHash& hash);
Decision decide(const DecisionContext& c, const v1::Request& request, const v1::TerminateSession& body);
Decision decide(const DecisionContext& c, const v1::Request& request, const v1::Define& body);
Decision decide(const DecisionContext& c, const v1::SetLimit& body);
Decision decide(const DecisionContext& c, const v1::RemoveLimit& body);
Decision decide(const DecisionContext& c, const v1::FenceAgent& body);
Decision decide(const DecisionContext& c, const v1::DrainAgent& body);
Decision decide(const DecisionContext& c, const v1::EnrollAgent& body);
Decision decide(const DecisionContext& c, const v1::ConfirmClock& body);
Decision decide(const DecisionContext& c, const v1::ReleaseQuarantine& body);
Decision decide(const DecisionContext& c, const v1::Remove& body);
Decision decide(const DecisionContext& c, const v1::CollectAgentKey& body);
Decision decide(const DecisionContext& c, const v1::Request& request, const v1::TerminateSessions& body);
Decision decide(const DecisionContext& c, const v1::Request& request, const v1::OpenKernel& body);
Decision decide(const DecisionContext& c, const v1::RecordImageBuild& body);

// Of programs that ask for their own users (controller/decide/producers).
Decision decide(const DecisionContext& c, const v1::PutProducer& body);
Decision decide(const DecisionContext& c, const v1::CollectProducerKey& body);

// Of people and how they sign in (controller/decide/identity).
Decision decide(const DecisionContext& c, const v1::PutDomain& body);
Decision decide(const DecisionContext& c, const v1::PutProject& body);
Decision decide(const DecisionContext& c, const v1::PutUser& body);
Decision decide(const DecisionContext& c, const v1::PutMembership& body);
Decision decide(const DecisionContext& c, const v1::Request& request, const v1::AddKeyPair& body);
Decision decide(const DecisionContext& c, const v1::ChangeKeyPair& body);
Decision decide(const DecisionContext& c, const v1::IssueLoginLink& body);
Decision decide(const DecisionContext& c, const v1::Request& request, const v1::SetPassword& body);
Decision decide(const DecisionContext& c, const v1::StartBrowserSession& body);
Decision decide(const DecisionContext& c, const v1::EndBrowserSessions& body);
Decision decide(const DecisionContext& c, const v1::RecordUse& body);

// Of how the cluster is kept (controller/decide/keeping).
Decision decide(const DecisionContext& c, const v1::SetHistoryRule& body);
Decision decide(const DecisionContext& c, const v1::PruneHistory& body);
Decision decide(const DecisionContext& c, const v1::AddSealKey& body);
Decision decide(const DecisionContext& c, const v1::ResealSecrets& body);
Decision decide(const DecisionContext& c, const v1::DestroySealKey& body);
Decision decide(const DecisionContext& c, const v1::RecordSealing& body);
Decision decide(const DecisionContext& c, const v1::RecordBackup& body);
Decision decide(const DecisionContext& c, const v1::RotateHeadKey& body);

// Of folders (controller/decide/folders).
Decision decide(const DecisionContext& c, const v1::CreateFolder& body);
Decision decide(const DecisionContext& c, const v1::ChangeFolder& body);
Decision decide(const DecisionContext& c, const v1::ShareFolder& body);
Decision decide(const DecisionContext& c, const v1::ForgetVolume& body);
Decision decide(const DecisionContext& c, const v1::Request& request, const v1::ShareSession& body);
// Removes for good a folder that is in the trash, or could not be made.
EventList purge_folder(const DecisionContext& c, const projections::FolderRow& folder);

// A report is decided about part by part (P22). Each part sees the events of the parts before, and the
// records of one report may be several: deciding a part again is harmless. The parts are views of the report,
// which must outlive them.
struct SnapshotPart {};  // the agent asks for a snapshot
struct JoinPart {
  const v1::Join& join;
};
struct VolumesPart {};  // after a join: who makes the folders of the volumes that the agent has now
struct ToldKernelPart {
  const v1::KernelFact& kernel;  // of the join
};
struct FactPart {
  const v1::KernelFact& fact;
};
struct FolderFactPart {
  const v1::FolderFact& fact;
};
struct LeavingPart {};
using ReportPart =
    std::variant<SnapshotPart, JoinPart, VolumesPart, ToldKernelPart, FactPart, FolderFactPart, LeavingPart>;
// In the order in which they are decided; what the report does not have is left out.
std::vector<ReportPart> parts_of(const v1::Report& report);
struct PartDecision {
  EventList events;
  // The agent needs a snapshot: it asked for one, or reported a known end or an unknown kernel.
  bool snapshot = false;
};
// REQUIRES: the agent is enrolled.
PartDecision decide(const DecisionContext& c, const v1::Report& report, const ReportPart& part);
// Whether the report is of the agent's current incarnation, also after all its parts.
bool is_of_its_incarnation(const projections::State& state, const v1::Report& report);

// If the session is RESCHEDULING and all its kernels have ended: it goes back to the queue, or fails when its
// starts are used up. Else no events. Called after each applied end of a kernel.
EventList settle(const DecisionContext& c, const SessionId& session);
inline constexpr std::size_t kSettleBytesMax = 6u << 10;  // of its events

// What the passing of time does. Each decides about one subject.
EventList lose_agent(const DecisionContext& c, const projections::AgentRow& agent);
EventList end_kernel(const DecisionContext& c, const projections::KernelRow& kernel, v1::KernelEnd end,
                     std::string message);
EventList fire_timer(const DecisionContext& c, const projections::Timer& timer);
// A PENDING session that depends on one that did not end in SUCCESS, with wait_on_dependency_failure unset.
EventList cancel_dependent(const DecisionContext& c, const projections::SessionRow& session);

}  // namespace berth::controller
