// Users, projects, domains and key pairs as JSON. Pure; callers hold the state's lock.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <string>

#include "projections/rights.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

boost::json::object user_to_json(const projections::State& state, const v1::UserDefined& user);

// Who is in each project. The users are gone through once, at the first question, however many projects are
// shown.
class Members {
 public:
  // `state` outlives it and does not change meanwhile.
  explicit Members(const projections::State& state) : state_(state) {}
  // [{"user", "admin"}], in name order.
  boost::json::array of(const v1::ProjectDefined& project);

 private:
  const projections::State& state_;
  bool found_ = false;
  std::map<std::string, std::map<std::string, bool>> by_project_;  // DOMAIN/NAME; true: administers it
};

// The members are null for an actor who may not see them.
boost::json::object project_to_json(const projections::State& state, Members& members,
                                    const v1::ProjectDefined& project, const projections::Actor& actor);

boost::json::object domain_to_json(const projections::State& state, const v1::DomainDefined& domain);

// Without its secret.
boost::json::object key_to_json(const v1::KeyPairDefined& key);

boost::json::object producer_to_json(const v1::ProducerDefined& producer);

// `current` is false: the caller knows better.
boost::json::object browser_session_to_json(const projections::BrowserSessionRow& row);

// [{"project", "domain", "admin"}], in the user's order.
boost::json::array projects_of_user(const v1::UserDefined& user);

// {"session.see": "own", ...}: all that the actor may, by noun and verb.
boost::json::object rights_to_json(const projections::Actor& actor);

}  // namespace berth::controller::api
