// What a session spec becomes before it is recorded: completed, and checked to be servable by its resource
// group (BEHAVIOURS section 13). Pure.
#pragma once

#include <optional>

#include "controller/decide/context.h"

namespace berth::controller {

// Defaults filled in, so that no reader ever guesses: the session's own values win, then its image's labels
// (`berth.shm`, `berth.min.cpu`, `berth.min.mem`), then the group's settings, then ours. Memory that comes
// from the image grows by shm; shm that is a default is at most half of the memory asked for.
v1::SessionSpec complete(const projections::State& state, v1::SessionSpec spec);

// Codes: no-agents (none ever joined the group), slot-not-served, image-required, below-image-minimum,
// invalid-spec (a role named twice). REQUIRES: complete, and admitted otherwise.
std::optional<Refusal> check_served(const projections::State& state, const v1::SessionSpec& spec);

}  // namespace berth::controller
