// berth app ls, start, stop, url and open
#include <map>

#include "ops/cli/apps/app_choice.h"
#include "ops/cli/apps/app_start.h"
#include "ops/cli/command/pairs.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/wait.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

struct AppName {
  std::string session, app;
};

struct AppWords : AppName {
  std::vector<std::string> variables, arguments;
  std::string timeout = "2m";
};

// "ended 1", "ended by signal 9", "ready"
std::string state_text(const boost::json::value& app) {
  const std::string state = text_at(app, "state");
  if (state != "ended") return state;
  const std::string signal = text_at(app, "signal");
  return signal.empty() || signal == "0" ? state + " " + text_at(app, "exit_code")
                                         : state + " by signal " + signal;
}

// What it said last, of the newest that it printed.
std::string last_line(const boost::json::value& app) {
  std::string log = text_at(app, "log");
  while (!log.empty() && (log.back() == '\n' || log.back() == '\r')) log.pop_back();
  return log.substr(log.rfind('\n') + 1);
}

Listing app_listing() {
  Listing listing;
  listing.columns = {column("NAME", "name"),         column("TITLE", "title"),
                     column("PROTOCOL", "protocol"), column("PORT", "port"),
                     {"STATE", state_text},          column("RESTARTS", "restarts", true),
                     {"LAST LINE", last_line, true}};
  listing.columns[3].right = true;
  listing.fields = {"name", "title", "protocol", "port", "state", "exit_code", "signal", "restarts", "log"};
  listing.shortened = "TITLE";
  return listing;
}

Outcome<int> list_apps(Shell& shell, const std::string& session) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having_list((*api)->get("/v1/sessions/" + percent_encoded(session) + "/apps"), "items");
  if (!reply) return reply.failure();
  const auto& apps = array_at(reply->body, "items");
  shell.out() << print_list(apps, app_listing(), shell.style());
  const bool table = shell.style().format == Format::kTable || shell.style().format == Format::kWide;
  if (apps.empty() && table)
    shell.note("its image names no app; `berth app listen " + session + " PORT` reaches any port");
  return kOk;
}

Outcome<int> start_app(Shell& shell, const AppWords& o) {
  std::map<std::string, std::string> variables;
  for (const auto& variable : o.variables) {
    auto pair = split_pair(variable, "--env", "KEY=VALUE");
    if (!pair) return pair.failure();
    variables[pair->key] = std::move(pair->value);
  }
  const auto deadline = parse_timeout(o.timeout);
  if (!deadline) return deadline.failure();
  auto first = start_message(o.arguments, variables);
  if (!first) return first.failure();
  const auto api = shell.api();
  if (!api) return api.failure();
  auto app = choose_app(**api, o.session, o.app);
  if (!app) return app.failure();
  if (app->is_port()) return usage_failure("a port has no program that could be started", "name an app");
  auto socket = shell.make_socket();
  if (!socket) return socket.failure();
  const bool with_words = !variables.empty() || !o.arguments.empty();
  return AppStart(shell, std::move(*socket), std::move(*app), std::move(*first), with_words, *deadline).run();
}

Outcome<int> stop_app(Shell& shell, const AppName& o) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto app = choose_app(**api, o.session, o.app);
  if (!app) return app.failure();
  if (app->is_port()) return usage_failure("a port has no program that could be stopped", "name an app");
  const auto reply = (*api)->remove(app->target());
  if (!reply) return reply.failure();
  shell.out() << printable(o.app) << "\n";
  return kOk;
}

// The console's page, which signs in, starts the app and opens it: no URL has a token.
Outcome<std::string> page_of(Shell& shell, const AppName& o) {
  const auto server = shell.server();
  if (!server) return server.failure();
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto app = choose_app(**api, o.session, o.app);
  if (!app) return app.failure();
  if (app->protocol == "tcp")
    return Failure{kConflict,
                   "app-not-http",
                   app->text() + " speaks no HTTP",
                   "`berth app listen " + o.session + " " + o.app + "` gives it a port of this machine",
                   {}};
  if (app->protocol == "pty")
    return Failure{kConflict,
                   "app-in-terminal",
                   app->text() + " runs in a terminal",
                   "`berth shell " + o.session + "` opens one",
                   {}};
  return std::string(server->tls ? "https://" : "http://") + server->host + ":" + server->port + "/session/" +
         percent_encoded(app->session) + "/app/" + percent_encoded(app->app);
}

Outcome<int> print_page(Shell& shell, const AppName& o) {
  const auto page = page_of(shell, o);
  if (!page) return page.failure();
  shell.out() << *page << "\n";
  return kOk;
}

Outcome<int> open_page(Shell& shell, const AppName& o) {
  const auto page = page_of(shell, o);
  if (!page) return page.failure();
  if (shell.world().open_browser(*page)) {
    shell.note("opened in the browser: " + *page);
    return kOk;
  }
  shell.note("no browser is here ($BROWSER, xdg-open); open this in one");
  shell.out() << *page << "\n";
  return kOk;
}

constexpr const char* kAppByName = "Its name, as `berth app ls` has it";
constexpr const char* kAppOrPort = "Its name, as `berth app ls` has it, or the number of a port";

CLI::App* app_verb(Registry& registry, CLI::App* noun, const char* name, const char* about, AppName& o,
                   const char* app_is) {
  auto* verb = registry.verb(noun, name, about);
  verb->add_option("SESSION", o.session, "Name or id")->required();
  verb->add_option("APP", o.app, app_is)->required();
  return verb;
}

void add_app_start(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<AppWords>();
  auto* start = app_verb(registry, noun, "start", "Start an app, and wait until it is ready", *o, kAppByName);
  start->add_option("-e,--env", o->variables, "Environment variable of the app; repeat it")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  start->add_option("--timeout", o->timeout, "How long to wait (default 2m); the app goes on")
      ->type_name("TIME");
  registry.on(
      start,
      "  berth app start demo jupyterlab\n"
      "  berth app start demo tensorboard -e TZ=UTC -- --logdir /home/work/runs\n\n"
      "What stands behind '--' follows the command that the image gives. An app that runs is not started "
      "again. One that\n"
      "ends is shown with what it printed (exit code 1). Ctrl-C leaves it as it is.",
      [o, &registry](Shell& shell) -> Outcome<int> {
        o->arguments = registry.tail;
        return start_app(shell, *o);
      },
      true);
}

}  // namespace

void add_app_commands(Registry& registry) {
  auto* noun =
      registry.noun("app", "Apps of sessions: notebooks, and all else that listens in one", {"apps"});
  auto session = std::make_shared<std::string>();
  auto* ls = registry.verb(noun, "ls", "List the apps that its image has, and how they stand", {"list"});
  ls->add_option("SESSION", *session, "Name or id")->required();
  registry.on(ls, "  berth app ls demo\n  berth app ls demo -o wide",
              [session](Shell& shell) { return list_apps(shell, *session); });
  add_app_start(registry, noun);
  auto stopped = std::make_shared<AppName>();
  registry.on(app_verb(registry, noun, "stop", "End an app; the session goes on", *stopped, kAppByName),
              "  berth app stop demo jupyterlab",
              [stopped](Shell& shell) { return stop_app(shell, *stopped); });
  auto opened = std::make_shared<AppName>();
  registry.on(app_verb(registry, noun, "open", "Open an app in the browser", *opened, kAppOrPort),
              "  berth app open demo jupyterlab\n"
              "  berth app open demo 8501\n\n"
              "The page signs in, starts the app if it does not run, and opens it. $BROWSER says which "
              "browser.",
              [opened](Shell& shell) { return open_page(shell, *opened); });
  auto shown = std::make_shared<AppName>();
  registry.on(app_verb(registry, noun, "url", "Print the page that opens an app; it has no token", *shown,
                       kAppOrPort),
              "  berth app url demo jupyterlab", [shown](Shell& shell) { return print_page(shell, *shown); });
  add_app_listen(registry, noun);
}

}  // namespace berth::cli
