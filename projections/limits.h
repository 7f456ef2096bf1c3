// Limits: how much the sessions of one domain, project, user or key pair may hold together (BEHAVIOURS
// sections 2 and 13). These are questions about amounts; what follows from an answer is the asker's to
// decide.
//
// Limits bind at two moments. When a session is asked for, they bind what waits already, containers and
// priority: decide refuses a session that is over. When it is to be placed, they bind slots and sessions that
// hold slots: a session that is over waits with the reason `limit`, until use or limit changes. Every scope
// that binds is looked at, so that one answer has all reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "projections/tables/state.h"

namespace berth::projections {

// One thing of which a scope would have too much. `what`: a slot, "sessions", "system-sessions", "pending",
// "containers", "priority" or "pending SLOT".
struct LimitExcess {
  v1::ScopeKind scope = v1::SCOPE_KIND_UNSPECIFIED;
  std::string id;  // "alice"
  std::string what;
  Amount used = 0;  // in units of the slot, or a count
  Amount asked = 0;
  Amount most = 0;
  bool is_count = false;  // a plain number instead of an amount of the slot `what`
};

// All that keeps the session from being placed now, by scope (domain, project, user, keypair), then by slot
// in name order. `also`: what is placed already and not in the state yet.
std::vector<LimitExcess> excess_when_placed(const State& state, const SharedOwner& owner,
                                            const v1::SessionSpec& spec, const UsageBook* also = nullptr);

// All that the session would be refused for when it is asked for. `ahead`: equal sessions of the same request
// that come before it.
std::vector<LimitExcess> excess_when_asked(const State& state, const SharedOwner& owner,
                                           const v1::SessionSpec& spec, std::uint32_t ahead = 0);

// A heading with the number of reasons, then a line each: "- user alice: cpu 8 held + 4 asked of 10".
std::string limits_text(const State& state, const std::vector<LimitExcess>& all);

// What the limit under this key ("user/alice") leaves of the slot, at least 0; nothing if it does not bind
// the slot.
std::optional<Amount> left_of(const State& state, const std::string& scope, const std::string& slot);

// What all kernels of the session ask for together, by slot name; zeros are left out.
std::vector<SlotAmount> total_demand(const v1::SessionSpec& spec);

}  // namespace berth::projections
