#include "controller/scenario/json_object.h"

#include <algorithm>

#include "controller/scenario/times.h"

namespace berth::placement {

namespace json = boost::json;

namespace {

const json::object kEmpty;

const char* kind_of(const json::value& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return "true or false";
  if (value.is_string()) return "a text";
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return "a number";
}

}  // namespace

JsonObject::JsonObject(Document& document, const json::value& value, std::string place)
    : document_(document), object_(value.if_object()), place_(std::move(place)) {
  if (object_ != nullptr) return;
  document_.fail(place_.empty() ? "the file" : place_,
                 std::string("an object was expected, this is ") + kind_of(value));
  object_ = &kEmpty;
}

std::string JsonObject::place_of(std::string_view key) const {
  return place_.empty() ? std::string(key) : place_ + "." + std::string(key);
}

const json::value* JsonObject::find(std::string_view key) {
  known_.emplace(key);
  const json::value* found = object_->if_contains(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

bool JsonObject::has(std::string_view key) { return find(key) != nullptr; }

bool JsonObject::says_null(std::string_view key) {
  known_.emplace(key);
  const json::value* found = object_->if_contains(key);
  return found != nullptr && found->is_null();
}

void JsonObject::fail(std::string_view key, const std::string& message, berth::Code code) {
  document_.fail(place_of(key), message, code);
}

std::string JsonObject::text(std::string_view key, std::string_view fallback) {
  const json::value* value = find(key);
  if (value == nullptr) return std::string(fallback);
  if (value->is_string()) return std::string(value->get_string());
  fail(key, std::string("a text was expected, this is ") + kind_of(*value));
  return std::string(fallback);
}

std::string JsonObject::name(std::string_view key) {
  std::string value = text(key, "");
  if (value.empty()) fail(key, "is missing or empty");
  return value;
}

std::int64_t JsonObject::integer(std::string_view key, std::int64_t fallback, std::int64_t least,
                                 std::int64_t most) {
  const json::value* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_int64()) {
    fail(key, std::string("a whole number was expected, this is ") +
                  (value->is_number() ? "another number" : kind_of(*value)));
    return fallback;
  }
  const std::int64_t number = value->get_int64();
  if (number >= least && number <= most) return number;
  fail(key,
       std::to_string(number) + " is not between " + std::to_string(least) + " and " + std::to_string(most));
  return fallback;
}

bool JsonObject::boolean(std::string_view key, bool fallback) {
  const json::value* value = find(key);
  if (value == nullptr) return fallback;
  if (value->is_bool()) return value->get_bool();
  fail(key, std::string("true or false was expected, this is ") + kind_of(*value));
  return fallback;
}

std::optional<Timestamp> JsonObject::time(std::string_view key) {
  if (!has(key)) return std::nullopt;
  const std::string value = text(key, "");
  const std::optional<Timestamp> parsed = parse_time(value);
  if (!parsed) fail(key, "\"" + value + "\" is no time such as 2026-01-01T00:00:00Z");
  return parsed;
}

std::string JsonObject::word(std::string_view key, std::string_view fallback,
                             const std::vector<std::string_view>& words) {
  const std::string value = text(key, fallback);
  if (std::find(words.begin(), words.end(), value) != words.end()) return value;
  std::string all;
  for (const std::string_view one : words) all += (all.empty() ? "" : ", ") + std::string(one);
  fail(key, "unknown word \"" + value + "\"; there are: " + all);
  return std::string(fallback);
}

std::vector<std::string> JsonObject::texts(std::string_view key) {
  std::vector<std::string> result;
  each(key, [&](const json::value& value, const std::string& place) {
    if (value.is_string())
      result.emplace_back(value.get_string());
    else
      document_.fail(place, std::string("a text was expected, this is ") + kind_of(value));
  });
  return result;
}

JsonObject JsonObject::object(std::string_view key) {
  static const json::value kNothing = json::object();
  const json::value* value = find(key);
  return JsonObject(document_, value == nullptr ? kNothing : *value, place_of(key));
}

void JsonObject::each(std::string_view key,
                      const std::function<void(const json::value&, const std::string&)>& visit) {
  const json::value* value = find(key);
  if (value == nullptr) return;
  if (!value->is_array()) return fail(key, std::string("a list was expected, this is ") + kind_of(*value));
  std::size_t index = 0;
  for (const json::value& element : value->get_array())
    visit(element, place_of(key) + "[" + std::to_string(index++) + "]");
}

void JsonObject::members(
    std::string_view key,
    const std::function<void(std::string_view, const json::value&, const std::string&)>& visit) {
  const json::value* value = find(key);
  if (value == nullptr) return;
  if (!value->is_object())
    return fail(key, std::string("an object was expected, this is ") + kind_of(*value));
  for (const auto& member : value->get_object()) {
    visit(std::string_view(member.key().data(), member.key().size()), member.value(),
          place_of(key) + "." + std::string(member.key()));
  }
}

void JsonObject::finish() {
  for (const auto& member : *object_) {
    const std::string_view key(member.key().data(), member.key().size());
    if (!known_.contains(key)) fail(key, "unknown key");
  }
}

}  // namespace berth::placement
