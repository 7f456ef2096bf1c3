#include "ops/cli/app.h"

#include <algorithm>
#include <sstream>

#include "events/base/version.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/tree.h"
#include "ops/cli/command/wait.h"
#include "ops/cli/output/table.h"
#include "ops/cli/slurm/slurm_command.h"

namespace berth::cli {
namespace {

constexpr const char* kAbout =
    "Berth finds compute sessions a place: asked for, PENDING, placed, RUNNING in a container, ended; the "
    "next one "
    "starts.\n";

constexpr const char* kRootFooter =
    "Examples:\n"
    "  berth up --data ~/berth --port 7410 --accelerator mock:1x2\n"
    "  berth session run --image python:3.11 --cpu 0.5 --mem 256m --resource cuda.shares=1 --count 3 --name "
    "demo\n"
    "  berth session ls\n"
    "  berth session why demo-3\n"
    "  berth resource\n"
    "\n"
    "The server and the key are found by flag, environment (BERTH__API__ENDPOINT, BERTH__API__KEY_FILE, "
    "BERTH_ACCESS_KEY "
    "and\n"
    "BERTH_SECRET_KEY), ~/.config/berth/config.toml, `berth login`, else http://127.0.0.1:7410 and "
    "/var/lib/berth/keys/admin.json.\n"
    "`berth config show --origin` says which one counts.\n\n";

void add_global_options(CLI::App& root, GlobalOptions& options) {
  root.add_option("-o,--output", options.output, std::string("How to print: ") + kFormats)
      ->type_name("FORMAT")
      ->group("Global options");
  root.add_option("--endpoint", options.endpoint, "Server, like http://127.0.0.1:7410")
      ->type_name("URL")
      ->group("Global options");
  root.add_option("--key-file", options.key_file, "Key pair to sign with")
      ->type_name("FILE")
      ->group("Global options");
  root.add_option("--ca", options.ca, "Authority that vouches for an https server (PEM)")
      ->type_name("FILE")
      ->group("Global options");
  root.add_option("--fingerprint", options.fingerprint,
                  "Of an https server's certificate, as it prints it: sha256:...")
      ->type_name("TEXT")
      ->group("Global options");
  root.add_option("--data", options.data, "Data folder of a `berth up` on this machine: has address and key")
      ->type_name("DIR")
      ->group("Global options");
  root.add_option("--at", options.at,
                  "Show what was then: a position (1234), a time with its zone, or 14:03, the last one")
      ->type_name("MOMENT")
      ->check(not_empty())
      ->group("Global options");
  root.add_option("--color", options.color, "auto, always or never")
      ->type_name("WHEN")
      ->group("Global options");
  root.add_flag("-q,--quiet", options.quiet, "No progress on stderr")->group("Global options");
  root.add_flag("--no-headers", options.no_headers, "Tables and CSV without their first line")
      ->group("Global options");
}

// Splits the words at the first "--": what is behind it belongs to the kernel, not to us.
void split_tail(std::vector<std::string>& words, Registry& registry) {
  const auto mark = std::find(words.begin(), words.end(), "--");
  if (mark == words.end()) return;
  registry.tail_given = true;
  registry.tail.assign(mark + 1, words.end());
  words.erase(mark, words.end());
}

// The format that was asked for, of a command line or settings that may be wrong elsewhere.
Format format_asked(const World& world, const std::vector<std::string>& words) {
  Flags flags;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if ((word == "-o" || word == "--output") && i + 1 < words.size())
      flags["output.format"] = words[i + 1];
    else if (word.starts_with("--output="))
      flags["output.format"] = word.substr(word.find('=') + 1);
    else if (word.starts_with("-o") && word.size() > 2)
      flags["output.format"] = word.substr(2);
  }
  const auto file = world.read_config(world.config_path);
  auto settings =
      Settings::load(flags, world.environment, {}, world.config_path, file ? *file : std::nullopt);
  if (!settings) settings = Settings::load(flags, world.environment, {}, {}, std::nullopt);
  const auto format = parse_format(settings ? settings->get("output.format")->value : std::string());
  return format ? *format : Format::kTable;
}

int fail(World& world, const Failure& failure, Format format) {
  print_failure(*world.err, failure, format, world.err_is_terminal && !world.no_color);
  return failure.exit;
}

// What CLI11 says, in our words and with a suggestion.
Failure usage_of(const CLI::App& root, const std::vector<std::string>& words, const CLI::ParseError& error) {
  if (auto unknown = find_unknown(root, words)) return *unknown;
  std::string message = error.what();
  while (!message.empty() && (message.back() == '\n' || message.back() == '.')) message.pop_back();
  return usage_failure(message, "`berth " + command_path(root, words) + "--help` shows what it takes");
}

// "help session run" is "session run --help"; it stands here, where the words are still whole.
void add_help_command(Registry& registry) {
  auto command = std::make_shared<std::vector<std::string>>();
  auto* help = registry.verb(nullptr, "help", "What a command does, like --help behind it");
  help->add_option("COMMAND", *command, "Its words, like: session run");
  registry.on(help, "  berth help session run", [command](Shell&) -> Outcome<int> {
    return usage_failure("'help' is the first word", "berth help COMMAND");
  });
}

// "app SESSION PORT --listen" is "app listen SESSION PORT".
void spell_listen(const CLI::App& root, std::vector<std::string>& words) {
  const auto flag = std::find(words.begin(), words.end(), "--listen");
  const auto noun = std::find(words.begin(), flag, "app");
  if (flag == words.end() || noun == flag || noun + 1 == flag) return;
  if (const auto reached = walk(root, {noun, noun + 2}); reached.stranger.empty()) return;  // it is a verb
  words.erase(flag);
  words.insert(std::find(words.begin(), words.end(), "app") + 1, "listen");
}

bool is_help(const std::vector<std::string>& words) { return !words.empty() && words.front() == "help"; }

}  // namespace

void add_all_commands(Registry& registry) {
  add_global_options(registry.root, registry.options);
  registry.root.fallthrough();
  registry.root.require_subcommand(1);
  registry.root.set_version_flag("-V,--version", std::string("berth ") + kVersion);
  registry.root.footer(std::string(kRootFooter) + kExitCodeHelp);
  add_up_command(registry);
  add_session_commands(registry);
  add_app_commands(registry);
  add_folder_commands(registry);
  add_volume_commands(registry);
  add_agent_commands(registry);
  add_image_commands(registry);
  add_group_commands(registry);
  add_limit_commands(registry);
  add_usage_command(registry);
  add_preset_commands(registry);
  add_resource_command(registry);
  add_event_commands(registry);
  add_cluster_commands(registry);
  add_journal_commands(registry);
  add_diff_commands(registry);
  add_replay_command(registry);
  add_log_commands(registry);
  add_backup_command(registry);
  add_restore_command(registry);
  add_audit_commands(registry);
  add_schedule_command(registry);
  add_scenario_commands(registry);
  add_slurm_commands(registry);
  add_login_commands(registry);
  add_context_commands(registry);
  add_whoami(registry);
  add_user_commands(registry);
  add_project_commands(registry);
  add_domain_commands(registry);
  add_key_commands(registry);
  add_producer_commands(registry);
  add_config_commands(registry);
  add_completion_commands(registry);
  add_explain_command(registry);
  add_man_command(registry);
  add_help_command(registry);
}

int run(World& world, const std::vector<std::string>& arguments) {
  CLI::App root{kAbout, "berth"};
  GlobalOptions options;
  Registry registry{root, options, {}, false, false, {}};
  std::vector<std::string> words = arguments;
  if (slurm::take_words(words, registry.tail))
    registry.tail_given = true;
  else
    split_tail(words, registry);
  for (auto& word : words)
    if (word == "--wait") word += std::string("=") + kWaitDefault;
  try {
    add_all_commands(registry);
    spell_listen(root, words);
    if (is_help(words)) {
      words.erase(words.begin());
      if (!walk(root, words).stranger.empty())
        return fail(world, *find_unknown(root, words), format_asked(world, words));
      words.emplace_back("--help");
    }
    auto reversed = words;  // as CLI11 wants them
    std::reverse(reversed.begin(), reversed.end());
    root.parse(reversed);
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream text;
    const int code = root.exit(success, text, *world.err);
    *world.out << wrapped(text.str(), width_of(world));
    return code;
  } catch (const CLI::ParseError& error) {
    return fail(world, usage_of(root, words, error), format_asked(world, words));
  }
  if (registry.tail_given && !registry.tail_taken)
    return fail(
        world,
        usage_failure(
            "'--' with a command behind it belongs to `berth session run`, `exec`, `shell` and `app start`"),
        format_asked(world, words));
  Shell shell(world, options);
  const auto prepared = shell.prepare();
  if (!prepared) return fail(world, prepared.failure(), format_asked(world, words));
  const auto result = registry.chosen(shell);
  shell.end_status();
  world.out->flush();
  return result ? *result : fail(world, result.failure(), shell.style().format);
}

}  // namespace berth::cli
