// {id|name} in a path: the session of the state, if the caller may see it. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "events/base/result.h"
#include "projections/rights.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

// The authenticated user behind a request.
struct Caller {
  std::string user;
  std::string domain = "default";
  std::string project = "default";
  v1::Role role = v1::ROLE_UNSPECIFIED;
  std::string access_key;
  bool read_only = false;  // the key pair is
  Uuid browser_session;    // nil: signed in by a key pair
  bool own_alone = false;  // sees what is the user's own, whatever the user's role
  std::string producer;    // that signed, and asks for the user; empty: the user did
  bool host = false;       // nobody: the host's key pair, which makes login links alone
  // The caller's rights as of now, of a question about the past; null: they are those of the state.
  std::shared_ptr<const projections::Actor> today = nullptr;
  // Of requests: "user:alice", "producer:web".
  std::string actor() const { return producer.empty() ? "user:" + user : "producer:" + producer; }
};

// Whether what the caller signed in by is still good.
bool is_still_signed_in(const projections::State& state, const Caller& caller, Timestamp now);

// When what the caller signed in by ends by itself, wall time; 0: never.
Timestamp signed_in_until(const projections::State& state, const Caller& caller);

// The same of a browser session that nobody uses from now on.
Timestamp end_of(const projections::BrowserSessionRow& row, Duration idle);

// What the state says of that user, if there is one.
void read_user(const projections::State& state, const std::string& user, Caller& caller);

// The caller's rights as the state has them now, or `today`; before the first definitions those of the
// caller's role.
projections::Actor actor_of(const projections::State& state, const Caller& caller);

// The project that a session is asked for in: one that the caller is in, and that exists; to a superadmin all
// are open. Code unknown-project.
std::optional<Error> missing_project(const projections::State& state, const v1::Owner& owner);

// Whether the actor is told for which session this one was preempted: who may see that one by right.
bool may_see_preemptor(const projections::Actor& actor, const projections::SessionRow& session);

// By id; or the caller's live session of that name; or the caller's newest ended one; or anybody's of those
// that the caller may see. A session that the caller may not see is unknown-session, as one that does not
// exist. Codes: unknown-session, ambiguous-name.
Result<const projections::SessionRow*> find_session(const projections::State& state, const Caller& caller,
                                                    const std::string& id_or_name);
// The session that a request is to change. An id that this server has not read yet may be in the log all the
// same (a server stood still, or is behind): whether there is such a session is decided where the request is.
Result<SessionId> session_to_change(const projections::State& state, const Caller& caller,
                                    const std::string& id_or_name);
inline constexpr Code kUnknownSession = "unknown-session";
inline bool is_unknown_session(const Error& error) { return error.code == kUnknownSession; }

}  // namespace berth::controller::api
