// berth session shell
#include <algorithm>

#include "ops/cli/command/registry.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"
#include "ops/cli/session/inside_open.h"
#include "ops/cli/session/inside_stream.h"

namespace berth::cli {
namespace {

constexpr const char* kDefaultName = "main";

struct ShellOptions {
  std::string session, kernel, name = kDefaultName;
  bool existing = false, list = false, end = false;
  std::vector<std::string> command;
};

std::string shells_of(const ShellOptions& o, const std::string& below = {}) {
  return inside_target(o.session, "shells" + below, o.kernel);
}

Outcome<int> list_shells(Shell& shell, const ShellOptions& o) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having_list((*api)->get(shells_of(o)), "items");
  if (!reply) return reply.failure();
  Listing listing;
  listing.columns = {
      column("NAME", "name"),
      column("COMMAND", "command"),
      {"AGE", [now = shell.now()](
                  const boost::json::value& item) { return age_text(text_at(item, "started_at"), now); }},
      column("CLIENTS", "clients")};
  listing.columns[2].path = "started_at";
  listing.columns[3].right = true;
  listing.shortened = "COMMAND";
  const auto& shells = array_at(reply->body, "items");
  shell.out() << print_list(shells, listing, shell.style());
  const bool table = shell.style().format == Format::kTable || shell.style().format == Format::kWide;
  if (shells.empty() && table) shell.note("no shell is open; `berth shell " + o.session + "` opens one");
  return kOk;
}

Outcome<int> end_shell(Shell& shell, const ShellOptions& o) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = (*api)->remove(shells_of(o, "/" + percent_encoded(o.name)));
  if (!reply) return reply.failure();
  shell.out() << printable(o.name) << "\n";
  return kOk;
}

// As a shell takes it.
std::string quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return std::all_of(word.begin(), word.end(), is_plain) ? word : "'" + word + "'";
}

Outcome<int> open_shell(Shell& shell, const ShellOptions& o) {
  InsideAim aim;
  aim.request.what = inside::Request::What::kShell;
  aim.request.name = o.name;
  aim.request.existing = o.existing;
  aim.request.args = o.command;
  aim.target = inside_target(o.session, "shell", o.kernel);
  aim.name = "shell " + o.name + " of " + o.session;
  aim.again = "berth shell " + quoted(o.session) + (o.kernel.empty() ? "" : " -k " + quoted(o.kernel)) +
              (o.name == kDefaultName ? "" : " -n " + quoted(o.name));
  auto socket = shell.make_socket();
  if (!socket) return socket.failure();
  return InsideStream(shell, *socket->socket, std::move(socket->sign), std::move(aim)).run();
}

Outcome<int> run_shell(Shell& shell, const ShellOptions& o, bool tail_given) {
  if ((o.list || o.end) && (o.existing || tail_given))
    return usage_failure("--list and --end open no shell", "leave out --existing and the command");
  if (tail_given && o.command.empty()) return usage_failure("no command stands behind '--'");
  if (o.list) return list_shells(shell, o);
  return o.end ? end_shell(shell, o) : open_shell(shell, o);
}

}  // namespace

void add_session_shell(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<ShellOptions>();
  auto* verb = registry.verb(noun, "shell", "A shell in a session that runs; it goes on without you");
  verb->add_option("SESSION", o->session, "Name or id")->required();
  verb->add_option("-k,--kernel", o->kernel, "In which kernel (default main1)")->type_name("NAME");
  verb->add_option("-n,--name", o->name, "Which shell (default main): it is made, or come back to")
      ->type_name("SHELL")
      ->check(not_empty());
  verb->add_flag("--existing", o->existing, "Only come back to one, make none");
  auto* list = verb->add_flag("--list", o->list, "List the shells that are open");
  verb->add_flag("--end", o->end, "End the shell and what runs in it")->excludes(list);
  registry.on(
      verb,
      "  berth session shell demo\n"
      "  berth shell demo -n build -- make -j8\n"
      "  berth shell demo --list\n"
      "  berth shell demo -n build --end\n\n"
      "Ctrl-] . detaches: the shell and what runs in it go on, and the same command comes back to the "
      "last 10,000\n"
      "lines. Ctrl-] ? shows what else there is. A connection that was cut is made again for 60 s. What "
      "is piped in is\n"
      "typed; at its end the output goes on until the shell ends, so `exit` is its last line. A shell "
      "ends by itself, by\n"
      "--end or with its kernel, and its code is the exit code. Two may be on one shell.",
      [o, &registry](Shell& shell) -> Outcome<int> {
        o->command = registry.tail;
        return run_shell(shell, *o, registry.tail_given);
      },
      true);
}

}  // namespace berth::cli
