#include "tests/unit/api/support/openapi_schema.h"

#include <algorithm>
#include <boost/nowide/convert.hpp>
#include <regex>

#include "controller/api/routes/openapi.h"
#include "events/base/strict_json.h"

namespace berth::testing {
namespace {

namespace api = controller::api;
namespace json = boost::json;

bool type_fits(const json::value& type, const json::value& value) {
  if (type.is_array())
    return std::any_of(type.as_array().begin(), type.as_array().end(),
                       [&](const auto& t) { return type_fits(t, value); });
  const std::string name(type.as_string());
  return (name == "null" && value.is_null()) || (name == "string" && value.is_string()) ||
         (name == "boolean" && value.is_bool()) ||
         (name == "integer" && (value.is_int64() || value.is_uint64())) ||
         (name == "array" && value.is_array()) || (name == "object" && value.is_object());
}

std::int64_t bound(const json::object& schema, const char* name, std::int64_t absent) {
  const auto* value = schema.if_contains(name);
  return value == nullptr ? absent : value->to_number<std::int64_t>();
}

bool fits_text(const json::object& schema, const std::string& text) {
  const auto length = static_cast<std::int64_t>(characters(text));
  if (length < bound(schema, "minLength", 0) || length > bound(schema, "maxLength", INT64_MAX)) return false;
  const auto* pattern = schema.if_contains("pattern");
  if (pattern == nullptr) return true;
  const std::wregex of_characters(boost::nowide::widen(std::string(pattern->as_string())));
  return std::regex_search(boost::nowide::widen(text), of_characters);
}

bool fits_range(const json::object& schema, std::int64_t value) {
  return value >= bound(schema, "minimum", INT64_MIN) && value <= bound(schema, "maximum", INT64_MAX);
}

}  // namespace

const json::value& openapi_document() {
  static const json::value value = json::parse(api::openapi_text());
  return value;
}

const json::value& resolved(const json::value& schema) {
  if (!schema.is_object() || !schema.as_object().contains("$ref")) return schema;
  const std::string path(schema.at("$ref").as_string());
  return openapi_document().at_pointer(path.substr(1));
}

std::string misfit(const json::value& schema_or_ref, const json::value& value, const std::string& place) {
  const json::object& schema = resolved(schema_or_ref).as_object();
  if (const auto* any = schema.if_contains("oneOf")) {
    for (const auto& option : any->as_array())
      if (misfit(option, value, place).empty()) return "";
    return place + ": fits none of oneOf";
  }
  if (const auto* type = schema.if_contains("type"); type != nullptr && !type_fits(*type, value))
    return place + ": is " + json::serialize(value);
  if (const auto* known = schema.if_contains("enum"); known != nullptr && value.is_string())
    if (std::find(known->as_array().begin(), known->as_array().end(), value) == known->as_array().end())
      return place + ": not in the enum";
  if (value.is_string() && !fits_text(schema, std::string(value.as_string())))
    return place + ": is no such text: " + json::serialize(value);
  if (value.is_int64() && !fits_range(schema, value.as_int64())) return place + ": is out of range";
  if (value.is_array()) {
    if (const auto* most = schema.if_contains("maxItems"))
      if (static_cast<std::int64_t>(value.as_array().size()) > most->to_number<std::int64_t>())
        return place + ": has too many items";
    for (std::size_t i = 0; i < value.as_array().size(); ++i)
      if (auto m = misfit(schema.at("items"), value.as_array()[i], place + "[" + std::to_string(i) + "]");
          !m.empty())
        return m;
  }
  if (!value.is_object()) return "";
  if (const auto* required = schema.if_contains("required"))
    for (const auto& name : required->as_array())
      if (!value.as_object().contains(name.as_string()))
        return place + ": lacks " + std::string(name.as_string());
  for (const auto& member : value.as_object()) {
    const std::string inner = place + "." + std::string(member.key());
    const auto* properties = schema.if_contains("properties");
    if (properties != nullptr && properties->as_object().contains(member.key())) {
      if (auto m = misfit(properties->at(member.key()), member.value(), inner); !m.empty()) return m;
    } else if (const auto* more = schema.if_contains("additionalProperties")) {
      if (more->is_bool() && !more->as_bool()) return inner + ": is not described";
      if (more->is_object())
        if (auto m = misfit(*more, member.value(), inner); !m.empty()) return m;
    }
  }
  return "";
}

}  // namespace berth::testing
