// sbatch: asks for a batch session that runs a script.
#include "ops/cli/command/wait.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/table.h"
#include "ops/cli/slurm/batch_request.h"
#include "ops/cli/slurm/tool_runs.h"

namespace berth::cli::slurm {
namespace {

namespace json = boost::json;

struct Submitted {
  std::string name;  // of the file; what --wrap and stdin are called
  BatchScript script;
};

Outcome<Submitted> read_submitted(Shell& shell, const Given& given) {
  if (given.has("wrap")) {
    if (!given.rest.empty())
      return usage_failure("sbatch: --wrap stands for a script: there is no room for another");
    if (given.value("wrap").size() > kScriptMax / 2)
      return usage_failure("sbatch: --wrap is too long for a command");
    return Submitted{"wrap", wrapped_script(given.value("wrap"))};
  }
  const std::string path = given.rest.empty() ? "-" : given.rest[0];
  const auto text = shell.world().read_file(path);
  if (!text) return usage_failure("sbatch: the script " + path + " cannot be read");
  const std::string name = path == "-" ? "sbatch" : path.substr(path.rfind('/') + 1);
  auto script = read_batch_script(path == "-" ? "stdin" : path, *text);
  if (!script) return script.failure();
  for (const int line : script->ignored)
    shell.note("sbatch: " + path + ":" + std::to_string(line) +
               ": this #SBATCH line stands behind the first command, and says nothing");
  return Submitted{name, std::move(*script)};
}

// The command line counts before the script; what excludes each other, too.
Given both(const Given& given, const BatchScript& script) {
  Given all = given;
  for (const auto& [option, value] : script.values) {
    const bool is_opposite = (option == "requeue" && given.has("no-requeue")) ||
                             (option == "no-requeue" && given.has("requeue")) ||
                             (option == "mem" && given.has("mem-per-cpu")) ||
                             (option == "mem-per-cpu" && given.has("mem"));
    if (!is_opposite) all.values.emplace(option, value);
  }
  return all;
}

Outcome<json::value> body_of(Shell& shell, Api& api, const Given& given, const Submitted& submitted,
                             const std::string& session_id) {
  Submission submission{
      session_id, {}, submitted.name, {}, shell.now(), shell.style().utc_offset, shell.world().environment};
  if (!given.rest.empty()) submission.arguments.assign(given.rest.begin() + 1, given.rest.end());
  if ((given.value("output") + given.value("error")).find("%u") != std::string::npos) {
    const auto me = having(api.get("/v1/whoami"), {"user"});
    if (!me) return me.failure();
    submission.user = text_at(me->body, "user");
  }
  const auto run = batch_request(given, submitted.script, submission);
  if (!run) return run.failure();
  auto body = session_body(*run);
  if (!body) return body.failure();
  body->as_object()["session_ids"] = json::array{json::string(session_id)};
  const auto jobs = dependencies_of(given.value("dependency"));
  if (!jobs) return jobs.failure();
  if (jobs->empty()) return body;
  const auto found = find_jobs(api, "sbatch: --dependency", *jobs);
  if (!found) return found.failure();
  json::array ids;
  for (const auto& job : *found) ids.emplace_back(text_at(job, "id"));
  body->as_object()["depends_on"] = std::move(ids);
  return body;
}

}  // namespace

Outcome<int> run_sbatch(Shell& shell, const Given& command_line) {
  const auto submitted = read_submitted(shell, command_line);
  if (!submitted) return submitted.failure();
  const Given given = both(command_line, submitted->script);
  if (given.has("wait")) shell.catch_signals();
  if (given.has("quiet")) shell.be_quiet();
  const auto api = shell.api();
  if (!api) return api.failure();
  const std::string session_id = shell.world().new_key();
  const auto body = body_of(shell, **api, given, *submitted, session_id);
  if (!body) return body.failure();
  const auto reply = having_list((*api)->post("/v1/sessions", *body), "sessions");
  if (!reply) return reply.failure();
  const std::string job = job_number(session_id);
  if (!given.has("quiet"))
    for (const auto& warning : array_at(reply->body, "warnings"))
      shell.err() << "sbatch: warning: " << printable(scalar_text(warning)) << "\n";
  if (given.has("parsable"))
    shell.out() << job << "\n";
  else if (!given.has("quiet"))
    shell.out() << "Submitted batch job " << job << "\n";
  if (!given.has("wait")) return kOk;
  shell.out().flush();
  auto waited = wait_for(shell, **api, {session_id}, {"ended", ""}, reply->position);
  if (!waited) return waited.failure();
  shell.end_status();
  return waited->exit == kOk ? job_exit_code(waited->sessions) : waited->exit;
}

}  // namespace berth::cli::slurm
