// `berth slurm`: Slurm's own commands over Berth, for hands and scripts that know them.
#pragma once

#include <string>
#include <vector>

#include "ops/cli/command/registry.h"

namespace berth::cli::slurm {

// Takes what stands behind "slurm squeue" out of `words`, as it stands: it is read by Slurm's rules, not by
// Berth's. False: no such words are there. "--help" behind them stays, when it is the first.
bool take_words(std::vector<std::string>& words, std::vector<std::string>& taken);

// The words of a program that was called as squeue, sinfo, sbatch, scancel or sacct (a link to `berth`), else
// as they are.
std::vector<std::string> as_called(const std::string& program, std::vector<std::string> words);

}  // namespace berth::cli::slurm

namespace berth::cli {
void add_slurm_commands(Registry& registry);
}  // namespace berth::cli
