// sbatch's options as those of a batch session. Pure.
#pragma once

#include "ops/cli/output/times.h"
#include "ops/cli/session/session_spec.h"
#include "ops/cli/settings.h"
#include "ops/cli/slurm/batch_script.h"
#include "ops/cli/slurm/options.h"

namespace berth::cli::slurm {

// Around a submission: what options stand for there.
struct Submission {
  std::string session_id;              // a UUID
  std::string user;                    // for %u
  std::string script_name;             // "job.sh"; "wrap", "sbatch" where there is no file
  std::vector<std::string> arguments;  // of the script
  Timestamp now = 0;
  UtcOffset utc_offset;
  Environment environment;
};

// `given`: of the script and the command line together. Failures: usage. Left out: --dependency.
Outcome<RunOptions> batch_request(const Given& given, const BatchScript& script,
                                  const Submission& submission);

// "afterok:4711:4712,afterok:4713": the numbers. Failures: usage.
Outcome<std::vector<std::string>> dependencies_of(const std::string& text);
// "out-%j.txt" with the job's number, name and user. Failures: usage (another pattern).
Outcome<std::string> file_named(const std::string& pattern, const std::string& job, const std::string& name,
                                const std::string& user);

}  // namespace berth::cli::slurm
