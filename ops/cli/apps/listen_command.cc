// berth app listen
#include <charconv>

#include "ops/cli/apps/app_choice.h"
#include "ops/cli/apps/port_listener.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/output/table.h"
#include "ops/cli/session/interrupts.h"

namespace berth::cli {
namespace {

struct Listen {
  std::string session, app, port;
};

// Of --port; none: that of the app.
Outcome<std::uint16_t> local_port(const Listen& o, const AppChoice& app) {
  if (o.port.empty()) return app.port;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(o.port.data(), o.port.data() + o.port.size(), port);
  if (error == std::errc() && end == o.port.data() + o.port.size()) return port;
  return usage_failure("--port '" + o.port.substr(0, 20) + "' is no port", "a number up to 65535; 0 is any");
}

Outcome<int> listen(Shell& shell, const Listen& o) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto app = choose_app(**api, o.session, o.app);
  if (!app) return app.failure();
  if (app->protocol == "pty")
    return Failure{kConflict,
                   "app-in-terminal",
                   app->text() + " runs in a terminal, and listens nowhere",
                   "`berth shell " + o.session + "` opens a terminal",
                   {}};
  const auto port = local_port(o, *app);
  if (!port) return port.failure();
  const Interrupts interrupts;
  PortListener listener({app->target("/connect"), [&shell] { return shell.make_socket(); },
                         [&shell](const std::string& text) { shell.note(text); }});
  const auto bound = listener.bind(*port);
  if (!bound) return bound.failure();
  shell.out() << "127.0.0.1:" << *bound << std::endl;
  shell.note(app->text() + " is reached there, from this machine alone; Ctrl-C ends it");
  if (!app->is_port() && app->protocol != "preopen" && !app->is_running())
    shell.note("it does not run: `berth app start " + o.session + " " + o.app + "` starts it");
  const auto ended = listener.run(interrupts.descriptor());
  if (!ended) return ended.failure();
  shell.note("no longer listening");
  return kOk;
}

}  // namespace

void add_app_listen(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Listen>();
  auto* verb = registry.verb(noun, "listen", "Give an app, or a port of a session, a port of this machine");
  verb->add_option("SESSION", o->session, "Name or id")->required();
  verb->add_option("APP", o->app, "Its name, as `berth app ls` has it, or the number of a port")->required();
  verb->add_option("--port", o->port, "On this machine (default: the same number; 0: any that is free)")
      ->type_name("PORT");
  registry.on(verb,
              "  berth app listen demo 8501\n"
              "  berth app listen demo mlflow --port 0\n"
              "  berth app demo 8501 --listen\n\n"
              "Prints the address, always one of 127.0.0.1: other machines do not reach it, every user of "
              "this one does.\n"
              "Each connection is one to the app, at most 64 at once. Those that are open end with the "
              "server; new ones go\n"
              "through again once it is back. Ctrl-C ends all.",
              [o](Shell& shell) { return listen(shell, *o); });
}

}  // namespace berth::cli
