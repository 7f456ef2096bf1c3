// The app of a session that a person names, or one of its ports by number.
#pragma once

#include <cstdint>
#include <string>

#include "ops/cli/http/api.h"

namespace berth::cli {

struct AppChoice {
  std::string session_name, session;  // as the person said it, and the id
  std::string app;                    // its name, or the number of a port
  std::string title;                  // for people
  std::string protocol;               // http, tcp, pty or preopen; empty: a port by number
  std::string state;                  // stopped, starting, ready or ended; empty: not known
  std::uint16_t port = 0;

  bool is_port() const { return protocol.empty(); }
  bool is_running() const { return state == "starting" || state == "ready"; }
  // Of the API: "/v1/sessions/ID/apps/APP", and what is below it.
  std::string target(const std::string& below = {}) const;
  // "notebook of demo", "port 8888 of demo"
  std::string text() const;
};

// Asks which apps the session's image declares. Failures: those of a GET, session-not-running, unknown-app,
// usage (a port that nobody has, or one of Berth's own).
Outcome<AppChoice> choose_app(Api& api, const std::string& session, const std::string& app);

}  // namespace berth::cli
