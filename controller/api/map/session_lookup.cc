#include "controller/api/map/session_lookup.h"

#include <algorithm>

#include "events/base/text.h"
#include "projections/session_access.h"

namespace berth::controller::api {
namespace {

using projections::SessionRow;

Error unknown_session(const std::string& id_or_name) {
  return make_error(kUnknownSession, "there is no session '" + clipped(id_or_name) + "'",
                    "berth session ls --all lists them");
}

bool is_mine(const SessionRow& session, const Caller& caller) {
  return session.owner->owner.user() == caller.user;
}

// The best of two sessions of one name: live before ended, then the newer one.
bool is_better(const SessionRow& a, const SessionRow* b) {
  if (b == nullptr) return true;
  const bool a_live = !projections::is_end(a.status), b_live = !projections::is_end(b->status);
  return a_live != b_live ? a_live : a.created > b->created;
}

}  // namespace

bool is_still_signed_in(const projections::State& state, const Caller& caller, Timestamp now) {
  const auto* user = state.users.find(caller.user);
  if (user == nullptr || user->def.disabled()) return false;
  if (!caller.browser_session.is_nil()) {
    const auto* row = state.browser_sessions.find(caller.browser_session);
    return row != nullptr && row->expires_at > now;
  }
  const auto* key = state.key_pairs.find(caller.access_key);
  if (key == nullptr) return true;
  const Timestamp end = key->def.expires_ns();
  return key->def.active() && (end == 0 || end > now);
}

Timestamp signed_in_until(const projections::State& state, const Caller& caller) {
  if (const auto* row = state.browser_sessions.find(caller.browser_session)) return row->expires_at;
  const auto* key = state.key_pairs.find(caller.access_key);
  return key == nullptr ? 0 : key->def.expires_ns();
}

Timestamp end_of(const projections::BrowserSessionRow& row, Duration idle) {
  return std::min(row.expires_at, row.used_at + idle);
}

void read_user(const projections::State& state, const std::string& user, Caller& caller) {
  caller.user = user;
  const auto* row = state.users.find(user);
  if (row == nullptr) return;
  caller.role = row->def.role();
  caller.domain = row->def.domain();
  if (row->def.projects_size() > 0) caller.project = row->def.projects(0);
}

projections::Actor actor_of(const projections::State& state, const Caller& caller) {
  if (caller.today != nullptr) return *caller.today;
  const auto* user = state.users.find(caller.user);
  if (user == nullptr) return {caller.user, caller.role, caller.domain, {caller.project}, {}};
  projections::Actor actor = projections::actor_of(user->def);
  if (caller.own_alone) {
    actor.role = v1::ROLE_USER;
    actor.admin_of.clear();
  }
  return actor;
}

std::optional<Error> missing_project(const projections::State& state, const v1::Owner& owner) {
  const std::string name = owner.domain() + "/" + owner.project();
  const auto* user = state.users.find(owner.user());
  const auto is_in = [&](const v1::UserDefined& def) {
    return def.role() == v1::ROLE_SUPERADMIN ||
           (def.domain() == owner.domain() &&
            std::find(def.projects().begin(), def.projects().end(), owner.project()) != def.projects().end());
  };
  if (state.projects.find(name) != nullptr && user != nullptr && is_in(user->def)) return std::nullopt;
  return make_error("unknown-project", "you are in no project '" + clipped(name, 160) + "'",
                    "berth whoami names yours");
}

bool may_see_preemptor(const projections::Actor& actor, const SessionRow& session) {
  return session.preemptor_owner &&
         may(actor, projections::Noun::kSession, projections::Verb::kSee, session.preemptor_owner->owner);
}

Result<const SessionRow*> find_session(const projections::State& state, const Caller& caller,
                                       const std::string& id_or_name) {
  const projections::Actor actor = actor_of(state, caller);
  if (const auto id = Uuid::parse(id_or_name)) {
    const SessionRow* row = state.sessions.find(SessionId(*id));
    if (row == nullptr || !may_see_session(state, actor, *row)) return unknown_session(id_or_name);
    return row;
  }
  if (const SessionRow* live = state.find_live(caller.user, id_or_name)) return live;
  const SessionRow* mine = nullptr;
  const SessionRow* other = nullptr;
  int others_live = 0;
  state.sessions.for_each_unordered([&](const SessionRow& row) {
    if (row.name != id_or_name || !may_see_session(state, actor, row)) return;
    const SessionRow*& best = is_mine(row, caller) ? mine : other;
    if (!is_mine(row, caller) && !projections::is_end(row.status)) ++others_live;
    if (is_better(row, best)) best = &row;
  });
  if (mine != nullptr) return mine;
  if (other == nullptr) return unknown_session(id_or_name);
  if (others_live > 1)
    return make_error("ambiguous-name",
                      "several users have a live session named '" + clipped(id_or_name) + "'",
                      "name it by its id");
  return other;
}

Result<SessionId> session_to_change(const projections::State& state, const Caller& caller,
                                    const std::string& id_or_name) {
  const auto session = find_session(state, caller, id_or_name);
  if (session.ok()) return (*session)->id;
  const auto id = Uuid::parse(id_or_name);
  return id && is_unknown_session(session.error()) ? Result<SessionId>(SessionId(*id)) : session.error();
}

}  // namespace berth::controller::api
