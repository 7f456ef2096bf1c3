// W3C trace context: the header `traceparent`, which a request carries into its events, and from there into
// the environment of its kernels (ADR 0096).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/base/uuid.h"

namespace berth {

using SpanId = std::array<std::uint8_t, 8>;

// Where in a trace something belongs.
struct TraceContext {
  std::array<std::uint8_t, 16> trace{};
  SpanId parent{};
  std::uint8_t flags = 0;  // 1: whoever sent it records spans

  bool operator==(const TraceContext&) const = default;
};

// 55 characters: version, trace id, parent id and flags as lower-case hex. What is longer or anything else
// names no trace.
bool is_traceparent(std::string_view text);

// As received. Of a version after 00 what the first 55 characters say counts; nullopt: nothing valid, and the
// request is as one without. No id is all zero.
std::optional<TraceContext> parse_traceparent(std::string_view text);

// Version 00, for which is_traceparent() holds.
std::string to_traceparent(const TraceContext& context);

// The trace that a session belongs to: `recorded` of its request; where it came without one, a trace of its
// own that anybody derives alike, with the request's id as its id and no parent.
TraceContext trace_of_session(std::string_view recorded, const Uuid& request);

// The id of the span that stands for something: the same of everybody who derives it, so that no record needs
// to hold it. `what` tells spans of one id apart: "session", "pending 1".
SpanId derived_span(const Uuid& id, std::string_view what);

}  // namespace berth
