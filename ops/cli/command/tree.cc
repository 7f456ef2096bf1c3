#include "ops/cli/command/tree.h"

#include <algorithm>

#include "ops/cli/app.h"

namespace berth::cli {
namespace {

const CLI::App* find_verb(const CLI::App& app, const std::string& word) {
  for (const auto* sub : app.get_subcommands(nullptr)) {
    const auto& aliases = sub->get_aliases();
    if (sub->get_name() == word || std::find(aliases.begin(), aliases.end(), word) != aliases.end())
      return sub;
  }
  return nullptr;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_min() > 0; }
bool has_own_value(const std::string& word) {
  return word.rfind("--", 0) == 0 ? word.find('=') != std::string::npos : word.size() > 2;
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9');
}

// "session ls"
std::string command_of(const Reached& reached) { return reached.path.substr(0, reached.path.rfind(' ')); }

}  // namespace

const CLI::Option* find_option(const CLI::App* command, const std::string& word) {
  const std::string name = word.substr(0, word.rfind("--", 0) == 0 ? word.find('=') : 2);
  for (; command != nullptr; command = command->get_parent())
    if (const auto* option = command->get_option_no_throw(name)) return option;
  return nullptr;
}

Reached walk(const CLI::App& root, const std::vector<std::string>& words) {
  Reached reached;
  reached.command = &root;
  for (const auto& word : words) {
    if (reached.open != nullptr) {
      reached.open = nullptr;
      continue;
    }
    if (is_option(word)) {
      const auto* option = find_option(reached.command, word);
      if (option != nullptr && takes_value(*option) && !has_own_value(word)) reached.open = option;
      continue;
    }
    if (const auto* verb = find_verb(*reached.command, word); verb != nullptr && reached.rest.empty()) {
      reached.command = verb;
      reached.path += verb->get_name() + " ";
    } else if (!reached.command->get_subcommands(nullptr).empty()) {
      if (reached.stranger.empty()) reached.stranger = word;
      reached.rest.push_back(word);
    } else {
      reached.rest.push_back(word);
    }
  }
  return reached;
}

namespace {

// How many words that are no option's value a command takes before the program's "--"; nullopt: it runs none.
std::optional<std::size_t> words_before_program(const std::string& path) {
  if (path == "run " || path == "session run ") return 0;
  if (path == "app start ") return 2;
  for (const char* verb : {"exec ", "shell "})
    if (path == verb || path == std::string("session ") + verb) return 1;
  return std::nullopt;
}

// A word that is no option's value, where the command takes none more: the program's, without its "--".
std::optional<Failure> find_program(const CLI::App& root, const std::vector<std::string>& words) {
  std::vector<std::string>
      before;  // the first option that nobody knows: it may be the program's, or have a value
  for (const auto& word : words) {
    const Reached reached = walk(root, before);
    if (reached.open == nullptr && is_option(word) && find_option(reached.command, word) == nullptr) break;
    before.push_back(word);
  }
  const Reached reached = walk(root, before);
  const auto most = words_before_program(reached.path);
  if (!most || reached.rest.size() <= *most) return std::nullopt;
  const std::string program = reached.rest[*most].substr(0, 100);
  return usage_failure(
      "'" + program + "' is no option of 'berth " + command_of(reached) + "'",
      "the program's command stands behind '--': berth " + reached.path + "... -- " + program);
}

}  // namespace

std::optional<Failure> find_unknown(const CLI::App& root, const std::vector<std::string>& words) {
  if (auto program = find_program(root, words)) return program;
  const Reached reached = walk(root, words);
  const auto did_you_mean = [](const std::string& word, const std::vector<std::string>& known) {
    const std::string best = closest(word, known);
    return best.empty() ? std::string() : "did you mean '" + best + "'?";
  };
  if (!reached.stranger.empty()) {
    auto known = verbs_of(*reached.command);
    std::string hint = did_you_mean(reached.stranger, known);
    if (hint.empty())
      for (const auto& verb : known) hint += (hint.empty() ? "one of " : ", ") + verb;
    return usage_failure("'berth " + reached.path + reached.stranger.substr(0, 100) + "' is no command",
                         hint);
  }
  bool value = false;
  for (const auto& word : words) {
    if (value) {
      value = false;
      continue;
    }
    if (!is_option(word)) continue;
    const auto* option = find_option(reached.command, word);
    if (option == nullptr) {
      const std::string name = word.substr(0, word.find('='));
      if (name == "-h" || name == "--help") continue;
      return usage_failure("'berth " + command_of(reached) + "' has no option " + name.substr(0, 100),
                           did_you_mean(name, options_of(root, *reached.command)));
    }
    value = takes_value(*option) && !has_own_value(word);
  }
  const bool wants_verb =
      reached.command->get_require_subcommand_min() > 0;  // `berth resource` does something by itself
  if (reached.rest.empty() && reached.open == nullptr && wants_verb) {
    std::string hint;
    for (const auto& verb : verbs_of(*reached.command)) hint += (hint.empty() ? "one of " : ", ") + verb;
    return usage_failure(
        reached.path.empty() ? "a command is missing" : "'berth " + command_of(reached) + "' wants a verb",
        hint);
  }
  return std::nullopt;
}

std::string command_path(const CLI::App& root, const std::vector<std::string>& words) {
  return walk(root, words).path;
}

std::vector<std::string> verbs_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* sub : command.get_subcommands(nullptr))
    if (!sub->get_group().empty()) names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& root, const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* app : {&command, &root}) {
    for (const auto* option : app->get_options()) {
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
      if (option->get_lnames().empty())
        for (const auto& name : option->get_snames()) names.push_back("-" + name);
    }
    if (app == &root) break;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string closest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : known) {
    // Optimal string alignment: insert, delete, replace, swap of neighbours.
    const std::size_t n = word.size(), m = candidate.size();
    if (n > 100) continue;
    std::vector<std::vector<std::size_t>> d(n + 1, std::vector<std::size_t>(m + 1));
    for (std::size_t i = 0; i <= n; ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= m; ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= n; ++i) {
      for (std::size_t j = 1; j <= m; ++j) {
        const bool same = word[i - 1] == candidate[j - 1];
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
        if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1])
          d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
    const bool begins = candidate.rfind(word, 0) == 0 && word.size() >= 2;
    const std::size_t distance = begins ? 0 : d[n][m];
    if (distance < best_distance) best_distance = distance, best = candidate;
  }
  return best;
}

}  // namespace berth::cli
