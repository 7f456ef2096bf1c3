// UsageBook: what the sessions of each domain, project, user and key pair hold and wait for, derived from
// session and kernel rows. It is never stored and in no event. Limits are compared with it (limits.h).
//
// A slot counts from SessionScheduled to the confirmed end of its kernel, whatever the session's status shows
// (P25).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "projections/tables/occupancy.h"
#include "projections/tables/session_table.h"

namespace berth::projections {

// How a session counts: not at all since it has ended, as pending, or as a session that has a place.
enum class SessionUse : std::uint8_t { kNone, kPending, kActive };
SessionUse use_of(const SessionRow* session);  // nullptr: kNone

// What one role of a waiting session counts, bounded: no sum of any number of sessions leaves 64 bits.
Amount pending_amount(Amount amount, std::uint32_t count);

struct ScopeUse {
  SlotSums slots;                    // reserved and used
  SlotSums pending_slots;            // asked for by sessions that wait
  std::int64_t sessions = 0;         // active, system sessions left out
  std::int64_t system_sessions = 0;  // active
  std::int64_t pending = 0;
};

class UsageBook {
 public:
  // Counts a session of that use more (1) or less (-1).
  void count(const SharedOwner& owner, const v1::SessionSpec& spec, SessionUse use, int sign);
  // A kernel of that role takes its slots (1) or gives them back (-1).
  void hold(const SharedOwner& owner, const v1::RoleSpec& role, int sign);
  // Counts all that a placed session holds, more (1) or less (-1).
  void place(const SharedOwner& owner, const v1::SessionSpec& spec, int sign);

  // By scope key, "user/alice"; zeros where the scope holds nothing.
  const ScopeUse& find(const std::string& scope) const;
  bool is_empty() const { return scopes_.empty(); }
  void clear() { scopes_.clear(); }

 private:
  std::unordered_map<std::string, ScopeUse> scopes_;
};

}  // namespace berth::projections
