// What each of Slurm's commands does once its options are read; and how their help goes on.
#pragma once

#include "ops/cli/shell.h"
#include "ops/cli/slurm/jobs.h"
#include "ops/cli/slurm/tools.h"

namespace berth::cli::slurm {

// The exit code, or the failure.
Outcome<int> run_squeue(Shell& shell, const Given& given);
Outcome<int> run_sinfo(Shell& shell, const Given& given);
Outcome<int> run_sbatch(Shell& shell, const Given& given);
Outcome<int> run_scancel(Shell& shell, const Given& given);
Outcome<int> run_sacct(Shell& shell, const Given& given);

std::string squeue_letters();
std::string sinfo_letters();
std::string sacct_fields();

}  // namespace berth::cli::slurm
