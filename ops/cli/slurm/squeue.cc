// squeue: the sessions that wait or run, as jobs.
#include <algorithm>

#include "ops/cli/command/paging.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"
#include "ops/cli/slurm/fields.h"
#include "ops/cli/slurm/job_fields.h"
#include "ops/cli/slurm/slurm_times.h"
#include "ops/cli/slurm/tool_runs.h"

namespace berth::cli::slurm {
namespace {

namespace json = boost::json;

constexpr const char* kUsual = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";
constexpr const char* kLong = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R";
constexpr std::size_t kEndedMax = 10'000;  // sessions, of --states with ended ones

struct Letter {
  char letter;
  const char* title;
  const char* field;  // of job_fields.h
};
constexpr Letter kLetters[] = {{'i', "JOBID", "jobid"},
                               {'A', "JOBID", "jobid"},
                               {'j', "NAME", "jobname"},
                               {'P', "PARTITION", "partition"},
                               {'u', "USER", "user"},
                               {'a', "ACCOUNT", "account"},
                               {'t', "ST", "st"},
                               {'T', "STATE", "state"},
                               {'M', "TIME", "time"},
                               {'l', "TIME_LIMIT", "limit"},
                               {'L', "TIME_LEFT", "left"},
                               {'D', "NODES", "nodes"},
                               {'N', "NODELIST", "nodelist"},
                               {'R', "NODELIST(REASON)", "place"},
                               {'r', "REASON", "reason"},
                               {'C', "CPUS", "cpus"},
                               {'m', "MIN_MEMORY", "mem"},
                               {'b', "TRES_PER_NODE", "gres"},
                               {'V', "SUBMIT_TIME", "submit"},
                               {'S', "START_TIME", "start"},
                               {'e', "END_TIME", "end"},
                               {'Q', "PRIORITY", "priority"},
                               {'o', "COMMAND", "command"}};

bool is_on(const json::value& session, const std::vector<std::string>& agents) {
  return agents.empty() || std::ranges::any_of(array_at(session, "agents"), [&](const auto& agent) {
           return std::ranges::find(agents, scalar_text(agent)) != agents.end();
         });
}

}  // namespace

std::string squeue_letters() {
  std::string text = "Letters of --format:\n ";
  for (const auto& letter : kLetters) text += std::string(" %") + letter.letter + " " + letter.title;
  return text + "\n";
}

Outcome<int> run_squeue(Shell& shell, const Given& given) {
  std::vector<json::value> jobs;
  const auto field_of = [&](char letter) {
    const auto known = std::ranges::find(kLetters, letter, &Letter::letter);
    if (known == std::end(kLetters)) return Field{};
    Field field{.title = known->title};
    field.text = [&jobs, &shell, read = job_field(known->field)](std::size_t row) {
      return read(jobs[row], {shell.now(), shell.style().utc_offset});
    };
    return field;
  };
  const auto format = given.has("format") ? given.value("format") : given.has("long") ? kLong : kUsual;
  auto fields = parse_format_of("squeue", format, field_of);
  if (!fields) return fields.failure();
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto filter = filter_of(**api, squeue(), given, "states", "account");
  if (!filter) return filter.failure();
  const bool ended =
      std::ranges::any_of(filter->states, is_ended_state) || (given.has("states") && filter->states.empty());
  const auto sessions =
      get_all(**api, sessions_target(*filter, ended ? "all" : ""), "sessions", ended ? kEndedMax : 0);
  if (!sessions) return sessions.failure();
  const auto agents = given.list("nodelist");
  for (const auto& session : *sessions)
    if (filter->takes(session) && is_on(session, agents)) jobs.push_back(session);
  if (ended && sessions->size() == kEndedMax)
    shell.note("squeue: of the ended ones only the newest are looked at; sacct has more");
  if (given.has("long")) shell.out() << date_text(shell.now(), shell.style().utc_offset) << "\n";
  shell.out() << field_lines(std::move(*fields), jobs.size(), !given.has("noheader"));
  return kOk;
}

}  // namespace berth::cli::slurm
