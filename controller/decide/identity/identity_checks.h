// What the requests about people have in common: names, and whose they may change. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/decide/check_actor.h"
#include "controller/decide/context.h"

namespace berth::controller {

// The name of a new domain, project or user: [a-z0-9][a-z0-9._-]{0,62}. Older names may be others. Code
// invalid-name.
std::optional<Refusal> check_new_name(const char* what, const std::string& name);

// At most 200 characters, without control characters. Code invalid-name.
std::optional<Refusal> check_display_name(const std::string& name);

// "no user is named 'x'", code unknown-KIND.
Refusal unknown(const std::string& kind, const std::string& name);
Refusal unknown_key_pair(const std::string& id);

// Whether there is such a user, and whoever asks may do this to them: not beyond the reach of the right, nor
// to a role above their own, but to themselves. Codes: unknown-user (also of a user whom the actor does not
// see), denied.
std::optional<Refusal> check_user(const DecisionContext& c, projections::Noun noun, projections::Verb verb,
                                  const std::string& user);

// Whether the password that an API server has checked is still in force; `mark`: its password_mark(). Code
// login-failed.
std::optional<Refusal> check_password_set(const DecisionContext& c, const std::string& user,
                                          const std::string& mark);

// Whether an enabled superadmin remains once `changed` are as given and `removed` (may be empty) is gone, and
// one who can sign in: who has a password or a key pair that writes. A cluster that has none yet is no
// reason. Code last-superadmin.
std::optional<Refusal> check_superadmin_stays(const DecisionContext& c,
                                              const std::vector<const v1::UserDefined*>& changed,
                                              const std::string& removed = {});

// Where a user who exists gets a role that has rights which theirs had not: what whoever was above the old
// role may have made for them ends. The open login link ends now, and key pairs are switched off but for
// those that the user made.
void end_credentials_of_old_role(const DecisionContext& c, const v1::UserDefined& user, EventList& events);

// Who may know the secret of a key pair that is asked for, for `user`: the actor; but of a user's own whoever
// made the key pair by which the user asks, since that one may be who asks. `asker`: the request's owner.
// Empty: not known.
std::string maker_of(const DecisionContext& c, const v1::Owner& asker, const std::string& user);

// Says that the user's open login link ends unspent, if there is one and `events` do not say so yet.
void end_login_link(const DecisionContext& c, const std::string& user, Code reason, EventList& events);

// REQUIRES: the state has it.
void end_browser_session(const DecisionContext& c, const Uuid& id, Code reason, EventList& events);
// Ends the user's browser sessions but `except` (16 bytes, or empty).
void end_browser_sessions(const DecisionContext& c, const std::string& user, Code reason,
                          const std::string& except, EventList& events);

}  // namespace berth::controller
