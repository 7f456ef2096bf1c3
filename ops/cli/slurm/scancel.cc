// scancel: ends sessions.
#include <algorithm>

#include "ops/cli/command/paging.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/slurm/tool_runs.h"

namespace berth::cli::slurm {
namespace {

namespace json = boost::json;

constexpr std::size_t kAtOnce = 10'000;  // of POST /v1/sessions/terminate

// The jobs that are named and not live, told like Slurm does; whether there are any.
bool tell_missing(Shell& shell, const std::vector<std::string>& jobs, const std::vector<json::value>& live,
                  bool quiet) {
  bool any = false;
  for (const auto& job : jobs) {
    if (std::ranges::any_of(live, [&](const auto& session) { return is_job(session, job); })) continue;
    any = true;
    if (!quiet)
      shell.err() << "scancel: error: Kill job error on job id " << job
                  << ": no such job of yours waits or runs\n";
  }
  return any;
}

// Whether all of them end. Failures: those of a POST.
Outcome<bool> end_all(Shell& shell, Api& api, const std::vector<json::value>& live, const Given& given) {
  bool all = true;
  for (std::size_t begin = 0; begin < live.size(); begin += kAtOnce) {
    json::array ids;
    const std::size_t end = std::min(begin + kAtOnce, live.size());
    for (std::size_t i = begin; i < end; ++i) ids.emplace_back(text_at(live[i], "id"));
    const auto reply =
        having_list(api.post("/v1/sessions/terminate", json::object{{"ids", std::move(ids)}}), "results");
    if (!reply) return reply.failure();
    for (const auto& result : array_at(reply->body, "results")) {
      const std::string job = job_number(text_at(result, "id"));
      if (text_at(result, "outcome") == "unknown") {
        all = false;
        shell.err() << "scancel: error: Kill job error on job id " << job << ": you may not end it\n";
      } else if (given.has("verbose")) {
        shell.err() << "scancel: Terminating job " << job << "\n";
      }
    }
  }
  return all;
}

}  // namespace

Outcome<int> run_scancel(Shell& shell, const Given& given) {
  std::vector<std::string> jobs;
  for (const auto& word : given.rest)
    for (const auto& text : parts_of(word)) {
      const auto job = checked_job_id("scancel", text);
      if (!job) return job.failure();
      jobs.push_back(*job);
    }
  const bool narrowed = std::ranges::any_of(
      given.values, [](const auto& option) { return option.first != "quiet" && option.first != "verbose"; });
  if (jobs.empty() && !narrowed)
    return usage_failure("scancel: which jobs?",
                         "name their numbers, or --user, --name, --partition, --state, --me");
  const auto api = shell.api();
  if (!api) return api.failure();
  auto filter = filter_of(**api, scancel(), given, "state", "account");
  if (!filter) return filter.failure();
  filter->jobs = jobs;
  const auto sessions = get_all(**api, sessions_target(*filter, ""), "sessions");
  if (!sessions) return sessions.failure();
  std::vector<json::value> live;
  for (const auto& session : *sessions)
    if (filter->takes(session)) live.push_back(session);
  const bool missing = tell_missing(shell, jobs, live, given.has("quiet"));
  const auto ended = end_all(shell, **api, live, given);
  if (!ended) return ended.failure();
  if (!*ended) return kDenied;
  return missing && !given.has("quiet") ? kNotFound : kOk;
}

}  // namespace berth::cli::slurm
