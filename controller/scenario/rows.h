// Rows of a State for what a scenario file says: as if events had said it.
#pragma once

#include <cstdint>
#include <string>

#include "controller/scenario/scenario.h"
#include "projections/tables/state.h"

namespace berth::placement {

// Of a session that holds slots, a larger amount of one kernel counts as this much in rows, so that their
// sums stay within 64 bits. The cluster gets the amount itself.
inline constexpr Amount kHeldAmountMax = kAmountMax / 65'536;

projections::SlotTypeRow slot_type_row(const std::string& name, SlotKind kind);
projections::GroupRow group_row(const Scenario& scenario, const ScenarioGroup& group);
// What the group would have learned: the classes of the sessions in the file (session_mix.h).
projections::LearnedRow learned_row(const Scenario& scenario, const ScenarioGroup& group);
projections::AgentRow agent_row(const Scenario& scenario, const AgentSpec& agent);
projections::LimitRow limit_row(const ScenarioLimit& limit);

// The row of a session of the file before any of its kernels has a place. The caller adds the status, the
// dependencies and the kernels.
projections::SessionRow session_row(projections::State& state, const Scenario& scenario,
                                    const ScenarioSession& session, std::size_t index);
// A kernel of the session by its number (kernel_names), on no agent yet.
projections::KernelRow kernel_row(const projections::SessionRow& session, std::uint32_t number);
// The number of a kernel by its name. REQUIRES: the session has such a kernel.
std::uint32_t kernel_number(const ScenarioSession& session, const std::string& name);

// Whether no amount of the session is above kHeldAmountMax.
bool fits_rows(const ScenarioSession& session);

// Counts the usage that the file says beside its sessions.
void count_usage(const ScenarioUsage& usage, projections::UsageBook* book);

}  // namespace berth::placement
