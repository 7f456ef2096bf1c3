// Session rows as JSON, and the selection of rows for a list. Pure; callers hold the state's lock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/api/map/json_text.h"
#include "controller/api/map/query.h"
#include "controller/api/map/session_lookup.h"
#include "controller/api/map/slot_amounts.h"
#include "projections/automatic_folder.h"
#include "projections/fold/fold.h"
#include "projections/gone_agent.h"
#include "projections/session_filter.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

constexpr std::size_t kUsualSessionBytes = 1'500;  // of the JSON of a session with one kernel

// What a session's JSON tells of its shares.
struct SharesShown {
  const projections::SessionShareRow* all = nullptr;  // nullptr: there are none
  bool hidden = false;                                // from who sees the session by a share alone
  bool with_reader = false;
};
SharesShown shares_shown(const projections::SessionRow& session, const projections::SessionShareRow* shares,
                         const projections::Actor& actor);

// What a session's JSON has that its rows do not say.
struct SessionExtras {
  std::optional<std::uint32_t> queue_position;
  const v1::Environment* environment = nullptr;               // opened, for who may see it
  bool hides_preemptor = false;                               // from who may not see that session
  std::optional<std::uint32_t> build_percent = std::nullopt;  // of the image that it waits for
  std::vector<std::string> mount_names{};                     // see mount_names(); may be fewer
  SharesShown shares{};
  projections::AutomaticFolder automatic_folder = projections::AutomaticFolder::kUnknown;
  std::optional<projections::GoneAgent> gone_agent = std::nullopt;
};

// The session as the next value. Of rows that need not be the state's.
void write_session(JsonText& out, const SlotKinds& kinds, const projections::SessionRow& session,
                   const std::vector<const projections::KernelRow*>& kernels,
                   const SessionExtras& extras = {});

// A session of the state as the next value, without its place in the queue, which costs a walk over all that
// wait: the answer to a write must not. Here and below `actor` is who gets it, who may see the session.
void write_session(JsonText& out, const projections::State& state, const SlotKinds& kinds,
                   const projections::SessionRow& session, const projections::Actor& actor);

std::string session_to_json(const projections::State& state, const SlotKinds& kinds,
                            const projections::SessionRow& session, const projections::Actor& actor,
                            const v1::Environment* environment = nullptr);

// How far the image is built that the session waits for; nothing if it waits for none.
std::optional<std::uint32_t> build_percent(const projections::State& state,
                                           const projections::SessionRow& session);

// The name of the folder of each of the session's mounts, in their order; empty: the folder is gone, or the
// actor may not see it.
std::vector<std::string> mount_names(const projections::State& state, const projections::SessionRow& session,
                                     const projections::Actor& actor);

// The rows of a session's kernels.
std::vector<const projections::KernelRow*> kernels_of(const projections::State& state,
                                                      const projections::SessionRow& session);

// A session that left the state.
std::string history_to_json(const SlotKinds& kinds, const projections::HistoryEntry& entry,
                            const projections::Actor& actor, const v1::Environment* environment = nullptr);

// The amounts of all kernels together, in slot order.
std::vector<projections::SlotAmount> session_demand(const v1::SessionSpec& spec);

// From 1 among the waiting sessions (PENDING, RESERVED) of the group, in the order of its passes, as `why`
// tells it; RESERVED ones are before nobody. Other sessions have none, and those of groups with an order by
// owner (drf, fair-share). Costs a walk over all that wait.
using QueuePositions = std::map<SessionId, std::uint32_t>;
QueuePositions queue_positions(const projections::State& state,
                               const std::vector<const projections::SessionRow*>& sessions);

struct SessionFilter : projections::SessionFilter {
  std::optional<projections::Actor> seen_by;      // only those that this actor may see
  std::optional<projections::Actor> shared_with;  // only those that are shared with this actor
  // `shares`: of the session; nullptr: there are none.
  bool matches(const projections::SessionRow& session,
               const projections::SessionShareRow* shares = nullptr) const;
};

// state=, name=, group=, project=. The caller sets `user`.
SessionFilter read_session_filter(Query& query);

// Sessions in order of arrival.
using SessionOrder = std::map<projections::Position, SessionId>;

// Up to `limit` sessions of the orders that arrived after `after`, and whether there are more. REQUIRES: no
// session is in both orders.
struct SessionPage {
  std::vector<const projections::SessionRow*> sessions;
  bool more = false;
};
SessionPage select_sessions(const projections::State& state, const SessionOrder& order,
                            const SessionOrder& more, const SessionFilter& filter,
                            const projections::Position& after, std::size_t limit);

// "1.17.0", the form of page tokens of sessions.
std::optional<projections::Position> parse_position(std::string_view text);

}  // namespace berth::controller::api
