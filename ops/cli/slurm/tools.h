// The commands of Slurm that `berth slurm` has, with the options that each takes and refuses.
#pragma once

#include "ops/cli/slurm/options.h"

namespace berth::cli::slurm {

const Tool& squeue();
const Tool& sinfo();
const Tool& sbatch();
const Tool& scancel();
const Tool& sacct();

// The tool of that name, which may be a path ("/usr/bin/squeue"); nullptr if there is none.
const Tool* find_tool(const std::string& name);

}  // namespace berth::cli::slurm
