#include "controller/api/apps/app_names.h"

#include <algorithm>

#include "controller/api/auth/lower_case.h"
#include "events/base/hash.h"
#include "events/base/hex.h"

namespace berth::controller::api {
namespace {

constexpr std::string_view kLoopback = "localhost";
constexpr std::size_t kSessionDigits = 32;

// Without its port, and without the dot of a full name, "localhost.": such a name is for apps, and of none.
std::string_view name_of_host(std::string_view host) {
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos) host = host.substr(0, colon);
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

bool is_below(std::string_view name, std::string_view domain) {
  return !domain.empty() && name.size() > domain.size() + 1 && name.ends_with(domain) &&
         name[name.size() - domain.size() - 1] == '.';
}

// "jupyter--3f0c...e1"
std::optional<AppId> app_of_label(std::string_view label) {
  if (label.size() < kSessionDigits + 3) return std::nullopt;
  const std::string_view digits = label.substr(label.size() - kSessionDigits);
  label.remove_suffix(kSessionDigits);
  if (!label.ends_with("--")) return std::nullopt;
  label.remove_suffix(2);
  const auto bytes = from_hex(digits);
  const auto id = bytes ? Uuid::from_bytes(*bytes) : std::nullopt;
  if (!id || !is_app_name(label)) return std::nullopt;
  return AppId{std::string(label), SessionId(*id)};
}

std::string label_of(const AppId& app) { return app.app + "--" + to_hex(app.session.view()); }

// A browser leaves a default port out.
std::string port_suffix(std::uint16_t port, bool tls) {
  return port == (tls ? 443 : 80) ? std::string() : ":" + std::to_string(port);
}

}  // namespace

bool is_app_name(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= kAppNameMax && std::all_of(name.begin(), name.end(), fits) &&
         name.front() != '-' && name.back() != '-' && name.find("--") == std::string_view::npos;
}

AppNames::AppNames(std::string_view origin) {
  const auto mark = origin.find("://");
  if (mark == std::string_view::npos) return;
  scheme_ = origin.substr(0, mark);
  domain_ = origin.substr(mark + 3);
}

bool AppNames::is_of_apps(std::string_view host) const {
  const std::string name = lower_case(host);
  return is_below(name_of_host(name), kLoopback) || is_below(name_of_host(name), name_of_host(domain_));
}

std::optional<AppId> AppNames::find(std::string_view host, std::uint16_t port) const {
  const std::string name = lower_case(host);
  if (is_below(name, domain_))
    return app_of_label(std::string_view(name).substr(0, name.size() - domain_.size() - 1));
  for (const bool tls : {false, true}) {
    const std::string loopback = std::string(kLoopback) + port_suffix(port, tls);
    if (is_below(name, loopback))
      return app_of_label(std::string_view(name).substr(0, name.size() - loopback.size() - 1));
  }
  return std::nullopt;
}

std::string AppNames::origin_of(const AppId& app, std::uint16_t port, bool tls, bool loopback) const {
  return origin_of_label(label_of(app), port, tls, loopback);
}

std::string AppNames::source_of_all(std::uint16_t port, bool tls, bool loopback) const {
  return origin_of_label("*", port, tls, loopback);
}

std::string AppNames::origin_of_label(const std::string& label, std::uint16_t port, bool tls,
                                      bool loopback) const {
  if (!domain_.empty()) return scheme_ + "://" + label + "." + domain_;
  if (!loopback) return {};
  return std::string(tls ? "https" : "http") + "://" + label + "." + std::string(kLoopback) +
         port_suffix(port, tls);
}

}  // namespace berth::controller::api
