// Every decision that an input can lead to. Pure: (state, input) -> events.
#pragma once

#include <string_view>

#include "controller/decide/context.h"

namespace berth::controller {

inline constexpr Duration kNotAfterDefault = 10 * kMinute;
inline constexpr Duration kNotAfterMax = kHour;

// One request: repeated, expired, refused or carried out (P13).
void decide_request(DecisionContext& c, const v1::Request& request);

// The request's own handlers, one a file. Empty: carried out.
std::optional<Refusal> decide(DecisionContext& c, const v1::Request& request, const v1::RequestSession& body,
                              const Hash128& body_hash);
std::optional<Refusal> decide(DecisionContext& c, const v1::Request& request,
                              const v1::TerminateSession& body);
std::optional<Refusal> decide(DecisionContext& c, const v1::Request& request, const v1::Define& body);
std::optional<Refusal> decide(DecisionContext& c, const v1::SetLimit& body);
std::optional<Refusal> decide(DecisionContext& c, const v1::RemoveLimit& body);
std::optional<Refusal> decide(DecisionContext& c, const v1::FenceAgent& body);
std::optional<Refusal> decide(DecisionContext& c, const v1::DrainAgent& body);
std::optional<Refusal> decide(DecisionContext& c, const v1::EnrollAgent& body);
std::optional<Refusal> decide(DecisionContext& c, const v1::ConfirmClock& body);
std::optional<Refusal> decide(DecisionContext& c, const v1::ReleaseQuarantine& body);

// One report (P22). Returns true if the agent needs a snapshot: it asked, or it told an end that is long
// known.
bool decide_report(DecisionContext& c, const v1::Report& report);

// A session whose kernels have all ended after a failed start or a lost agent: back to the queue, or given
// up.
void settle_rescheduling(DecisionContext& c, const SessionId& session);

// What the passing of time does. Each decides about one subject.
void end_kernel(DecisionContext& c, const projections::KernelRow& kernel, v1::KernelEnd end,
                std::string message);
void fire_timer(DecisionContext& c, const projections::Timer& timer);
// A PENDING session that depends on one that did not end in SUCCESS, and does not want to wait for that.
void cancel_dependent(DecisionContext& c, const projections::SessionRow& session);

}  // namespace berth::controller
