// A batch script as sbatch reads it: its interpreter and its #SBATCH lines. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ops/cli/exit_code.h"

namespace berth::cli::slurm {

inline constexpr std::size_t kScriptMax =
    120'000;  // bytes: it travels as one argument of the kernel's program

struct BatchScript {
  std::string text = {};
  std::string interpreter = {}, argument = {};     // of "#!/usr/bin/env bash"; the argument may be empty
  std::map<std::string, std::string> values = {};  // options of its #SBATCH lines, by name
  std::vector<int> ignored = {};                   // numbers of #SBATCH lines behind the first command
};

// `name`: for messages ("job.sh:3: ..."). Failures: usage: no "#!", an empty or large script, DOS line ends,
// a NUL, an option in a #SBATCH line that is unknown, refused or has a wrong form.
Outcome<BatchScript> read_batch_script(const std::string& name, const std::string& text);
// The script of --wrap.
BatchScript wrapped_script(const std::string& command);

// The words of a #SBATCH line: at blanks, but in quotes; a word that begins with "#" ends them. Failure:
// usage (a quote without its end).
Outcome<std::vector<std::string>> words_of_line(const std::string& line);

}  // namespace berth::cli::slurm
