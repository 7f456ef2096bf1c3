// The answers about sessions that wait, or would wait, as values: sessions, agents and slots by name, and no
// index of the scheduler's model. The API maps them to JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "events/base/amount.h"
#include "events/base/clock.h"
#include "events/base/refusal.h"
#include "events/base/uuid.h"
#include "events/schema/v1/common.pb.h"
#include "projections/tables/held_place.h"
#include "projections/tables/session_table.h"

namespace berth::controller {

// Whether the asker may know of this session.
using SeesSession = std::function<bool(const projections::SessionRow&)>;

// One slot that keeps a session waiting, in amounts as of now (P19).
struct Lacking {
  std::string slot;
  Amount asked = 0;      // by one kernel
  Amount best_free = 0;  // the most that a single place has free: a device for device slots, else an agent
  std::string where;     // that place, "a1/gpu0" or "a1"; empty: no place has this slot at all
};

// A session that holds some of a lacking slot.
struct Holder {
  SessionId session;
  std::string name;
  std::string user;
  std::string agent;
  std::string device;  // empty for slots that belong to no device
  std::string slot;
  Amount amount = 0;
};

// One limit that the session would pass if it started now. Amounts are plain numbers where `is_count`, else
// amounts of the slot `what`.
struct LimitInTheWay {
  v1::ScopeKind scope = v1::SCOPE_KIND_UNSPECIFIED;
  std::string id;    // "alice"
  std::string what;  // "cuda.shares", "sessions"
  Amount used = 0;
  Amount asked = 0;
  Amount limit = 0;
  bool is_count = false;
};

// A session that must end in SUCCESS first.
struct Unmet {
  SessionId session;
  std::string name;    // empty if the session has left the state
  std::string status;  // "RUNNING"; "GONE" if the session has left the state
  std::string result;  // "FAILED" or empty
};

// What would let a session start. Each set is minimal and was proved by a run of the scheduler; the sets are
// alternatives to each other. Sets with a session that the asker may not see are left out.
struct UnblockSets {
  std::vector<std::string> lines;              // for people
  std::vector<std::vector<SessionId>> ends;    // the session starts if these end
  std::vector<std::vector<SessionId>> leaves;  // the session starts if these leave the queue before it
  bool complete = false;                       // false: the search reached its bound, there may be more sets
  bool proved = true;  // false: the cell is too large to run its scheduler for an answer; there are no sets
};

// When a waiting session is expected to start, at several percentiles. Each percentile comes with its record:
// how many of the sessions that started since were told a time, and how many started by then.
struct StartEstimate {
  struct Percentile {
    int percent = 50;                // of 100 cases, so many start by `at`
    std::optional<Timestamp> at;     // nullopt: it cannot be known, see `none`
    std::uint64_t told = 0;          // sessions that were told a time and have started since
    std::uint64_t met_permille = 0;  // of those, how many started by that time
    std::string none;                // why `at` is nullopt: "ends-unknown", "bound", "never", "not-waiting"
  };
  std::vector<Percentile> percentiles;
};

// Why a session waits.
struct Explanation {
  berth::Code code;  // "no-device"; empty: nothing keeps the session waiting
  std::string slot;
  std::string text;  // a line, or a heading and a line a reason
  std::string hint;  // what would lift the cause
  std::vector<Lacking> lacking;
  static constexpr std::size_t kHoldersMax = 20;
  std::vector<Holder> holders;        // by agent, the first kHoldersMax that the asker may see
  std::size_t holders_total = 0;      // all of them, also those that the asker may not see
  std::vector<LimitInTheWay> limits;  // of every scope, whatever `code` is
  std::vector<Unmet> unmet;
  // The head that blocks the queue, or the session that preempted this one; none of it if the asker may not
  // see that one.
  SessionId blocked_by;
  std::string blocked_by_name;
  std::uint32_t queue_position = 0;  // from 1, in the order of the group's next pass; 0: not in the queue
  UnblockSets unblock;
  std::optional<StartEstimate> start;  // of a session that waits for room
};

// One session of a request that is only tried.
struct WouldStart {
  struct Kernel {
    std::string kernel;  // "main1"
    std::string agent;
    std::vector<projections::DeviceShare> devices;
  };
  std::string name;
  std::optional<bool> starts;         // at the next pass; nullopt: the cell is too large to try its order
  std::vector<Kernel> kernels;        // the places, if the session starts
  std::vector<std::string> preempts;  // sessions that would have to go first, if the asker may see them
  std::size_t preempts_count = 0;     // all sessions that would have to go first
};

// What would become of a request for sessions.
struct DryRunAnswer {
  std::optional<Refusal> refusal;     // the refusal that the request itself would get
  std::vector<WouldStart> sessions;   // without a refusal: all sessions of the request, in order
  std::optional<Explanation> why;     // why the first session that does not start would wait
  std::string waiting;                // the name of that session
  std::string note;                   // what limits the answer: the group's own policy was not asked
  std::vector<std::string> warnings;  // lines for people: no agent could ever hold such a session
};

}  // namespace berth::controller
