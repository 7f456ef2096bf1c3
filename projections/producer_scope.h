// What a registered producer may ask, and for whom (P1). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "events/schema/v1/request.pb.h"
#include "projections/tables/state.h"

namespace berth::projections {

inline constexpr int kProducerOwnersMax = 256;

// Bodies of requests that a producer may be given, by their names in request.proto. Not among them is what
// makes a credential, what an API server vouches for, and what an operator decides.
std::span<const std::string_view> producer_requests();
bool is_producer_request(std::string_view name);

// USER, PROJECT, DOMAIN, CLUSTER.
bool is_owner_scope(v1::ScopeKind scope);

// "request_session"; empty: the request asks nothing that this build knows.
std::string_view name_of_body(const v1::Request& request);

bool has_in_scope(const v1::ProducerDefined& producer, std::string_view body);
// Whether one of the producer's owners covers this one, who need not exist: the user that is named, a member
// of the project in that project, a user of the domain in that domain, or everybody.
bool has_in_scope(const State& state, const v1::ProducerDefined& producer, const v1::Owner& owner);

// Who asks by HTTP names a user alone: the first of the user's projects for which the producer may ask.
// Without a user when there is none.
v1::Owner owner_in_scope(const State& state, const v1::ProducerDefined& producer, const std::string& user);

}  // namespace berth::projections
