// Whether a request may become a WebSocket of the subprotocol that streams into kernels speak. Pure.
#pragma once

#include <optional>

#include "controller/api/auth/origin.h"
#include "controller/api/http/http.h"
#include "controller/api/map/problem.h"

namespace berth::controller::api {

// Codes: upgrade-required, malformed-request, unknown-subprotocol.
std::optional<Problem> check_upgrade(const HttpRequest& request);

// Browsers ask no other page before they open a WebSocket, so a cookie counts only with this server's own
// Origin. `by_cookie`: the caller signed in so; what is signed needs none. Code: foreign-origin.
std::optional<Problem> check_stream_origin(const PublicNames& names, const Provenance& from, bool by_cookie);

}  // namespace berth::controller::api
