#include "controller/api/past/moment.h"

#include <algorithm>

#include "controller/api/map/event_json.h"
#include "controller/api/map/time_text.h"
#include "controller/api/past/past_call.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kYearDigits = 4;

Error no_moment(std::string_view text, const char* what) {
  return make_error("invalid-moment", "at '" + clipped(text, 60) + "' " + what,
                    "a position like 1234 or 1234-0, or a time like 2026-01-31T18:00:00Z");
}

bool is_position(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '-'; }) &&
         std::ranges::count(text, '-') <= 1 && text[0] != '-';
}

std::optional<std::string> take_parameter(Target& target, std::string_view name) {
  std::optional<std::string> value;
  std::erase_if(target.parameters, [&](const auto& parameter) {
    if (parameter.first != name) return false;
    value = parameter.second;
    return true;
  });
  return value;
}

// How people signed in says more about them than what they did.
std::optional<Problem> check_right(const Services& services, const Call& call) {
  if (call.route->traits.past != Route::kOfSuperadmins ||
      actor_of(services, call).role == v1::ROLE_SUPERADMIN)
    return std::nullopt;
  return make_problem("denied", "what was here in the past is for superadmins", "leave at= away");
}

// The moment of the page before, where the token has one.
std::optional<std::string> split_token(Call& call) {
  for (auto& [name, value] : call.target.parameters) {
    if (name != "page_token" || !value.starts_with(kPastToken)) continue;
    const std::size_t end = value.find('/');
    if (end == std::string::npos) continue;
    std::string moment = value.substr(kPastToken.size(), end - kPastToken.size());
    value.erase(0, end + 1);
    return moment;
  }
  return std::nullopt;
}

}  // namespace

Result<projections::PastMoment> parse_moment(std::string_view text) {
  projections::PastMoment moment;
  if (is_position(text)) {
    const bool of_event = text.find('-') != std::string_view::npos;
    const auto id = parse_event_id(of_event ? std::string(text) : std::string(text) + "-0");
    if (!id) return no_moment(text, "is no position");
    moment.position = id->offset;
    return moment;
  }
  if (const auto time = parse_time(text)) {
    moment.time = *time;
    return moment;
  }
  if (parse_time(std::string(text) + "Z")) return no_moment(text, "has no zone: end it with Z, or +01:00");
  if (text.size() > kYearDigits && parse_time("2000" + std::string(text.substr(kYearDigits))))
    return no_moment(text, "is of no year from 1970 to 2200");
  return no_moment(text, "is no moment");
}

std::string moment_text(const projections::PastPoint& point) {
  return to_string(EventId{point.position, 0}) + " " + format_time(point.time);
}

boost::json::object point_to_json(const projections::PastPoint& point) {
  return {{"position", to_string(EventId{point.position, 0})}, {"time", format_time(point.time)}};
}

std::optional<Problem> take_moment(const Services& services, Call& call) {
  const bool given =
      std::ranges::any_of(call.target.parameters, [](const auto& one) { return one.first == "at"; });
  if (call.route->askers.access == Route::kPage)
    return std::nullopt;  // the console's own address may name a moment
  const bool known = call.route->traits.past != Route::kNoPast;
  if (!known && !given) return std::nullopt;
  if (!known)
    return make_problem("no-past",
                        std::string(call.route->method) + " " + call.route->pattern + " (" +
                            call.route->operation + ") has no past",
                        "leave at= away; /openapi.json marks what has one with x-berth-past");
  const auto at = take_parameter(call.target, "at");
  const auto of_token = split_token(call);
  if (!at && !of_token) return std::nullopt;
  const Result<projections::PastMoment> moment = at ? parse_moment(*at) : projections::PastMoment();
  if (!moment.ok()) return to_problem(moment.error());
  call.moment = *moment;
  if (of_token) {
    const auto exact = parse_moment(*of_token);
    if (!exact.ok() || (at && moment->position && moment->position != exact->position))
      return make_problem("invalid-page-token", "this page is of another moment than at=",
                          "use next_page_token as it came, with the same at=, or without");
    call.moment = *exact;
  }
  return check_right(services, call);
}

}  // namespace berth::controller::api
