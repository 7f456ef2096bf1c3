// berth completion bash|zsh, and the hidden command that their scripts ask.
#include <iterator>

#include "ops/cli/app.h"
#include "ops/cli/command/paging.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/tree.h"
#include "ops/cli/completion_scripts.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {

void add_all_commands(Registry& registry);

namespace {

// Live names for a positional argument or an option's value, asked of the server; none where that fails.
std::vector<std::string> live_names(Shell& shell, const std::string& what) {
  struct Source {
    const char *what, *target, *key, *name;
  };
  static constexpr Source kSources[] = {
      {"SESSION", "/v1/sessions", "sessions", "name"},  {"AGENT", "/v1/agents", "agents", "name"},
      {"--agent", "/v1/agents", "agents", "name"},      {"--session", "/v1/sessions", "sessions", "name"},
      {"--image", "/v1/images", "images", "reference"}, {"--group", "/v1/groups", "groups", "name"},
      {"GROUP", "/v1/groups", "groups", "name"},        {"--depends-on", "/v1/sessions", "sessions", "name"}};
  std::vector<std::string> names;
  for (const auto& source : kSources) {
    if (what != source.what) continue;
    const auto api = shell.api();
    if (!api) return names;
    const auto items = get_all(**api, source.target, source.key, 200);
    if (!items) return names;
    for (const auto& item : *items) names.push_back(text_at(item, source.name));
  }
  return names;
}

std::vector<std::string> fixed_values(const std::string& option) {
  if (option == "--output") return {"table", "wide", "json", "yaml", "jsonl", "name", "csv"};
  if (option == "--color") return {"auto", "always", "never"};
  if (option == "--cluster-mode") return {"single-node", "multi-node"};
  if (option == "--agent-rule") return {"strict", "preferred"};
  if (option == "--on-dependency-failure") return {"cancel", "wait"};
  if (option == "--unlisted") return {"limited", "unlimited"};
  if (option == "--impossible") return {"block", "skip"};
  if (option == "--head-of-line") return {"strict", "skip-after-n=", "greedy"};
  if (option == "--preempt") return {"on", "off"};
  if (option == "--preempt-order") return {"oldest", "newest", "fewest-sessions"};
  if (option == "--preempt-mode") return {"terminate", "reschedule"};
  if (option == "--preempt-scope") return {"user", "project", "domain", "resource-group"};
  if (option == "--type") return {"interactive", "batch", "inference", "system"};
  if (option == "--state") return {"live", "ended", "all", "PENDING", "RESERVED", "RUNNING", "TERMINATED"};
  if (option == "--backend") return {"oci", "process", "fake"};
  return {};
}

std::string long_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

// What could stand for the last of `words`, in the tree of commands; names of the cluster's things from the
// server.
std::vector<std::string> candidates(Shell& shell, const CLI::App& root, std::vector<std::string> words) {
  const std::string last = words.empty() ? std::string() : words.back();
  if (!words.empty()) words.pop_back();
  const Reached reached = walk(root, words);
  std::vector<std::string> found;
  if (reached.open != nullptr) {
    found = fixed_values(long_name(*reached.open));
    if (found.empty()) found = live_names(shell, long_name(*reached.open));
  } else if (!last.empty() && last[0] == '-') {
    found = options_of(root, *reached.command);
  } else if (found = verbs_of(*reached.command); found.empty()) {
    for (const auto* option : reached.command->get_options())
      if (option->get_positional()) found = live_names(shell, option->get_name(true));
  }
  std::erase_if(found, [&](const std::string& word) { return word.rfind(last, 0) != 0; });
  return found;
}

}  // namespace

void add_completion_commands(Registry& registry) {
  auto* noun = registry.noun("completion", "Completion of commands, options and live names for your shell");
  auto* bash = registry.verb(noun, "bash", "A script for bash: source it");
  registry.on(bash, "  source <(berth completion bash)", [](Shell& shell) -> Outcome<int> {
    shell.out() << kBashCompletion;
    return kOk;
  });
  auto* zsh =
      registry.verb(noun, "zsh", "A script for zsh: source it, or put it into a folder of $fpath as _berth");
  registry.on(zsh, "  source <(berth completion zsh)", [](Shell& shell) -> Outcome<int> {
    shell.out() << kZshCompletion;
    return kOk;
  });
  auto* hidden = registry.verb(nullptr, "__complete", "Candidates for the last word");
  hidden->group("");
  registry.on(
      hidden, "  berth __complete -- session sh",
      [&registry](Shell& shell) -> Outcome<int> {
        CLI::App root{"", "berth"};
        GlobalOptions options;
        Registry tree{root, options, {}, false, false, {}};
        add_all_commands(tree);
        for (const auto& word : candidates(shell, root, registry.tail)) shell.out() << word << "\n";
        return kOk;
      },
      true);
}

}  // namespace berth::cli
