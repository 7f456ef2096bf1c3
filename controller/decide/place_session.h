// What a scheduling pass decided about a session, as events. Each is one decision about that session; a plan
// (who makes room, and the place that is held) is one record (P4).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "controller/decide/context.h"
#include "controller/placement/types.h"

namespace berth::controller {

// `placements` by kernel. `turn`: the group's index after this placement where it selects by round-robin,
// else 0.
EventList place_session(const DecisionContext& c, const projections::SessionRow& session,
                        std::span<const placement::NamedPlacement> placements, std::uint64_t turn);
// The session is RESERVED: these places are held for it, and the victims end or go back to the queue.
EventList reserve_session(const DecisionContext& c, const projections::SessionRow& session,
                          std::span<const placement::NamedPlacement> placements,
                          std::span<const SessionId> victims, placement::PreemptMode mode);
EventList unreserve_session(const DecisionContext& c, const projections::SessionRow& session);
// Changes the recorded reason of the wait (P19). `slot`: the missing one; empty where none is to blame.
EventList change_reason(const DecisionContext& c, const projections::SessionRow& session, Code code,
                        std::string_view slot);
EventList count_retries(const DecisionContext& c, const projections::SessionRow& session,
                        std::uint32_t retries);

}  // namespace berth::controller
