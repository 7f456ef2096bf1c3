// What a producer appended to `requests` by itself, before anything of it is decided (P1): who wrote it, with
// which key, and as whom it asks. Pure.
#pragma once

#include <optional>

#include "controller/cell/producer_refusal.h"
#include "controller/decide/decision.h"
#include "events/codec/signing.h"
#include "events/schema/v1/request.pb.h"
#include "projections/tables/state.h"

namespace berth::controller {

// Why the payload is dropped; nothing: `request` is to be decided about. Of an API server's everything is
// believed that its MAC covers; what a producer only claims of its secrets is taken out of `request`.
std::optional<ProducerRefusal> read_request(const projections::State& state, Verifier& verifier,
                                            std::string_view payload, v1::Request& request);

// What the answer to a producer's request counts as; nothing: it was carried out, or refused as anybody's.
std::optional<ProducerRefusal> refusal_in(const EventList& answer);

}  // namespace berth::controller
