// What the sessions of each domain, project, user and key pair hold and wait for: derived from session and
// kernel rows, never stored, in no event. Limits are compared with it (limits.h).
//
// A slot counts from SessionScheduled to the confirmed end of its kernel, whatever the session's status shows
// (P25).
#pragma once

#include <string>
#include <unordered_map>

#include "projections/tables/occupancy.h"
#include "projections/tables/session_table.h"

namespace berth::projections {

// How a session counts: not at all (it has ended), as pending, or as one that has a place.
enum class SessionUse : std::uint8_t { kNone, kPending, kActive };
SessionUse use_of(const SessionRow* session);  // nullptr: kNone

struct ScopeUse {
  SlotSums slots;                    // reserved and used
  SlotSums pending_slots;            // asked for by those that wait
  std::int64_t sessions = 0;         // active, but system ones
  std::int64_t system_sessions = 0;  // active
  std::int64_t pending = 0;
};

class UsageBook {
 public:
  // A session more or less of that kind.
  void count(const SharedOwner& owner, const v1::SessionSpec& spec, SessionUse use, int sign);
  // A kernel of that role takes its slots or gives them back.
  void hold(const SharedOwner& owner, const v1::RoleSpec& role, int sign);
  // All that a session counts once it is placed, more (1) or less (-1).
  void place(const SharedOwner& owner, const v1::SessionSpec& spec, int sign);

  // By scope key, "user/alice"; zeros where it holds nothing.
  const ScopeUse& find(const std::string& scope) const;
  bool is_empty() const { return scopes_.empty(); }
  void clear() { scopes_.clear(); }

 private:
  std::unordered_map<std::string, ScopeUse> scopes_;
};

}  // namespace berth::projections
