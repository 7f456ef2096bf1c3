// Who asks, checked again where the request is decided: an API server may have read a state that is older.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "controller/decide/context.h"
#include "projections/rights.h"

namespace berth::controller {

// The user of the actor "user:NAME", with its rights; nothing of any other actor.
std::optional<projections::Actor> find_actor(const projections::State& state, const std::string& actor);

// Codes: denied (no such user, or an actor of no kind), user-disabled, key-inactive, key-expired,
// key-read-only, signed-out. The controller, agents and producers are not
// looked at (producers: producers/check_producer.h).
std::optional<Refusal> check_actor(const DecisionContext& c, const v1::Request& request);

// Of requests about what has no owner: code denied. The other requests' handlers ask allowed().
std::optional<Refusal> check_rights(const DecisionContext& c, const v1::Request& request);

// Whether whoever asks may do this to the subject (an Owner or a UserDefined).
template <class Subject>
bool allowed(const DecisionContext& c, projections::Noun noun, projections::Verb verb,
             const Subject& subject) {
  return !c.actor || projections::may(*c.actor, noun, verb, subject);
}

// Whether whoever asks may know that the session exists, by right or by share.
bool may_see(const DecisionContext& c, const projections::SessionRow& session);
// The session of that id (16 bytes), if whoever asks may know that it exists; else nullptr.
const projections::SessionRow* find_seen_session(const DecisionContext& c, const std::string& bytes);
Refusal unknown_session();

Refusal denied(std::string message);

}  // namespace berth::controller
