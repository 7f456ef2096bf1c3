// berth log shell: a journal without its server.
#include <iostream>

#include "ops/cli/command/registry.h"
#include "ops/cli/keeping/any_log.h"
#include "ops/cli/log_shell/kept_lines.h"
#include "ops/cli/log_shell/line_editor.h"
#include "ops/cli/log_shell/log_shell.h"

namespace berth::cli {
namespace {

struct Browse {
  LogPlace place;
  std::vector<std::string> commands;
};

// Commands of a file or a pipe end at the first that fails: what follows may rest on it.
Outcome<int> run_lines(Shell& shell, LogShell& browser, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const auto ran = browser.run(line, shell.out());
    if (!ran) return failure_of(ran.error(), ran.error().code == "usage" ? kUsage : kNotFound);
    if (!*ran) break;
  }
  return kOk;
}

// Lines of before, for the arrows; none where the file cannot be had: a history is no reason not to run.
std::string kept_lines(Shell& shell) {
  const auto text = shell.world().read_private(kept_lines_path(shell.world().config_path));
  return text && *text ? **text : "";
}

Outcome<int> talk(Shell& shell, LogShell& browser) {
  LineEditor editor([&](const std::string& line) { return browser.completions(line); });
  for (const std::string& line : parse_kept_lines(kept_lines(shell))) editor.remember(line);
  shell.out() << "help lists the commands" << std::endl;
  while (const auto line = editor.read(browser.place() + " > ")) {
    if (line->empty()) continue;
    editor.remember(*line);
    // Read anew: another shell may have added to it.
    (void)shell.world().write_private(kept_lines_path(shell.world().config_path),
                                      with_line(kept_lines(shell), *line));
    const auto ran = browser.run(*line, shell.out());
    shell.out().flush();
    if (!ran)
      print_failure(shell.err(), failure_of(ran.error(), kFailed), shell.style().format, shell.style().color);
    else if (!*ran)
      return kOk;
  }
  shell.out() << std::endl;
  return kOk;
}

Outcome<int> run_input(Shell& shell, LogShell& browser, std::istream& in) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return run_lines(shell, browser, lines);
}

Outcome<int> browse(Shell& shell, const Browse& o) {
  auto log = open_any_offline(shell, o.place);
  if (!log) return failure_of(log.error(), kNotFound);
  if (!(*log)->verifies())
    shell.note("the records' signatures are not checked: the cluster's secret is not there");
  shell.status("folding " + std::to_string((*log)->next()) + " records");
  auto tree = LogTree::open(**log);
  shell.end_status();
  if (!tree) return failure_of(tree.error(), kFailed);
  LogShell browser(std::move(*tree), shell.now(), shell.style().utc_offset);
  if (!o.commands.empty()) return run_lines(shell, browser, o.commands);
  const bool is_typed = shell.world().in_is_terminal && shell.world().out_is_terminal;
  return is_typed ? talk(shell, browser) : run_input(shell, browser, std::cin);
}

}  // namespace

void add_log_commands(Registry& registry) {
  auto* noun = registry.noun("log", "A log as it lies on a disk, without its server");
  auto o = std::make_shared<Browse>();
  auto* verb = registry.verb(
      noun, "shell",
      "Browse a data folder, a backup, or a log on Kafka like a file system, at any moment of its past");
  verb->add_option("LOG", o->place.where, std::string("Nothing is disturbed there: ") + kAnyLogHelp)
      ->required();
  add_kafka_config_option(verb, o->place);
  verb->add_option("-c,--command", o->commands, "Run this instead of what is typed; repeat it")
      ->type_name("COMMAND")
      ->allow_extra_args(false);
  registry.on(verb,
              "  berth log shell ~/berth\n"
              "  berth log shell kafka://kafka1:9092/berth -c 'ls agents'\n"
              "  berth log shell ~/berth -c 'cd @14:03' -c 'ls sessions' -c 'cat sessions/demo'",
              [o](Shell& shell) { return browse(shell, *o); });
}

}  // namespace berth::cli
