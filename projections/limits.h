// Limits: how much the sessions of one domain, project, user or key pair may hold together (BEHAVIOURS
// sections 2 and 13).
//
// Two moments. Asked for: what waits already, containers and priority; over is refused. To be placed: slots
// and sessions that hold some; over waits with the reason `limit`, which is lifted when use or limit changes.
// Every scope that binds is looked at, so that one answer has all reasons.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "projections/fold/admission.h"
#include "projections/tables/state.h"

namespace berth::projections {

// One thing that a scope would have too much of. `what`: a slot, "sessions", "system-sessions", "pending",
// "containers", "priority", "pending SLOT".
struct LimitExcess {
  std::string scope;  // "user"
  std::string id;     // "alice"
  std::string what;
  Amount used = 0;  // in units of the slot, or a count
  Amount asked = 0;
  Amount most = 0;
  bool is_count = false;  // a plain number instead of an amount of the slot `what`
};

// Whatever keeps this session from being placed now, by scope (domain, project, user, keypair), then slot in
// name order. `also`: what is placed already but not yet in the state.
std::vector<LimitExcess> excess_when_placed(const State& state, const SharedOwner& owner,
                                            const v1::SessionSpec& spec, const UsageBook* also = nullptr);

// Whatever refuses a session like this one at asking; `ahead`: equal ones of the same request that come
// before it.
std::vector<LimitExcess> excess_when_asked(const State& state, const SharedOwner& owner,
                                           const v1::SessionSpec& spec, std::uint32_t ahead = 0);

// A heading with the number of reasons, then a line each: "- user alice: cpu 8 held + 4 asked of 10".
std::string limits_text(const State& state, const std::vector<LimitExcess>& all);

// limit-exceeded, or nothing.
std::optional<Refusal> admit_limits(const State& state, const v1::Owner& owner, const v1::SessionSpec& spec,
                                    std::uint32_t ahead);

// What a limit must look like; codes: unknown-scope, unknown-slot, invalid-amount, invalid-definition.
std::optional<Refusal> check_limit(const State& state, const v1::LimitSet& limit);

// What the limit under this key ("user/alice") leaves of the slot, at least 0; nothing: it does not bind it.
std::optional<Amount> left_of(const State& state, const std::string& scope, const std::string& slot);

// Of all its kernels together, by slot name; zeros left out.
std::vector<SlotAmount> total_demand(const v1::SessionSpec& spec);

}  // namespace berth::projections
