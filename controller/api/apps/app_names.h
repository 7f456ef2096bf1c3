// AppNames: each app of a session has a host name of its own, so that a page of one app reads nothing of
// another or of the console: "jupyter--3f0c...e1.localhost:7410", where browsers resolve the names below
// localhost to loopback, or a name below a configured domain to which a wildcard name leads. Pure;
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/base/result.h"
#include "events/base/uuid.h"
#include "events/codec/image_labels.h"

namespace berth::controller::api {

// Which app: its name, or the number of a port.
struct AppId {
  std::string app;  // [a-z0-9-], no "--", neither begins nor ends with "-"
  SessionId session;
  friend bool operator==(const AppId&, const AppId&) = default;
};
bool is_app_name(std::string_view name);

class AppNames {
 public:
  // Names below localhost alone.
  AppNames() = default;
  // Also names below the host of `origin`, "https://apps.berth.example", of origin_of_url().
  explicit AppNames(std::string_view origin);

  // Whether a Host is for apps, right or wrong: the API and the console never answer there.
  bool is_of_apps(std::string_view host) const;
  // The app of a Host; `port` is that of this server's socket. nullopt: of no app.
  std::optional<AppId> find(std::string_view host, std::uint16_t port) const;
  // "http://jupyter--3f0c...e1.localhost:7410". Below the configured domain if there is one; else empty
  // unless `loopback`: who asks reached this server by a name of loopback.
  std::string origin_of(const AppId& app, std::uint16_t port, bool tls, bool loopback) const;

  // "http://*.localhost:7410": the origins of all apps as one source of a Content-Security-Policy. As above.
  std::string source_of_all(std::uint16_t port, bool tls, bool loopback) const;

 private:
  std::string origin_of_label(const std::string& label, std::uint16_t port, bool tls, bool loopback) const;

  std::string scheme_, domain_;  // domain_: with its port if that is not the scheme's
};

}  // namespace berth::controller::api
