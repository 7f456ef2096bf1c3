// Span: a piece of work in a trace, as OpenTelemetry has it; and spans as an ExportTraceServiceRequest in
// OTLP's JSON encoding. Hand-written: of that protocol Berth needs these few fields (ADR 0096).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "events/base/clock.h"
#include "events/base/trace_context.h"

namespace berth {

struct Span {
  enum class Kind : std::uint8_t { kInternal = 1, kServer = 2 };
  std::array<std::uint8_t, 16> trace{};
  SpanId id{};
  SpanId parent{};  // all zero: there is none
  std::string name;
  Kind kind = Kind::kInternal;
  Timestamp begin = 0, end = 0;  // wall time
  std::vector<std::pair<std::string, std::string>> attributes;
  bool failed = false;
  std::string message;  // of a failure
};

// Who makes the spans: service.name, service.instance.id, service.version.
struct SpanSource {
  std::string service, instance, version;
};

// Text is UTF-8 in it whatever bytes a span has.
std::string to_otlp_json(const SpanSource& source, const std::vector<Span>& spans);

}  // namespace berth
