// berth completion bash|zsh, and the hidden command that their scripts ask.
#include <algorithm>

#include "ops/cli/app.h"
#include "ops/cli/command/policy_words.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/tree.h"
#include "ops/cli/completion_scripts.h"
#include "ops/cli/events/event_types.h"
#include "ops/cli/folders/folder_choice.h"
#include "ops/cli/folders/folder_path.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {

void add_all_commands(Registry& registry);

namespace {

using Words = std::vector<std::string>;

// What the word to complete stands for, and what was said before it.
struct Place {
  std::string command;  // "session logs "
  std::string what;     // the option, "--image", or the positional argument, "SESSION"
  std::string begun;    // the value as far as it is typed
  Words rest;           // positional arguments before it
};

// Names of a list of the API.
Words names_at(Shell& shell, const std::string& target, const char* key, const char* name) {
  Words names;
  const auto api = shell.api();
  if (!api) return names;
  const auto reply = (*api)->get(target);
  if (!reply) return names;
  for (const auto& item : array_at(reply->body, key)) names.push_back(text_at(item, name));
  return names;
}

// "DOMAIN/NAME".
Words project_names(Shell& shell) {
  Words names;
  const auto api = shell.api();
  if (!api) return names;
  const auto reply = (*api)->get("/v1/projects?limit=200");
  if (!reply) return names;
  for (const auto& project : array_at(reply->body, "projects"))
    names.push_back(text_at(project, "domain") + "/" + text_at(project, "name"));
  return names;
}

// Of an ended session there is something to see, but nothing to end.
bool shows_ended(const std::string& command) {
  const Words known = {"session logs ", "logs ", "session show ", "session events ", "session why ", "why "};
  return std::find(known.begin(), known.end(), command) != known.end();
}

// Inside of a session that runs there is something to do.
bool goes_inside(const std::string& command) {
  const Words known = {"session exec ", "exec ", "session shell ", "shell ", "session attach ",
                       "session cp ",   "cp "};
  return command.starts_with("app ") || std::find(known.begin(), known.end(), command) != known.end();
}

// FOLDER:PATH is what these arguments are, or may be.
bool names_a_file(const Place& place) {
  const Words words = {"SRC", "DST", "PATH", "FROM", "TO"};
  return place.command.starts_with("folder ") && place.command != "folder files " &&
         std::find(words.begin(), words.end(), place.what) != words.end();
}

// "data:", then "data:results/", "data:results/out.csv".
Words places_in_folders(Shell& shell, const std::string& begun) {
  Words places;
  if (!is_in_folder(begun)) {
    places = names_at(shell, "/v1/folders?limit=200", "items", "name");
    for (std::string& name : places) name += ':';
    return places;
  }
  const std::string before = begun.substr(0, begun.find_last_of(":/") + 1);
  const auto place = folder_path(before);
  const auto api = shell.api();
  if (!place || !api) return places;
  const auto reply = (*api)->get(
      with_query(folder_target(place->folder, "/files"), {{"path", place->path}, {"limit", "200"}}));
  if (!reply) return places;
  for (const auto& file : array_at(reply->body, "items"))
    places.push_back(before + text_at(file, "name") + (text_at(file, "type") == "folder" ? "/" : ""));
  return places;
}

bool is_shell(const std::string& command) { return command == "session shell " || command == "shell "; }

// Live names for a positional argument or an option's value, asked of the server; none where that fails.
Words live_names(Shell& shell, const Place& place) {
  struct Source {
    const char *what, *target, *key, *name;
  };
  static constexpr Source kSources[] = {{"SESSION", "/v1/sessions?limit=200", "sessions", "name"},
                                        {"--session", "/v1/sessions?limit=200", "sessions", "name"},
                                        {"--depends-on", "/v1/sessions?limit=200", "sessions", "name"},
                                        {"AGENT", "/v1/agents?limit=200", "agents", "name"},
                                        {"--agent", "/v1/agents?limit=200", "agents", "name"},
                                        {"REFERENCE", "/v1/images?limit=200", "images", "reference"},
                                        {"--image", "/v1/images?limit=200", "images", "reference"},
                                        {"GROUP", "/v1/groups?limit=200", "groups", "name"},
                                        {"--group", "/v1/groups?limit=200", "groups", "name"},
                                        {"--preset", "/v1/presets?limit=200", "presets", "name"},
                                        {"FOLDER", "/v1/folders?limit=200", "items", "name"},
                                        {"--mount", "/v1/folders?limit=200", "items", "name"},
                                        {"--volume", "/v1/volumes", "items", "name"},
                                        {"VOLUME", "/v1/volumes", "items", "name"},
                                        {"SUBJECT", "/v1/quarantine?limit=200", "quarantine", "subject"},
                                        {"USER", "/v1/users?limit=200", "users", "name"},
                                        {"--user", "/v1/users?limit=200", "users", "name"},
                                        {"--project", "/v1/projects?limit=200", "projects", "name"},
                                        {"DOMAIN", "/v1/domains?limit=200", "domains", "name"},
                                        {"--domain", "/v1/domains?limit=200", "domains", "name"},
                                        {"KEY", "/v1/keys?limit=200", "keys", "id"},
                                        {"--slot-priority", "/v1/slots", "slots", "name"},
                                        {"--exclusive-slots", "/v1/slots", "slots", "name"}};
  if (place.what == "SESSION" && shows_ended(place.command))
    return names_at(shell, "/v1/sessions?state=all&limit=200", "sessions", "name");  // the newest
  if (place.what == "SESSION" && goes_inside(place.command))
    return names_at(shell, "/v1/sessions?state=RUNNING&limit=200", "sessions", "name");
  if ((place.what == "SRC" || place.what == "DST") && goes_inside(place.command)) {
    Words names = names_at(shell, "/v1/sessions?state=RUNNING&limit=200", "sessions", "name");
    for (std::string& name : names) name += ':';
    return names;
  }
  if (names_a_file(place)) return places_in_folders(shell, place.begun);
  if (place.what == "FOLDER" && place.command == "folder restore ")
    return names_at(shell, "/v1/folders?include=trash&state=TRASHED&limit=200", "items", "name");
  if (place.what == "--name" && is_shell(place.command) && !place.rest.empty())
    return names_at(shell, "/v1/sessions/" + percent_encoded(place.rest.front()) + "/shells", "items",
                    "name");
  if (place.what == "APP" && !place.rest.empty())
    return names_at(shell, "/v1/sessions/" + percent_encoded(place.rest.front()) + "/apps", "items", "name");
  for (const auto& source : kSources)
    if (place.what == source.what) return names_at(shell, source.target, source.key, source.name);
  if (place.what == "PROJECT") return project_names(shell);
  if (place.what == "NAME" && place.command.starts_with("preset "))
    return names_at(shell, "/v1/presets?limit=200", "presets", "name");
  if (place.what == "--kernel" && !place.rest.empty())
    return names_at(shell, "/v1/sessions/" + percent_encoded(place.rest.front()), "kernels", "name");
  return {};
}

// SLOT=..., SCOPE:...: the part before the mark, then what may stand behind it.
Words parts_of(Shell& shell, const Place& place) {
  const bool slots = place.what == "--resource" || place.what == "--slot" || place.what == "--pending-slot" ||
                     place.what == "--slot-weight" || place.what == "--device";
  const auto mark = place.begun.find('=');
  Words found;
  if (slots && mark == std::string::npos)
    for (const auto& slot : names_at(shell, "/v1/slots", "slots", "name")) found.push_back(slot + "=");
  if (place.what == "--weight" && mark == std::string::npos) found = {"domain:", "project:", "user:"};
  if (mark == std::string::npos) return found;
  const Words behind = place.what == "--device"          ? Words{"even", "fill"}
                       : place.what == "--session-group" ? Words{"spread", "pack"}
                       : place.what == "--slot"          ? Words{"unlimited"}
                                                         : Words{};
  for (const auto& word : behind) found.push_back(place.begun.substr(0, mark + 1) + word);
  return found;
}

Words fixed_values(const Place& place) {
  const Words ends = {"TERMINATED", "CANCELLED", "ERROR"};
  const Words states = {"PENDING",  "RESERVED", "SCHEDULED", "PREPARING",   "PULLING",
                        "PREPARED", "CREATING", "RUNNING",   "TERMINATING", "RESCHEDULING"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::string& what = place.what;
  for (const auto& policy : policy_words())
    if (what == policy.option) return {policy.words.begin(), policy.words.end()};
  if (what == "--until" ||
      (what == "--type" && (place.command.starts_with("event ") || place.command == "session events ")))
    return event_types();
  if (what == "--state" && place.command.starts_with("agent ")) return {"ENROLLED", "ALIVE", "LOST", "LEFT"};
  if (what == "--state") return with(with({"live", "ended", "all"}, states), ends);
  if (what == "--wait") return with(with({"ended"}, states), ends);
  if (what == "--output") return {"table", "wide", "json", "yaml", "jsonl", "name", "csv"};
  if (what == "--role" && place.command.starts_with("user "))
    return {"superadmin", "domain-admin", "user", "monitor"};
  if (what == "--color") return {"auto", "always", "never"};
  if (what == "--cluster-mode") return {"single-node", "multi-node"};
  if (what == "--agent-rule") return {"strict", "preferred"};
  if (what == "--on-dependency-failure") return {"cancel", "wait"};
  if (what == "--unlisted") return {"limited", "unlimited"};
  if (what == "--impossible") return {"block", "skip"};
  if (what == "--egress") return {"none", "registries"};
  if (what == "--preempt") return {"on", "off"};
  if (what == "--preempt-order") return {"oldest", "newest", "fewest-sessions"};
  if (what == "--preempt-mode") return {"terminate", "reschedule"};
  if (what == "--preempt-scope") return {"user", "project", "domain", "resource-group"};
  if (what == "--type") return {"interactive", "batch", "inference", "system"};
  if (what == "--from") return {"begin", "now"};
  if (what == "--backend") return {"oci", "process", "fake"};
  if (what == "SCOPE") return {"domain", "project", "user", "keypair"};
  return {};
}

bool takes_list(const std::string& what) {
  return what == "--state" || what == "--type" || what == "--slot-priority" || what == "--exclusive-slots";
}

// Of a list only its last element is completed.
Words values(Shell& shell, Place place) {
  const auto comma = takes_list(place.what) ? place.begun.rfind(',') : std::string::npos;
  const std::string before = comma == std::string::npos ? "" : place.begun.substr(0, comma + 1);
  Words found = fixed_values(place);
  if (found.empty()) found = live_names(shell, place);
  if (found.empty()) found = parts_of(shell, place);
  for (auto& value : found) value.insert(0, before);
  return found;
}

std::string long_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

// The positional argument that comes next; the last one if that takes many.
std::string next_positional(const CLI::App& command, std::size_t given) {
  const auto all = command.get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (all.empty() || (given >= all.size() && all.back()->get_items_expected_max() == 1)) return {};
  return all[std::min(given, all.size() - 1)]->get_name(true);
}

// What could stand for the last of `words`, in the tree of commands; names of the cluster's things from the
// server.
Words candidates(Shell& shell, const CLI::App& root, Words words) {
  const std::string last = words.empty() ? std::string() : words.back();
  if (!words.empty()) words.pop_back();
  const bool help = !words.empty() && words.front() == "help";
  if (help) words.erase(words.begin());
  const Reached reached = walk(root, words);
  const auto equals = last.starts_with("--") ? last.find('=') : std::string::npos;
  Words found = verbs_of(*reached.command);
  if (reached.open != nullptr) {
    found = values(shell, {reached.path, long_name(*reached.open), last, reached.rest});
  } else if (equals != std::string::npos) {
    const auto* option = find_option(reached.command, last);
    found.clear();
    if (option != nullptr)
      found = values(shell, {reached.path, long_name(*option), last.substr(equals + 1), reached.rest});
    for (auto& value : found) value.insert(0, last.substr(0, equals + 1));
  } else if (!last.empty() && last[0] == '-') {
    found = options_of(root, *reached.command);
  } else if (found.empty() && !help) {
    const std::string what = next_positional(*reached.command, reached.rest.size());
    if (!what.empty()) found = values(shell, {reached.path, what, last, reached.rest});
  }
  std::erase_if(found, [&](const std::string& word) { return !word.starts_with(last); });
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
