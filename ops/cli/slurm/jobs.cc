#include "ops/cli/slurm/jobs.h"

#include <algorithm>

#include "events/base/uuid.h"
#include "ops/cli/command/paging.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"
#include "ops/cli/slurm/hostlist.h"

namespace berth::cli::slurm {
namespace {

namespace json = boost::json;

constexpr JobState kStates[] = {
    {"PD", "PENDING"},  {"CF", "CONFIGURING"}, {"R", "RUNNING"},    {"CG", "COMPLETING"},
    {"RQ", "REQUEUED"}, {"CD", "COMPLETED"},   {"F", "FAILED"},     {"CA", "CANCELLED"},
    {"TO", "TIMEOUT"},  {"NF", "NODE_FAIL"},   {"PR", "PREEMPTED"}, {"OOM", "OUT_OF_MEMORY"},
};
constexpr std::size_t kFirstEnded = 5;  // of kStates
enum At { kPd, kCf, kR, kCg, kRq, kCd, kF, kCa, kTo, kNf, kPr, kOom };

std::string upper_text(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

bool has_kernel_end(const json::value& session, const char* end) {
  return std::ranges::any_of(array_at(session, "kernels"),
                             [end](const auto& kernel) { return text_at(kernel, "end") == end; });
}

At ended_state(const json::value& session) {
  const std::string status = text_at(session, "status"), result = text_at(session, "result");
  const Code reason = code_at(session, "reason.code");
  if (reason == "batch-timeout" || reason == "pending-timeout") return kTo;
  if (reason == "agent-lost" || reason == "lease-over") return kNf;
  if (reason == "preempted") return kPr;
  if (status == "CANCELLED" || reason == "user-requested") return kCa;
  if (has_kernel_end(session, "OUT_OF_MEMORY")) return kOom;
  if (status == "ERROR" || result == "FAILED") return kF;
  return result == "SUCCESS" || integer_at(session, "exit_code") == 0 ? kCd : kF;
}

bool takes_one_of(const std::vector<std::string>& wanted, const std::string& text) {
  return wanted.empty() || std::ranges::find(wanted, text) != wanted.end();
}

Failure no_such_job(const char* tool, const std::string& job) {
  return {kNotFound,
          "unknown-session",
          std::string(tool) + ": no job " + job + " is there, or it is not yours to see",
          "squeue and sacct list them",
          {}};
}

}  // namespace

std::string job_number(const std::string& session_id) {
  const auto id = Uuid::parse(session_id);
  if (!id) return session_id;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 6; ++i) number = number << 8 | id->bytes[i];
  return std::to_string(number);
}

std::string job_id_of(const json::value& session) { return job_number(text_at(session, "id")); }

std::string job_name_of(const json::value& session) {
  const std::string name = text_at(session, "name"), tail = "-" + job_id_of(session);
  return name.size() > tail.size() && name.ends_with(tail) ? name.substr(0, name.size() - tail.size()) : name;
}

JobState job_state_of(const json::value& session) {
  const std::string status = text_at(session, "status");
  if (status == "PENDING" || status == "RESERVED") return kStates[kPd];
  if (status == "RUNNING") return kStates[kR];
  if (status == "TERMINATING") return kStates[kCg];
  if (status == "RESCHEDULING") return kStates[kRq];
  if (status == "TERMINATED" || status == "CANCELLED" || status == "ERROR")
    return kStates[ended_state(session)];
  return kStates[kCf];
}

Outcome<std::string> state_named(const char* tool, const std::string& text) {
  std::string known;
  for (const auto& state : kStates) {
    if (upper_text(text) == state.letters || upper_text(text) == state.name) return std::string(state.name);
    known += std::string(known.empty() ? "" : ", ") + state.name + " (" + state.letters + ")";
  }
  return usage_failure(std::string(tool) + ": '" + text.substr(0, 40) + "' is no state of a job here", known);
}

bool is_ended_state(const std::string& name) {
  return std::any_of(std::begin(kStates) + kFirstEnded, std::end(kStates),
                     [&](const JobState& state) { return name == state.name; });
}

std::string job_reason_of(const json::value& session) {
  const Code code = code_at(session, "reason.code");
  if (code.empty()) return "None";
  if (code == "no-capacity" || code == "no-device") return "Resources";
  if (code == "behind-head") return "Priority";
  if (code == "dependency") return "Dependency";
  if (code == "start-time") return "BeginTime";
  return text_at(session, "reason.code");
}

std::string place_or_reason(const json::value& session) {
  std::vector<std::string> agents;
  for (const auto& agent : array_at(session, "agents")) agents.push_back(scalar_text(agent));
  return agents.empty() ? "(" + job_reason_of(session) + ")" : hostlist(agents);
}

Duration elapsed_of(const json::value& session, Timestamp now) {
  const auto begin = parse_time(text_at(session, "scheduled_at")),
             end = parse_time(text_at(session, "ended_at"));
  return begin ? std::max<Duration>(0, (end ? *end : now) - *begin) : 0;
}

Outcome<std::string> checked_job_id(const char* tool, const std::string& text) {
  constexpr std::size_t kDigitsMax = 15;  // 48 bits
  const std::string what = std::string(tool) + ": '" + text.substr(0, 60) + "'";
  if (const auto id = Uuid::parse(text); id && !id->is_nil()) return to_string(*id);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits > 0 && digits == text.size() && digits <= kDigitsMax) return text;
  if (digits > 0 && digits < text.size() && text[digits] == '_')
    return usage_failure(what + " is of a job array, and there are none");
  if (digits > 0 && digits < text.size() && (text[digits] == '.' || text[digits] == '+'))
    return usage_failure(what + " is a step of a job, and there are none", "name the job alone");
  return usage_failure(what + " is no job's number", "squeue lists them; --name takes names");
}

bool is_job(const json::value& session, const std::string& job) {
  return job == text_at(session, "id") || job == job_id_of(session);
}

Outcome<std::vector<json::value>> find_jobs(Api& api, const char* tool,
                                            const std::vector<std::string>& jobs) {
  constexpr int kPagesMax = 100;  // of 1,000 sessions, the newest
  std::vector<json::value> found(jobs.size());
  std::size_t missing = jobs.size();
  std::string token;
  for (int page = 0; page < kPagesMax && missing > 0; ++page) {
    const auto reply = having_list(
        api.get(with_query("/v1/sessions", {{"state", "all"}, {"limit", "1000"}, {"page_token", token}})),
        "sessions");
    if (!reply) return reply.failure();
    for (const auto& session : array_at(reply->body, "sessions"))
      for (std::size_t i = 0; i < jobs.size(); ++i)
        if (found[i].is_null() && is_job(session, jobs[i])) found[i] = session, --missing;
    token = text_at(reply->body, "next_page_token");
    if (token.empty()) break;
  }
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (found[i].is_null()) return no_such_job(tool, jobs[i]);
  return found;
}

bool JobFilter::takes(const json::value& session) const {
  return takes_one_of(users, text_at(session, "owner.user")) &&
         takes_one_of(partitions, text_at(session, "group")) &&
         takes_one_of(accounts, text_at(session, "owner.project")) &&
         (names.empty() || takes_one_of(names, job_name_of(session)) ||
          takes_one_of(names, text_at(session, "name"))) &&
         takes_one_of(states, job_state_of(session).name) &&
         (jobs.empty() || std::ranges::any_of(jobs, [&](const auto& job) { return is_job(session, job); }));
}

Outcome<JobFilter> filter_of(Api& api, const Tool& tool, const Given& given, const char* state,
                             const char* account) {
  // `scancel --user=$NOBODY` with an unset variable must not mean everybody.
  for (const char* list : {"user", "partition", "name", "jobs", account, state})
    if (given.has(list) && given.list(list).empty())
      return usage_failure(std::string(tool.name) + ": --" + list + " names nothing");
  JobFilter filter{
      given.list("user"), given.list("partition"), given.list("name"), given.list(account), {}, {}};
  if (given.has("me")) {
    const auto me = having(api.get("/v1/whoami"), {"user"});
    if (!me) return me.failure();
    filter.users.push_back(text_at(me->body, "user"));
  }
  for (const auto& text : given.list(state)) {
    if (upper_text(text) == "ALL" && tool.name == std::string("squeue")) continue;
    const auto name = state_named(tool.name, text);
    if (!name) return name.failure();
    filter.states.push_back(*name);
  }
  for (const auto& text : given.list("jobs")) {
    const auto job = checked_job_id(tool.name, text);
    if (!job) return job.failure();
    filter.jobs.push_back(*job);
  }
  return filter;
}

std::string sessions_target(const JobFilter& filter, const std::string& state, const std::string& since) {
  const auto only = [](const std::vector<std::string>& one) {
    return one.size() == 1 ? one[0] : std::string();
  };
  return with_query(
      "/v1/sessions",
      {{"state", state}, {"user", only(filter.users)}, {"group", only(filter.partitions)}, {"since", since}});
}

}  // namespace berth::cli::slurm
