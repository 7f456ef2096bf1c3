#include "controller/api/inside/session_apps.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "controller/api/apps/app_names.h"
#include "controller/api/map/definition_json.h"

namespace berth::controller::api {
namespace {

// A decimal number without a leading zero, of a port.
std::optional<std::uint16_t> port_of(const std::string& text) {
  std::uint16_t port = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), port);
  if (parsed.ec != std::errc() || port == 0 || std::to_string(port) != text) return std::nullopt;
  return port;
}

std::string names_of(const std::vector<ImageApp>& apps) {
  std::string names;
  for (const ImageApp& app : apps) names += (names.empty() ? "" : ", ") + app.name;
  return names;
}

}  // namespace

std::vector<ImageApp> apps_of(const projections::State& state, const SessionId& session) {
  const auto* row = state.sessions.find(session);
  if (row == nullptr) return {};
  const v1::SessionSpec& spec = row->spec->spec;
  const auto main = std::ranges::find(spec.roles(), "main", &v1::RoleSpec::role);
  const bool of_role = main != spec.roles().end() && !main->image().empty();
  const auto* image = state.images.find(of_role ? main->image() : spec.image());
  return image == nullptr ? std::vector<ImageApp>() : labels_of(image->def).apps;
}

Result<ImageApp> find_app(const std::vector<ImageApp>& apps, const std::string& name) {
  const auto found = std::ranges::find(apps, name, &ImageApp::name);
  if (found != apps.end()) return *found;
  return make_error("unknown-app", "the session's image declares no app '" + clipped(name) + "'",
                    apps.empty() ? "it declares none; a port of the session opens by its number"
                                 : "it declares " + names_of(apps));
}

Result<std::string> address_of_app(const std::vector<ImageApp>& apps, const std::string& app) {
  const bool is_number = !app.empty() && app.find_first_not_of("0123456789") == std::string::npos;
  if (!is_app_name(app) || (is_number && !port_of(app)))
    return make_error("invalid-name", "'" + clipped(app) + "' is neither an app nor a port",
                      "an app has letters, digits and '-'; a port is a number from 1 to 65535");
  if (is_number) {
    if (!is_reserved_port(*port_of(app))) return app;
    return make_error("port-refused", "port " + app + " is one of Berth's own",
                      "any port but 2000, 2001, 2200 and 7681");
  }
  const auto declared = find_app(apps, app);
  if (!declared.ok()) return declared.error();
  if (declared->protocol == AppProtocol::kPty)
    return make_error("app-in-terminal", "app " + app + " runs in a terminal, and nothing listens for it",
                      "berth session shell starts it");
  // The helper has not started it, and knows it by its port alone.
  return declared->protocol == AppProtocol::kPreopen ? std::to_string(declared->port) : app;
}

}  // namespace berth::controller::api
