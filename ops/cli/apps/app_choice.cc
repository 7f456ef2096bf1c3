#include "ops/cli/apps/app_choice.h"

#include <charconv>

#include "events/base/text.h"
#include "events/codec/image_labels.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

Outcome<std::uint16_t> parse_app_port(const std::string& text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0 || text.front() == '0')
    return usage_failure("'" + clipped(text) + "' is no port", "a number from 1 to 65535");
  if (is_reserved_port(port))
    return usage_failure("port " + text + " is Berth's own", "any but 2000, 2001, 2200 and 7681");
  return port;
}

// Nothing is open in a session that waits or has ended.
Outcome<AppChoice> running_session(Api& api, const std::string& session) {
  const auto reply = having(api.get("/v1/sessions/" + percent_encoded(session)), {"id", "status"});
  if (!reply) return reply.failure();
  const std::string status = text_at(reply->body, "status");
  if (is_ended(status))
    return Failure{kConflict, "session-ended", session + " has ended: " + status, "start another one", {}};
  if (status != "RUNNING")
    return Failure{kConflict,
                   "session-not-running",
                   session + " is " + status,
                   "`berth session show " + session + " --wait` waits until it runs",
                   {}};
  AppChoice choice;
  choice.session_name = session;
  choice.session = text_at(reply->body, "id");
  return choice;
}

}  // namespace

std::string AppChoice::target(const std::string& below) const {
  return "/v1/sessions/" + percent_encoded(session) + "/apps/" + percent_encoded(app) + below;
}

std::string AppChoice::text() const { return (is_port() ? "port " : "") + app + " of " + session_name; }

Outcome<AppChoice> choose_app(Api& api, const std::string& session, const std::string& app) {
  std::uint16_t port = 0;
  if (is_number(app)) {
    const auto number = parse_app_port(app);
    if (!number) return number.failure();
    port = *number;
  }
  auto choice = running_session(api, session);
  if (!choice) return choice;
  choice->app = app;
  choice->port = port;
  if (port != 0) return choice;
  const auto reply =
      having_list(api.get("/v1/sessions/" + percent_encoded(choice->session) + "/apps"), "items");
  if (!reply) return reply.failure();
  std::string declared;
  for (const auto& item : array_at(reply->body, "items")) {
    const std::string name = text_at(item, "name");
    declared += (declared.empty() ? "" : ", ") + name;
    if (name != app) continue;
    choice->title = text_at(item, "title");
    choice->protocol = text_at(item, "protocol");
    choice->state = text_at(item, "state");
    choice->port = static_cast<std::uint16_t>(integer_at(item, "port"));
    return choice;
  }
  return Failure{kNotFound,
                 "unknown-app",
                 "the image of " + session + " has no app '" + clipped(app) + "'",
                 (declared.empty() ? "it has none" : "it has: " + declared) +
                     "; any other port has its number for a name",
                 {}};
}

}  // namespace berth::cli
