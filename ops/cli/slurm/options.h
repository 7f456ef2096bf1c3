// Options of Slurm's commands, of their command lines and of #SBATCH lines. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ops/cli/exit_code.h"

namespace berth::cli::slurm {

struct Option {
  char letter;          // '\0': it has none
  const char* name;     // without its "--"
  const char* metavar;  // nullptr: it takes no value
  const char* about;
};

// An option of Slurm's that is not taken, and why not.
struct Refusal {
  char letter;
  const char* name;
  const char* why;
};

struct Tool {
  const char* name;
  const char* about;
  const char* words;  // behind the options; "": none
  std::vector<Option> options;
  std::vector<Refusal> refusals;
};

struct Given {
  std::map<std::string, std::string> values;  // by the option's name; a flag's is empty
  std::vector<std::string> rest;              // words that are no options

  bool has(const std::string& name) const { return values.contains(name); }
  std::string value(const std::string& name) const {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  }
  // "a,b" of an option: its parts; none of one that was not given.
  std::vector<std::string> list(const std::string& name) const;
};

// As getopt_long() reads them: "-u alice", "-ualice", "-hl", "--user=alice", "--user alice"; the last one
// counts. `rest_follows`: the first word that is no option, and all behind it, are the program's own.
// Failures: usage; an option that is refused or unknown is named.
Outcome<Given> read_options(const Tool& tool, const std::vector<std::string>& words, bool rest_follows);

// The parts of "a,b"; empty ones are left out.
std::vector<std::string> parts_of(const std::string& list, char between = ',');

// "  -u, --user=LIST     Only of these users", a line an option, and below them a line each that is refused.
std::string options_text(const Tool& tool);

}  // namespace berth::cli::slurm
