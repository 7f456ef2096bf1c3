#include "events/otlp/span.h"

#include <algorithm>

#include <boost/json.hpp>

#include "events/base/hash.h"
#include "events/codec/utf8.h"

namespace berth {
namespace {

namespace json = boost::json;

json::object attribute(const std::string& key, const std::string& value) {
  return {{"key", key}, {"value", {{"stringValue", shown_as_utf8(value)}}}};
}

json::object to_json(const Span& span) {
  json::array attributes;
  for (const auto& [key, value] : span.attributes) attributes.push_back(attribute(key, value));
  json::object out{{"traceId", to_hex(as_view(span.trace))},
                   {"spanId", to_hex(as_view(span.id))},
                   {"name", shown_as_utf8(span.name)},
                   {"kind", static_cast<int>(span.kind)},
                   {"startTimeUnixNano", std::to_string(span.begin)},  // 64 bits are texts in this encoding
                   {"endTimeUnixNano", std::to_string(std::max(span.begin, span.end))},
                   {"attributes", std::move(attributes)}};
  if (span.parent != SpanId{}) out["parentSpanId"] = to_hex(as_view(span.parent));
  if (span.failed) out["status"] = {{"code", 2}, {"message", shown_as_utf8(span.message)}};
  return out;
}

}  // namespace

std::string to_otlp_json(const SpanSource& source, const std::vector<Span>& spans) {
  json::array out;
  for (const Span& span : spans) out.push_back(to_json(span));
  json::object resource{{"attributes", json::array{attribute("service.name", source.service),
                                                   attribute("service.instance.id", source.instance),
                                                   attribute("service.version", source.version)}}};
  json::object scope{{"scope", {{"name", "berth"}}}, {"spans", std::move(out)}};
  return json::serialize(json::object{
      {"resourceSpans", json::array{json::object{{"resource", std::move(resource)},
                                                 {"scopeSpans", json::array{std::move(scope)}}}}}});
}

}  // namespace berth
