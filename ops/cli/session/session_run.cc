// berth session run
#include "ops/cli/command/paging.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/wait.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"
#include "ops/cli/session/attach.h"
#include "ops/cli/session/run_inside.h"
#include "ops/cli/session/session_spec.h"
#include "projections/tables/session_bounds.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct Run {
  RunOptions spec;
  WaitFor wait;
  bool waits = false;
  bool attach = false;
  bool detach = false;
  bool input = false, terminal = false;
  bool dry_run = false;
};

void add_cluster_options(CLI::App* run, RunOptions& s) {
  run->add_option("--cluster-size", s.cluster_size,
                  "Kernels in a session: main1 and sub1, sub2, ..., all alike")
      ->type_name("N")
      ->check(CLI::Range(1u, 256u));
  run->add_option("--cluster-mode", s.mode, "single-node (default: all on one agent) or multi-node")
      ->check(one_of({"single-node", "multi-node"}))
      ->type_name("MODE");
  run->add_option("--role", s.roles,
                  "Kernels of a role, `main` first; what it does not name is the session's; repeat it")
      ->type_name("NAME=COUNT[,SLOT=AMOUNT...][,image=REFERENCE]")
      ->allow_extra_args(false);
  run->add_option("--agent", s.agents, "On this agent; repeat it for several")
      ->type_name("AGENT")
      ->allow_extra_args(false);
  run->add_option("--agent-rule", s.agent_rule, "strict (default: there or nowhere) or preferred")
      ->check(one_of({"strict", "preferred"}))
      ->type_name("RULE");
  run->add_option("--depends-on", s.depends_on, "Batch: only after this batch session succeeded; repeat it")
      ->type_name("SESSION")
      ->allow_extra_args(false);
  run->add_option("--on-dependency-failure", s.on_dependency_failure, "cancel (default) or wait")
      ->check(one_of({"cancel", "wait"}))
      ->type_name("WHAT");
}

void add_standing_options(CLI::App* run, RunOptions& s) {
  run->add_option("--job-priority", s.job_priority,
                  "Where the group preempts: those of a lower one make room (default 0)")
      ->type_name("N")
      ->check(CLI::Range(-1000, 1000));
  run->add_flag("--not-preemptible", s.not_preemptible, "Makes room for nobody");
  run->add_option("--session-group", s.session_group,
                  "Stands apart from (spread) or beside (pack) your others of that name")
      ->type_name("NAME[=spread|pack][,strict]");
}

void add_folder_options(CLI::App* run, RunOptions& s) {
  run->add_option("--mount", s.mounts,
                  "Folder that its kernels see as /home/work/TARGET (default: the folder's name), with :ro "
                  "read-only; repeat it")
      ->type_name("FOLDER[:TARGET][:ro]")
      ->allow_extra_args(false);
  run->add_flag("--no-automatic-folder", s.no_automatic_folder,
                "Without your automatic folder, in which dotfiles and pip's packages outlast the session");
}

void add_options(CLI::App* run, Run& o) {
  auto& s = o.spec;
  add_cluster_options(run, s);
  add_standing_options(run, s);
  run->add_option("-i,--image", s.image, "Image, like python:3.11")->type_name("REFERENCE");
  run->add_option("--name", s.name, "Name; with --count above 1 they are NAME-1, NAME-2, ...")
      ->type_name("NAME");
  run->add_option("--preset", s.preset,
                  "Amounts of this preset, but for those that are named (berth preset ls)")
      ->type_name("NAME");
  run->add_option("--cpu", s.cpu, "CPUs, like 0.5")->type_name("AMOUNT");
  run->add_option("--mem", s.mem, "Memory, like 256m; /dev/shm is counted in it")->type_name("BYTES");
  run->add_option("--disk", s.disk,
                  "What each kernel may write beside its folders, like 20g (default: its group's)")
      ->type_name("BYTES");
  run->add_option("-r,--resource", s.resources, "Any other slot, like cuda.shares=1; repeat it")
      ->type_name("SLOT=AMOUNT")
      ->allow_extra_args(false);
  run->add_option("-n,--count", s.count,
                  "How many sessions, up to " + std::to_string(projections::kSessionsPerRequestMax) +
                      " (default 1); all are accepted or none")
      ->type_name("N")
      ->check(CLI::Range(1u, projections::kSessionsPerRequestMax));
  run->add_option("-t,--type", s.type, "interactive (default), batch, inference or system")
      ->check(one_of({"interactive", "batch", "inference", "system"}))
      ->type_name("TYPE");
  run->add_option("-g,--group", s.group, "Resource group")->type_name("GROUP");
  run->add_option("-p,--priority", s.priority, "Higher is tried first (default 10)")
      ->check(CLI::Range(1, 1000))
      ->each([&s](const std::string&) { s.has_priority = true; });
  run->add_option("-e,--env", s.env, "Environment variable; repeat it")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_folder_options(run, s);
  run->add_option("--shm", s.shm, "Size of /dev/shm (default 64m, at most half of mem)")->type_name("BYTES");
  run->add_flag(
      "--requeueable", s.requeueable,
      "May be started again elsewhere when its agent is lost: it runs at least once, and may run again");
  run->add_option("--start-time", s.start_time, "Batch: not before this time, like 2026-01-31T18:00:00Z")
      ->type_name("TIME");
  run->add_option("--pending-timeout", s.pending_timeout, "Cancel it if it still waits after this long")
      ->type_name("DURATION");
  run->add_option("--batch-timeout", s.batch_timeout, "End a batch job after this long")
      ->type_name("DURATION");
  run->add_option("--max-attempts", s.max_attempts,
                  "Failed starts before it is given up (default: the group's)")
      ->type_name("N")
      ->check(CLI::Range(1u, 1000u));
  run->add_option("--project", s.project, "Project")->type_name("NAME");
  run->add_option("--domain", s.domain, "Domain")->type_name("NAME");
  run->add_option("--arch", s.architecture, "Architecture, like x86_64 (default: the image's)")
      ->type_name("NAME");
  run->add_option("--wait", o.wait.state,
                  "Wait until it is RUNNING (batch: ended), or in STATE, like --wait=TERMINATED")
      ->type_name("[=STATE]")
      ->expected(0, 1)
      ->each([&o](const std::string&) { o.waits = true; });
  run->add_option("--timeout", o.wait.timeout, "How long to wait at most, like 30s")->type_name("DURATION");
  run->add_flag("-a,--attach", o.attach,
                "Print what its first kernel writes, until it has ended, and exit with its code (default "
                "for batch and for `-- COMMAND`); several: one after the other");
  run->add_flag("-d,--detach", o.detach, "Batch, or with a command: do not wait for the end");
  run->add_flag("--stdin", o.input,
                "The command reads this stdin; the session is there for the command and ends with it");
  run->add_flag("--terminal,--tty", o.terminal, "The same, on a terminal of this one's size");
  run->add_flag("--dry-run", o.dry_run,
                "Ask for nothing: would it be refused, start now and where, or wait and why (exit 0: all "
                "would start, 8: some wait)");
}

bool is_text(const Style& style) { return style.format == Format::kTable || style.format == Format::kWide; }

Outcome<bool> fill_from_preset(Api& api, const RunOptions& spec, json::value& body) {
  if (spec.preset.empty()) return true;
  const auto presets = get_all(api, "/v1/presets", "presets");
  if (!presets) return presets.failure();
  return add_preset(spec.preset, *presets, body.as_object());
}

void tell_warnings(Shell& shell, const json::value& answer) {
  for (const auto& warning : array_at(answer, "warnings"))
    shell.note("warning: " + printable(scalar_text(warning)));
}

Outcome<int> try_sessions(Shell& shell, const Run& o) {
  if (o.waits || !o.wait.timeout.empty() || o.attach || o.detach)
    return usage_failure("--dry-run starts nothing: there is nothing to wait for",
                         "leave out --wait, --timeout, --attach and --detach");
  auto body = session_body(o.spec);
  if (!body) return body.failure();
  const auto api = shell.api();
  if (!api) return api.failure();
  if (const auto filled = fill_from_preset(**api, o.spec, *body); !filled) return filled.failure();
  const auto reply = having_list((*api)->post("/v1/sessions?dry_run=true", *body), "sessions");
  if (!reply) return reply.failure();
  tell_warnings(shell, reply->body);
  const Format format = shell.style().format;
  if (is_text(shell.style()))
    shell.out() << dry_run_text(reply->body, shell.now(), shell.style());
  else if (format == Format::kJson || format == Format::kYaml)
    shell.out() << print_one(reply->body, {}, shell.style());
  else
    shell.out() << print_list(array_at(reply->body, "sessions"), dry_run_listing(), shell.style());
  bool all = true;
  for (const auto& session : array_at(reply->body, "sessions")) all = all && true_at(session, "starts_now");
  return all ? kOk : kPending;
}

// Which session a name of --depends-on was taken for.
std::string dependency_text(const json::value& on, Timestamp now) {
  const std::string ended = age_text(text_at(on, "ended_at"), now), result = text_at(on, "result");
  return "depends on " + text_at(on, "name") + " (" + text_at(on, "session") + "), " + text_at(on, "status") +
         (result.empty() ? "" : " " + result) + (ended.empty() ? "" : ", ended " + ended + " ago");
}

// What is waited for, and whether the output is printed meanwhile: that of a job or a command is what it was
// run for, so only another format than text, another state or --detach leaves it out.
Outcome<bool> settle_wait(const Style& style, Run& o) {
  const bool job = o.spec.type == "batch" || !o.spec.command.empty();
  const bool text = is_text(style);
  if (o.attach && o.detach) return usage_failure("--attach and --detach exclude each other");
  if (o.attach && !text)
    return usage_failure("--attach prints what the session writes: there is no room for another format",
                         "leave out --output or --attach");
  const auto state = parse_wait_state(o.wait.state, job || o.attach ? "ended" : "RUNNING");
  if (!state) return state.failure();
  if (o.attach && *state != "ended")
    return usage_failure("--attach waits for the end, not for " + *state, "leave out --wait or --attach");
  o.wait.state = *state;
  o.waits = o.waits || o.attach || (job && !o.detach);
  o.wait.attach = o.attach || (job && text && !o.detach && *state == "ended");
  if (const auto timeout = parse_timeout(o.wait.timeout); !timeout) return timeout.failure();
  return true;
}

// The first few of a list of the API, "a, b"; "" if there is none, or nobody to ask.
std::string names_here(Shell& shell, const char* target, const char* key, const char* name) {
  constexpr std::size_t kNamed = 5;
  const auto api = shell.api();
  if (!api) return {};
  const auto items = get_all(**api, target, key, kNamed);
  if (!items) return {};
  std::string text;
  for (const auto& item : *items) text += (text.empty() ? "" : ", ") + text_at(item, name);
  return text;
}

// Of a bare `session run`: whoever does not know the options needs one line to begin with.
Failure nothing_asked(Shell& shell) {
  const std::string images = names_here(shell, "/v1/images", "images", "reference"),
                    presets = names_here(shell, "/v1/presets", "presets", "name");
  const std::string image = images.empty() ? "python:3.11" : images.substr(0, images.find(','));
  return usage_failure("nothing is asked for: a session needs an image, and how much CPU and memory",
                       "for example: berth session run --image " + image + " --cpu 1 --mem 512m" +
                           (images.empty() ? "" : "; images here: " + images) +
                           (presets.empty() ? "" : "; presets (--preset NAME) here: " + presets));
}

Outcome<int> run_with_input(Shell& shell, Run& o) {
  if (o.spec.command.empty())
    return usage_failure(
        "--stdin and --terminal are for a command",
        "for example: berth session run --image python:3.11 --cpu 1 --mem 256m --terminal -- "
        "python3");
  if (o.spec.count != 1 || !(o.spec.type.empty() || o.spec.type == "interactive"))
    return usage_failure("--stdin and --terminal are for one interactive session");
  if (o.waits || o.attach || o.detach || !is_text(shell.style()))
    return usage_failure("what the command writes is printed, until it has ended",
                         "leave out --wait, --attach, --detach and --output");
  const auto until = parse_timeout(o.wait.timeout);
  if (!until) return until.failure();
  InsideRun run{std::exchange(o.spec.command, {}), o.terminal, *until};
  auto body = session_body(o.spec);
  if (!body) return body.failure();
  shell.catch_signals();
  const auto api = shell.api();
  if (!api) return api.failure();
  if (const auto filled = fill_from_preset(**api, o.spec, *body); !filled) return filled.failure();
  const auto reply = having_list((*api)->post("/v1/sessions", *body), "sessions");
  if (!reply) return reply.failure();
  tell_warnings(shell, reply->body);
  const json::array sessions = array_at(reply->body, "sessions");
  return run_inside(shell, **api, sessions.empty() ? json::value() : sessions.front(), reply->position, run);
}

Outcome<int> run_sessions(Shell& shell, Run& o) {
  if (o.dry_run) return try_sessions(shell, o);
  if (o.input || o.terminal) return run_with_input(shell, o);
  if (const auto settled = settle_wait(shell.style(), o); !settled) return settled.failure();
  auto body = session_body(o.spec);
  if (!body) return body.failure();
  if (o.waits) shell.catch_signals();
  const auto api = shell.api();
  if (!api) return api.failure();
  if (const auto filled = fill_from_preset(**api, o.spec, *body); !filled) return filled.failure();
  const auto reply = having_list((*api)->post("/v1/sessions", *body), "sessions");
  if (!reply) return reply.failure();
  tell_warnings(shell, reply->body);
  for (const auto& on : array_at(reply->body, "dependencies")) shell.note(dependency_text(on, shell.now()));

  json::array sessions = array_at(reply->body, "sessions");
  int exit = kOk;
  if (o.waits) {
    std::vector<std::string> ids;
    for (const auto& session : sessions) ids.push_back(text_at(session, "id"));
    auto waited = wait_for(shell, **api, ids, o.wait, reply->position);
    if (!waited) return waited.failure();
    sessions = waited->sessions;
    exit = waited->exit;
    if (exit == kOk && o.wait.state == "ended") exit = job_exit_code(sessions);
  }
  shell.end_status();
  if (!o.wait.attach) shell.out() << print_list(sessions, session_listing(shell.now()), shell.style());
  if (o.wait.attach)
    for (const auto& session : sessions) shell.note(parting_words(session));
  return exit;
}

}  // namespace

void add_session_run(Registry& registry, CLI::App* noun, const char* name) {
  auto options = std::make_shared<Run>();
  auto* run =
      registry.verb(noun, name, "Ask for sessions: each is PENDING until there is a place, then RUNNING",
                    noun == nullptr ? std::initializer_list<const char*>{}
                                    : std::initializer_list<const char*>{"create", "start"});
  add_options(run, *options);
  registry.on(
      run,
      "  berth session run --image python:3.11 --cpu 0.5 --mem 256m --resource cuda.shares=1 --count 3 "
      "--name demo\n"
      "  berth session run --image python:3.11 --cpu 1 --mem 512m --name nb --wait --timeout 60s\n"
      "  berth session run --cpu 1 --mem 1g --cluster-size 3 --cluster-mode multi-node --name ring "
      "--image python:3.11\n"
      "  berth session run --image python:3.11 --mem 1g --role main=1,cpu=2 --role worker=4,cpu=1 --name "
      "job\n"
      "  berth session run --type batch --image python:3.11 --cpu 1 --mem 256m -- python3 -c 'print(6 * 7)'\n"
      "  berth session run --image python:3.11 --cpu 1 --mem 512m --mount data --mount models:ro --name nb\n"
      "  cat data.csv | berth session run --image python:3.11 --cpu 1 --mem 256m --stdin -- wc -l\n"
      "  berth session run --image python:3.11 --cpu 4 --mem 8g --resource cuda.shares=0.5 --dry-run\n\n"
      "An interactive session runs until it is ended; with `-- COMMAND` it runs that and ends with it. What "
      "a "
      "command or a batch job\n"
      "writes is printed, how it ended is said on stderr, and its code is the exit code, unless --detach; "
      "with -o json and its like\n"
      "it is waited for. `--wait=RUNNING` waits so far and prints nothing. Ctrl-C ends the waiting, not the "
      "sessions.",
      [options, run, &registry](Shell& shell) -> Outcome<int> {
        const auto given = run->get_options([](const CLI::Option* option) { return option->count() > 0; });
        if (given.empty() && !registry.tail_given) return nothing_asked(shell);
        options->spec.command = registry.tail;
        if (registry.tail_given && registry.tail.empty())
          return usage_failure("no command stands behind '--'");
        return run_sessions(shell, *options);
      },
      true);
}

}  // namespace berth::cli
