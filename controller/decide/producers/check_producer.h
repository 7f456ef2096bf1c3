// What a registered producer may ask (P1), checked again where its request is decided. Pure.
#pragma once

#include <optional>
#include <string>

#include "controller/decide/context.h"

namespace berth::controller {

// Of an actor "producer:NAME"; nothing of any other. Codes: unknown-producer, producer-disabled,
// out-of-scope, unknown-owner, owner-disabled.
std::optional<Refusal> check_producer(const DecisionContext& c, const v1::Request& request);

// Whether what is the subject's is for a request of this actor: a producer acts on what is its owner's and in
// its scope, whatever else that owner may do.
bool may_act_on(const DecisionContext& c, const v1::Request& request, const v1::Owner& subject);

// Whose rights the request is decided by: the actor's; of a producer its owner's, so that it never reaches
// further than whom it asks for.
std::string whose_rights(const v1::Request& request);

Refusal unknown_producer(const std::string& name);

}  // namespace berth::controller
