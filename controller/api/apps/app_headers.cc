#include "controller/api/apps/app_headers.h"

#include <algorithm>
#include <array>

#include "controller/api/auth/lower_case.h"
#include "controller/api/auth/trimmed.h"

namespace berth::controller::api {
namespace {

constexpr std::string_view kOurCookies = "berth_";

constexpr std::array<std::string_view, 9> kOfOneConnection = {
    "connection", "keep-alive",        "proxy-connection", "proxy-authenticate", "proxy-authorization", "te",
    "trailer",    "transfer-encoding", "upgrade"};
constexpr std::array<std::string_view, 6> kNotForApps = {"authorization", "forwarded", "via",
                                                         "x-real-ip",     "cookie",    "client-ip"};
constexpr std::array<std::string_view, 4> kNotFromApps = {"service-worker-allowed", "clear-site-data",
                                                          "strict-transport-security", "alt-svc"};

// They say what a message is, whom it is for and where it is from: a Connection that names one of them would
// have this proxy take that away.
constexpr std::array<std::string_view, 8> kOfTheMessage = {"content-length", "content-type",  "host",
                                                           "origin",         "cookie",        "set-cookie",
                                                           "sec-fetch-site", "sec-fetch-mode"};

template <std::size_t N> bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The parts of "a; b; c" or "a, b, c", without the white space around them.
std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(at);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view name_of_cookie(std::string_view pair) { return trimmed(pair.substr(0, pair.find('='))); }

// Also with a prefix that browsers give a meaning ("__Host-berth_1a2b3c4d").
bool is_ours(std::string_view cookie) {
  const std::string name = lower_case(cookie);
  return name.starts_with(kOurCookies) || name.find("-berth_") != std::string::npos;
}

std::string cookies_for_app(std::string_view value) {
  std::string kept;
  for (const std::string_view pair : split(value, ';')) {
    if (pair.empty() || is_ours(name_of_cookie(pair))) continue;
    if (!kept.empty()) kept += "; ";
    kept += pair;
  }
  return kept;
}

// A cookie without a name is sent as its value alone, which may look like one of ours.
bool may_set(std::string_view cookie) {
  const auto parts = split(cookie, ';');
  const std::string_view name = name_of_cookie(parts.front());
  if (parts.front().find('=') == std::string_view::npos || name.empty() || is_ours(name)) return false;
  return std::none_of(parts.begin() + 1, parts.end(),
                      [](std::string_view part) { return lower_case(name_of_cookie(part)) == "domain"; });
}

// The names that Connection says hold for this connection alone.
std::vector<std::string> named_by_connection(const HeaderFields& fields) {
  std::vector<std::string> names;
  for (const auto& [name, value] : fields)
    if (lower_case(name) == "connection")
      for (const std::string_view part : split(value, ',')) names.push_back(lower_case(part));
  return names;
}

template <class Keep> HeaderFields filtered(const HeaderFields& fields, Keep keep) {
  const auto connection = named_by_connection(fields);
  HeaderFields out;
  for (const auto& [name, value] : fields) {
    const std::string low = lower_case(name);
    if (is_one_of(low, kOfOneConnection)) continue;
    const bool named = std::find(connection.begin(), connection.end(), low) != connection.end();
    if (named && !is_one_of(low, kOfTheMessage)) continue;
    if (keep(low, value)) out.emplace_back(name, value);
  }
  return out;
}

}  // namespace

HeaderFields fields_for_app(const HeaderFields& fields) {
  HeaderFields out = filtered(fields, [](const std::string& name, const std::string&) {
    return !is_one_of(name, kNotForApps) && !name.starts_with("x-forwarded-") &&
           !name.starts_with("x-berth-");
  });
  std::string cookies;
  for (const auto& [name, value] : fields)
    if (lower_case(name) == "cookie") {
      const std::string kept = cookies_for_app(value);
      if (!kept.empty()) cookies += (cookies.empty() ? "" : "; ") + kept;
    }
  if (!cookies.empty()) out.emplace_back("Cookie", cookies);
  return out;
}

std::string upgrade_for_app(std::string_view connection, std::string_view upgrade) {
  const auto named = split(connection, ',');
  if (std::none_of(named.begin(), named.end(),
                   [](std::string_view name) { return lower_case(name) == "upgrade"; }))
    return {};
  std::string kept;
  for (const std::string_view protocol : split(upgrade, ',')) {
    if (protocol.empty() || lower_case(protocol) == "h2c") continue;
    if (!kept.empty()) kept += ", ";
    kept += protocol;
  }
  return kept;
}

HeaderFields fields_from_app(const HeaderFields& fields) {
  return filtered(fields, [](const std::string& name, const std::string& value) {
    if (name == "set-cookie") return may_set(value);
    return !is_one_of(name, kNotFromApps) && !name.starts_with("access-control-");
  });
}

}  // namespace berth::controller::api
