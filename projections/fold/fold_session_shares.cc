// With whom sessions are shared.
#include <algorithm>

#include "projections/fold/event_context.h"
#include "projections/fold/net.h"

namespace berth::projections {
namespace {

Forbidden check_exists(const State& state, const SessionShare& with) {
  if (with.scope == v1::SCOPE_KIND_USER)
    return state.users.find(with.id) != nullptr ? Forbidden() : "a share with a user that does not exist";
  if (with.scope == v1::SCOPE_KIND_PROJECT)
    return state.projects.find(with.id) != nullptr ? Forbidden()
                                                   : "a share with a project that does not exist";
  return "a share with nobody";
}

SessionShareRow row_of(const State& state, const SessionId& session) {
  const SessionShareRow* row = state.session_shares.find(session);
  return row != nullptr ? *row : SessionShareRow{session, {}};
}

void put(State& state, SessionShareRow row) {
  if (row.shares.empty())
    state.session_shares.erase(row.session);
  else
    state.session_shares.put(std::move(row));
}

}  // namespace

Forbidden apply(EventContext& c, const v1::SessionShared& e) {
  const auto id = Uuid::from_bytes(e.session_id());
  const SessionRow* session = id ? c.state.sessions.find(SessionId(*id)) : nullptr;
  if (session == nullptr) return "there is no such session";
  const SessionShare with{e.scope(), e.id()};
  SessionShareRow row = row_of(c.state, session->id);
  const auto at = std::ranges::lower_bound(row.shares, with);
  const bool is_there = at != row.shares.end() && *at == with;
  if (e.withdrawn()) {
    if (is_there) row.shares.erase(at);
  } else if (!is_there) {
    if (auto reason = check_exists(c.state, with); !reason.empty()) return reason;
    if (row.shares.size() >= static_cast<std::size_t>(kSessionSharesMax))
      return "too many shares of a session";
    row.shares.insert(at, with);
  }
  put(c.state, std::move(row));
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

void forget_session_shares(State& state, v1::ScopeKind scope, const std::string& id) {
  const SessionShare with{scope, id};
  for (const SessionId& session : state.session_shares.sorted_keys()) {
    SessionShareRow row = row_of(state, session);
    if (std::erase(row.shares, with) != 0) put(state, std::move(row));
  }
}

}  // namespace berth::projections
