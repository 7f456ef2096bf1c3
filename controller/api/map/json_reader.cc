#include "controller/api/map/json_reader.h"

#include <algorithm>

#include "controller/api/map/time_text.h"
#include "events/base/name.h"
#include "events/base/strict_json.h"
#include "events/base/text.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

const char* kind_name(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "a boolean";
    case json::kind::int64:
    case json::kind::uint64: return "an integer";
    case json::kind::double_: return "a number with a fraction";
    case json::kind::string: return "a text";
    case json::kind::array: return "a list";
    case json::kind::object: return "an object";
  }
  return "something else";
}

std::optional<std::int64_t> as_int64(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64() && value.get_uint64() <= INT64_MAX)
    return static_cast<std::int64_t>(value.get_uint64());
  return std::nullopt;
}

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

}  // namespace

Result<json::object> parse_body(std::string_view body) {
  if (body.empty()) return json::object();
  Result<json::value> read = read_strict_json(body, kBodyDepthMax);
  if (!read.ok())
    return make_error(read.error().code, "the body: " + read.error().message,
                      read.error().code == "too-deep" ? "" : "check quotes, commas and UTF-8 there");
  json::value& value = *read;
  if (!value.is_object())
    return make_error("malformed-json", std::string("the body must be an object, it is ") + kind_name(value));
  return std::move(value.get_object());
}

std::string ObjectReader::place_of(std::string_view name) const {
  return (place_.empty() ? std::string() : place_ + ".") + clipped(name);
}

void ObjectReader::fail(Code code, std::string_view name, std::string message, std::string hint) {
  errors_.add(std::move(code), place_of(name), std::move(message), std::move(hint));
}

const json::value* ObjectReader::raw(std::string_view name) {
  asked_.push_back(name);
  const auto found = object_.find(json::string_view(name.data(), name.size()));
  return found == object_.end() || found->value().is_null() ? nullptr : &found->value();
}

const json::value* ObjectReader::wrong_type(std::string_view name, const json::value& value,
                                            const char* wanted) {
  fail("invalid-value", name, std::string("must be ") + wanted + ", it is " + kind_name(value));
  return nullptr;
}

std::optional<std::string> ObjectReader::text(std::string_view name, std::size_t characters_max) {
  const json::value* value = raw(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) return wrong_type(name, *value, "a text"), std::nullopt;
  const std::string_view text = view(value->get_string());
  if (const std::size_t length = characters(text); length > characters_max) {
    fail("invalid-value", name,
         "has " + std::to_string(length) + " characters, at most " + std::to_string(characters_max) +
             " are allowed");
    return std::nullopt;
  }
  if (text.find('\0') != std::string_view::npos)
    return fail("invalid-value", name, "holds a NUL byte"), std::nullopt;
  return std::string(text);
}

std::string ObjectReader::required_text(std::string_view name, std::size_t characters_max) {
  const auto read = text(name, characters_max);
  require(name, read.has_value());
  return read.value_or("");
}

std::optional<std::string> ObjectReader::name(std::string_view name) {
  auto value = text(name, kTextMax * 1024);  // of any length: it is told to be no name
  if (!value || is_valid_name(*value)) return value;
  fail("invalid-name", name, "'" + clipped(*value, 40) + "' is no valid name",
       "letters, digits, - _ . ; begins with a letter or digit; at most " + std::to_string(kNameMax));
  return std::nullopt;
}

std::string ObjectReader::name_or_none(std::string_view name) {
  const json::value* value = raw(name);
  if (value != nullptr && value->is_string() && value->get_string().empty()) return {};
  return this->name(name).value_or("");
}

std::optional<bool> ObjectReader::boolean(std::string_view name) {
  const json::value* value = raw(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_bool()) return wrong_type(name, *value, "true or false"), std::nullopt;
  return value->get_bool();
}

std::optional<std::int64_t> ObjectReader::integer(std::string_view name, std::int64_t least,
                                                  std::int64_t most) {
  const json::value* value = raw(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || value->is_double()) return wrong_type(name, *value, "an integer"), std::nullopt;
  const auto number = as_int64(*value);
  if (!number || *number < least || *number > most) {
    fail("invalid-value", name, "must be from " + std::to_string(least) + " to " + std::to_string(most));
    return std::nullopt;
  }
  return number;
}

std::optional<std::int64_t> ObjectReader::duration_ms(std::string_view name) {
  const json::value* value = raw(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string() && !value->is_int64() && !value->is_uint64())
    return wrong_type(name, *value, "a duration like \"5m\", or seconds"), std::nullopt;
  const std::string text =
      value->is_string() ? std::string(view(value->get_string())) : json::serialize(*value);
  const auto parsed = parse_duration_ms(text);
  if (!parsed.ok())
    return fail(parsed.error().code, name, parsed.error().message, parsed.error().hint), std::nullopt;
  return *parsed;
}

std::optional<std::int64_t> ObjectReader::time(std::string_view name) {
  const auto written = text(name, 64);
  if (!written) return std::nullopt;
  const auto parsed = parse_time(*written);
  if (!parsed)
    fail("invalid-value", name, "'" + clipped(*written) + "' is no RFC 3339 time",
         "for example 2026-01-01T00:00:00Z; the year is 1970 to 2200");
  return parsed;
}

const json::object* ObjectReader::object(std::string_view name) {
  const json::value* value = raw(name);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) return wrong_type(name, *value, "an object"), nullptr;
  return &value->get_object();
}

const json::array* ObjectReader::array(std::string_view name, std::size_t items_max) {
  const json::value* value = raw(name);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) return wrong_type(name, *value, "a list"), nullptr;
  if (value->get_array().size() > items_max) {
    fail("invalid-value", name,
         "has " + std::to_string(value->get_array().size()) + " items, at most " + std::to_string(items_max) +
             " are allowed");
    return nullptr;
  }
  return &value->get_array();
}

void ObjectReader::require(std::string_view name, bool present) {
  if (present) return;
  const auto found = object_.find(json::string_view(name.data(), name.size()));
  if (found == object_.end() || found->value().is_null()) fail("missing-field", name, "must be given");
}

void ObjectReader::finish() {
  for (const auto& member : object_) {
    const std::string_view name(member.key().data(), member.key().size());
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
    std::string known;
    for (const std::string_view field : asked_) known += (known.empty() ? "" : ", ") + std::string(field);
    fail("unknown-field", name, "is no field of this request", "known: " + known);
  }
}

std::vector<std::string> texts_of(const json::array& array, const std::string& place, std::size_t bytes_max,
                                  Errors& errors) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const std::string where = place + "[" + std::to_string(i) + "]";
    if (!array[i].is_string()) {
      errors.add("invalid-value", where, std::string("must be a text, it is ") + kind_name(array[i]));
      continue;
    }
    const std::string_view text = view(array[i].get_string());
    if (text.size() > bytes_max)
      errors.add("invalid-value", where, "has more than " + std::to_string(bytes_max) + " bytes");
    else if (text.find('\0') != std::string_view::npos)
      errors.add("invalid-value", where, "holds a NUL byte");
    else
      texts.emplace_back(text);
  }
  return texts;
}

std::vector<std::pair<std::string, std::string>> text_pairs_of(const json::object& object,
                                                               const std::string& place,
                                                               std::size_t bytes_max, Errors& errors) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& member : object) {
    const std::string_view key(member.key().data(), member.key().size());
    const std::string where = place + "." + clipped(key);
    if (key.empty() || key.size() > 256 || key.find('=') != std::string_view::npos ||
        key.find('\0') != std::string_view::npos)
      errors.add("invalid-value", where, "is no valid name: 1 to 256 characters without =");
    else if (!member.value().is_string())
      errors.add("invalid-value", where, std::string("must be a text, it is ") + kind_name(member.value()),
                 "write numbers in quotes");
    else if (const std::string_view text = view(member.value().get_string()); text.size() > bytes_max)
      errors.add("invalid-value", where, "has more than " + std::to_string(bytes_max) + " bytes");
    else if (text.find('\0') != std::string_view::npos)
      errors.add("invalid-value", where, "holds a NUL byte");
    else
      pairs.emplace_back(key, text);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace berth::controller::api
