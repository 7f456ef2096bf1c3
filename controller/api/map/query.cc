#include "controller/api/map/query.h"

#include <algorithm>
#include <charconv>

#include "controller/api/map/time_text.h"
#include "events/base/name.h"
#include "events/base/text.h"
#include "events/codec/utf8.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kListMax = 8192;  // as much as a target may have

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// What is no UTF-8 can stand in no reply and in no event: it is not quoted either.
Error bad_target(std::string_view part) {
  return make_error(
      "invalid-parameter",
      (is_utf8(part) ? "'" + clipped(part) + "'" : std::string("a part of the request target")) +
          " is not percent-encoded UTF-8, or has a zero byte",
      "write other bytes than letters, digits, - _ . ~ as %XX");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) c = ' ';
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high << 4 | low);
      i += 2;
    }
    if (c == '\0') return std::nullopt;
    out += c;
  }
  if (!is_utf8(out)) return std::nullopt;
  return out;
}

Result<Target> parse_target(std::string_view target) {
  Target out;
  if (target.empty() || target[0] != '/')
    return make_error("invalid-parameter", "the request target is no path",
                      "write /v1/..., without scheme and host");
  const auto mark = target.find('?');
  const std::string_view path = target.substr(1, mark == std::string_view::npos ? mark : mark - 1);
  if (!path.empty())
    for (const std::string_view part : split(path, '/')) {
      auto segment = percent_decode(part, false);
      if (!segment) return bad_target(part);
      out.segments.push_back(std::move(*segment));
    }
  if (mark == std::string_view::npos) return out;
  for (const std::string_view part : split(target.substr(mark + 1), '&')) {
    if (part.empty()) continue;
    const auto equals = part.find('=');
    auto name = percent_decode(part.substr(0, equals), true);
    auto value =
        percent_decode(equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1), true);
    if (!name || !value) return bad_target(part);
    out.parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

void Query::fail(Code code, std::string_view name, std::string message, std::string hint) {
  errors_.add(std::move(code), "?" + clipped(name), std::move(message), std::move(hint));
}

std::optional<std::string> Query::text(std::string_view name, std::size_t characters_max) {
  asked_.push_back(name);
  for (const auto& [key, value] : target_.parameters) {
    if (key != name) continue;
    const std::size_t length = characters(value);
    if (length <= characters_max) return value;
    fail("invalid-parameter", name,
         "has " + std::to_string(length) + " characters, at most " + std::to_string(characters_max) +
             " are allowed");
    return std::nullopt;
  }
  return std::nullopt;
}

std::string Query::name(std::string_view name) {
  std::string value = text(name).value_or("");
  if (!value.empty() && !is_valid_name(value))
    fail("invalid-parameter", name, "'" + clipped(value) + "' is no name",
         "letters, digits, - _ . ; begins with a letter or digit; at most " + std::to_string(kNameMax));
  return value;
}

std::string Query::project(std::string_view name) {
  std::string value = text(name).value_or("");
  const auto parts = split(value, '/');
  if (!value.empty() && (parts.size() > 2 || !std::all_of(parts.begin(), parts.end(), is_valid_name)))
    fail("invalid-parameter", name, "'" + clipped(value) + "' is no project", "NAME, or DOMAIN/NAME");
  return value;
}

bool Query::flag(std::string_view name, bool absent) {
  const auto value = text(name);
  if (!value) return absent;
  if (value->empty() || *value == "1" || *value == "true") return true;
  if (*value != "0" && *value != "false")
    fail("invalid-parameter", name, "must be true or false, it is '" + clipped(*value) + "'");
  return false;
}

std::optional<std::int64_t> Query::integer(std::string_view name, std::int64_t least, std::int64_t most) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error == std::errc() && end == value->data() + value->size() && number >= least && number <= most)
    return number;
  fail("invalid-parameter", name,
       "must be an integer from " + std::to_string(least) + " to " + std::to_string(most) + ", it is '" +
           clipped(*value, 30) + "'");
  return std::nullopt;
}

std::optional<std::int64_t> Query::duration_ms(std::string_view name, std::int64_t most) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  const auto parsed = parse_duration_ms(*value);
  if (!parsed.ok())
    return fail("invalid-parameter", name, parsed.error().message, parsed.error().hint), std::nullopt;
  if (*parsed > most)
    return fail("invalid-parameter", name, "is at most " + format_duration_ms(most)), std::nullopt;
  return *parsed;
}

std::vector<std::string> Query::list(std::string_view name) {
  std::vector<std::string> out;
  const auto value = text(name, kListMax);
  if (!value) return out;
  for (const std::string_view part : split(*value, ','))
    if (!part.empty()) out.emplace_back(part);
  return out;
}

void Query::finish() {
  for (std::size_t i = 0; i < target_.parameters.size(); ++i) {
    const std::string& name = target_.parameters[i].first;
    if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) {
      std::string known;
      for (const std::string_view parameter : asked_)
        known += (known.empty() ? "" : ", ") + std::string(parameter);
      fail("unknown-parameter", name, "is no parameter of this route",
           known.empty() ? "it takes none" : "known: " + known);
    }
    for (std::size_t k = 0; k < i; ++k)
      if (target_.parameters[k].first == name) return fail("invalid-parameter", name, "is given twice");
  }
}

}  // namespace berth::controller::api
