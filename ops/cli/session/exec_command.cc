// berth session exec
#include "ops/cli/command/pairs.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/session/inside_open.h"
#include "ops/cli/session/inside_stream.h"

namespace berth::cli {
namespace {

struct Exec {
  std::string session, kernel, folder;
  std::vector<std::string> env;
  bool terminal = false;
  std::vector<std::string> command;
};

Outcome<int> exec(Shell& shell, const Exec& o) {
  if (o.command.empty())
    return usage_failure("no command stands behind '--'",
                         "for example: berth exec " + o.session + " -- ls -l");
  InsideAim aim;
  aim.request.what = inside::Request::What::kExec;
  aim.request.args = o.command;
  aim.request.env = o.env;
  aim.request.cwd = o.folder;
  aim.request.terminal = o.terminal;
  for (const auto& variable : o.env)
    if (const auto pair = split_pair(variable, "--env", "KEY=VALUE"); !pair) return pair.failure();
  aim.target = inside_target(o.session, "exec", o.kernel);
  aim.name = "the program in " + o.session;
  auto socket = shell.make_socket();
  if (!socket) return socket.failure();
  return InsideStream(shell, *socket->socket, std::move(socket->sign), std::move(aim)).run();
}

}  // namespace

void add_session_exec(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Exec>();
  auto* exec_verb = registry.verb(noun, "exec", "Run a command in a session that runs");
  exec_verb->add_option("SESSION", o->session, "Name or id")->required();
  exec_verb->add_option("-k,--kernel", o->kernel, "In which kernel (default main1)")->type_name("NAME");
  exec_verb->add_flag("-t,--terminal,--tty", o->terminal, "Give it a terminal, of this one's size");
  exec_verb->add_option("-e,--env", o->env, "Environment variable; repeat it")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  exec_verb
      ->add_option("-w,--workdir", o->folder, "Where it runs (default: where the session's own program does)")
      ->type_name("FOLDER");
  registry.on(
      exec_verb,
      "  berth session exec demo -- ls -l /\n"
      "  tar c data | berth exec demo -w /tmp -- tar x\n"
      "  berth exec demo -t -- top\n\n"
      "stdin, stdout and stderr are the program's, and its code is the exit code; `< /dev/null` keeps it "
      "from "
      "reading\n"
      "yours. When the connection ends before the program does, the program is hung up (SIGHUP). With -t on "
      "a "
      "terminal\n"
      "Ctrl-C goes to the program, and Ctrl-] . leaves; Ctrl-] ? shows what else there is.",
      [o, &registry](Shell& shell) -> Outcome<int> {
        o->command = registry.tail;
        return exec(shell, *o);
      },
      true);
}

}  // namespace berth::cli
