#include "controller/scheduler/scenario/json_object.h"

#include <algorithm>

namespace berth::scheduler {

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
  document_.fail(place_.empty() ? "the file" : place_, std::string("an object was expected, this is ") + kind_of(value));
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

void JsonObject::fail(std::string_view key, const std::string& message, const char* code) {
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

std::int64_t JsonObject::integer(std::string_view key, std::int64_t fallback, std::int64_t least, std::int64_t most) {
  const json::value* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_int64()) {
    fail(key,
         std::string("a whole number was expected, this is ") + (value->is_number() ? "another number" : kind_of(*value)));
    return fallback;
  }
  const std::int64_t number = value->get_int64();
  if (number >= least && number <= most) return number;
  fail(key, std::to_string(number) + " is not between " + std::to_string(least) + " and " + std::to_string(most));
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

std::string JsonObject::word(std::string_view key, std::string_view fallback, const std::vector<std::string_view>& words) {
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

void JsonObject::each(std::string_view key, const std::function<void(const json::value&, const std::string&)>& visit) {
  const json::value* value = find(key);
  if (value == nullptr) return;
  if (!value->is_array()) return fail(key, std::string("a list was expected, this is ") + kind_of(*value));
  std::size_t index = 0;
  for (const json::value& element : value->get_array()) visit(element, place_of(key) + "[" + std::to_string(index++) + "]");
}

void JsonObject::members(std::string_view key,
                         const std::function<void(std::string_view, const json::value&, const std::string&)>& visit) {
  const json::value* value = find(key);
  if (value == nullptr) return;
  if (!value->is_object()) return fail(key, std::string("an object was expected, this is ") + kind_of(*value));
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

namespace {

std::optional<std::int64_t> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

// Days since 1970-01-01 of a date of the Gregorian calendar; years begin in March, so that the leap day comes last.
std::int64_t days_since_1970(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (month <= 2) --year;
  const std::int64_t era = year / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

std::optional<std::int64_t> offset_seconds(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto hours = digits(text, 1, 2);
  const auto minutes = digits(text, 4, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (*hours * 3600 + *minutes * 60);
}

}  // namespace

std::optional<Timestamp> parse_time(std::string_view text) {
  constexpr std::string_view kForm = "....-..-..T..:..:..";
  if (text.size() < kForm.size() + 1) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] != '.' && text[i] != kForm[i]) return std::nullopt;
  }
  const auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second || *year < 1900 || *year > 2200) return std::nullopt;
  if (*month < 1 || *month > 12 || *day < 1 || *day > 31 || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  std::size_t at = kForm.size();
  Timestamp nanoseconds = 0;
  if (text[at] == '.') {
    Timestamp unit = kSecond;
    while (++at < text.size() && text[at] >= '0' && text[at] <= '9' && unit > 1)
      nanoseconds += (text[at] - '0') * (unit /= 10);
  }
  const auto offset = offset_seconds(text.substr(at));
  if (!offset) return std::nullopt;
  const std::int64_t seconds =
      days_since_1970(*year, *month, *day) * 86400 + *hour * 3600 + *minute * 60 + *second - *offset;
  return seconds * kSecond + nanoseconds;
}

}  // namespace berth::scheduler
