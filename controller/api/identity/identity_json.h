// Users, projects, domains and key pairs as JSON. Pure; callers hold the state's lock.
#pragma once

#include <boost/json.hpp>

#include "projections/rights.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

boost::json::object user_to_json(const projections::State& state, const v1::UserDefined& user);

// The members are null for an actor who may not see them.
boost::json::object project_to_json(const projections::State& state, const v1::ProjectDefined& project,
                                    const projections::Actor& actor);

boost::json::object domain_to_json(const projections::State& state, const v1::DomainDefined& domain);

// Without its secret.
boost::json::object key_to_json(const v1::KeyPairDefined& key);

// [{"project", "domain", "admin"}], in the user's order.
boost::json::array projects_of_user(const v1::UserDefined& user);

// {"session.see": "own", ...}: all that the actor may, by noun and verb.
boost::json::object rights_to_json(const projections::Actor& actor);

}  // namespace berth::controller::api
