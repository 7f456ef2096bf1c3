// Sessions as Slurm's jobs: their numbers, names, states and reasons. Pure but for find_jobs().
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "ops/cli/shell.h"
#include "ops/cli/slurm/options.h"

namespace berth::cli::slurm {

// A job's number: the first 48 bits of the session's id, in decimal; so each session has one, and scripts
// that look for digits find them. Of what is no UUID: the text itself.
std::string job_number(const std::string& session_id);
std::string job_id_of(const boost::json::value& session);
// The name without the "-NUMBER" that sbatch puts behind it, so that one script can run twice at a time.
std::string job_name_of(const boost::json::value& session);

struct JobState {
  const char* letters;  // "PD"
  const char* name;     // "PENDING"
};
JobState job_state_of(const boost::json::value& session);
// Of a text like "pd" or "Running". Failures: usage, naming those that there are.
Outcome<std::string> state_named(const char* tool, const std::string& text);
bool is_ended_state(const std::string& name);

// "Resources", "Priority", "Dependency", "BeginTime": as Slurm has them; else Berth's own code.
std::string job_reason_of(const boost::json::value& session);
// Where it runs as a hostlist, or in parentheses why it does not.
std::string place_or_reason(const boost::json::value& session);
// Between its place and its end, or `now`; 0: it has none yet.
Duration elapsed_of(const boost::json::value& session, Timestamp now);

// "4711" or a session's id. Failures: usage; steps ("4711.0") and arrays ("4711_1") are named.
Outcome<std::string> checked_job_id(const char* tool, const std::string& text);
bool is_job(const boost::json::value& session, const std::string& job);
// The sessions of these jobs, in their order: the newest that began with that number. Failures: those of a
// GET; not-found, naming the first that is not there.
Outcome<std::vector<boost::json::value>> find_jobs(Api& api, const char* tool,
                                                   const std::vector<std::string>& jobs);

// What --user, --partition, --name, --account, --states and --jobs leave.
struct JobFilter {
  std::vector<std::string> users, partitions, names, accounts, states, jobs;
  bool takes(const boost::json::value& session) const;
};
// `state` and `account`: the names of these options, which differ. Failures: usage, those of GET /v1/whoami.
Outcome<JobFilter> filter_of(Api& api, const Tool& tool, const Given& given, const char* state,
                             const char* account);
// The query of the list that has them.
std::string sessions_target(const JobFilter& filter, const std::string& state, const std::string& since = {});

}  // namespace berth::cli::slurm
