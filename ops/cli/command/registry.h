// Declarations of commands: a noun with verbs, options bound to a struct of their own, an action that gets
// the Shell.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "ops/cli/shell.h"

namespace berth::cli {

// Returns the exit code or the Failure.
using Action = std::function<Outcome<int>(Shell&)>;

struct Registry {
  CLI::App& root;
  GlobalOptions& options;
  std::vector<std::string> tail;  // words behind "--" on the command line
  bool tail_given = false;
  bool tail_taken = false;  // set by the command that uses the tail
  Action chosen;

  // Adds a noun, which has verbs. `aliases` are not shown as commands of their own.
  CLI::App* noun(const char* name, const char* about, std::initializer_list<const char*> aliases = {});
  CLI::App* verb(CLI::App* noun, const char* name, const char* about,
                 std::initializer_list<const char*> aliases = {});
  // Sets the examples of the help, and the action. `takes_tail`: the command takes "-- CMD ...".
  void on(CLI::App* command, const char* examples, Action action, bool takes_tail = false);
};

// Like CLI::IsMember, without its list in the help (the option's own text has it).
CLI::Validator one_of(std::vector<std::string> words);
CLI::Validator not_empty();

// "rm NAME" of a noun: what nothing live uses. `path`: of the API, "/v1/groups/".
void add_removal(Registry& registry, CLI::App* noun, const char* path, const char* metavar, const char* about,
                 const char* example);

// One file each.
void add_up_command(Registry& registry);
void add_session_commands(Registry& registry);
void add_session_run(Registry& registry, CLI::App* noun, const char* name);
void add_session_ls(Registry& registry, CLI::App* noun, const char* name);
void add_session_show(Registry& registry, CLI::App* noun);
void add_session_why(Registry& registry, CLI::App* noun);
void add_session_end(Registry& registry, CLI::App* noun);
void add_session_events(Registry& registry, CLI::App* noun);
void add_session_logs(Registry& registry, CLI::App* noun, const char* name);
void add_session_exec(Registry& registry, CLI::App* noun);
void add_session_shell(Registry& registry, CLI::App* noun);
void add_session_cp(Registry& registry, CLI::App* noun);
void add_session_share(Registry& registry, CLI::App* noun);
void add_session_attach(Registry& registry, CLI::App* noun);
void add_app_commands(Registry& registry);
void add_app_listen(Registry& registry, CLI::App* noun);
void add_folder_commands(Registry& registry);
void add_folder_cp(Registry& registry, CLI::App* noun);
void add_folder_files(Registry& registry, CLI::App* noun);
void add_folder_share(Registry& registry, CLI::App* noun);
void add_volume_ls(Registry& registry, CLI::App* noun, const char* name);
void add_volume_commands(Registry& registry);
void add_agent_commands(Registry& registry);
void add_agent_check(Registry& registry, CLI::App* noun);
void add_image_commands(Registry& registry);
void add_image_build(Registry& registry, CLI::App* noun);
void add_image_add(Registry& registry, CLI::App* noun);
void add_group_commands(Registry& registry);
void add_limit_commands(Registry& registry);
void add_usage_command(Registry& registry);
void add_preset_commands(Registry& registry);
void add_preset_check(Registry& registry, CLI::App* resource);
void add_resource_command(Registry& registry);
void add_event_commands(Registry& registry);
void add_event_export(Registry& registry, CLI::App* noun);
void add_cluster_commands(Registry& registry);
void add_journal_commands(Registry& registry);
// berth past, berth diff
void add_diff_commands(Registry& registry);
void add_replay_command(Registry& registry);
void add_log_commands(Registry& registry);
void add_backup_command(Registry& registry);
void add_restore_command(Registry& registry);
void add_cluster_history(Registry& registry, CLI::App* noun);
void add_key_rotate(Registry& registry, CLI::App* noun);
void add_rotate_writers(Registry& registry, CLI::App* rotation);
void add_explain_command(Registry& registry);
void add_man_command(Registry& registry);
void add_audit_commands(Registry& registry);
void add_schedule_command(Registry& registry);
void add_scenario_commands(Registry& registry);
void add_config_commands(Registry& registry);
void add_completion_commands(Registry& registry);
void add_login_commands(Registry& registry);
void add_context_commands(Registry& registry);
// "passwd" of the noun `user`.
void add_user_passwd(Registry& registry, CLI::App* noun);
void add_user_commands(Registry& registry);
void add_project_commands(Registry& registry);
void add_domain_commands(Registry& registry);
void add_key_commands(Registry& registry);
void add_producer_commands(Registry& registry);
void add_whoami(Registry& registry);

}  // namespace berth::cli
