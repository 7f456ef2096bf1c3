// Questions about the tree of commands: what is unknown in a command line, what could come next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "ops/cli/exit_code.h"

namespace berth::cli {

// The command that the words lead to, and how many positional arguments stand behind it.
struct Reached {
  const CLI::App* command = nullptr;
  std::string path;                   // "session run " with a space behind each
  std::vector<std::string> rest;      // positional arguments
  const CLI::Option* open = nullptr;  // the last word was an option that still wants its value
  std::string stranger;               // first word at a place where only commands may stand that is none
};
Reached walk(const CLI::App& root, const std::vector<std::string>& words);

// A usage failure with "did you mean" for the first word that is no command, or option that is no option;
// nullopt if all are.
std::optional<Failure> find_unknown(const CLI::App& root, const std::vector<std::string>& words);
std::string command_path(const CLI::App& root, const std::vector<std::string>& words);

// Names of the verbs (aliases left out) and of the options (long, else short) of a command, with those of the
// root.
std::vector<std::string> verbs_of(const CLI::App& command);
std::vector<std::string> options_of(const CLI::App& root, const CLI::App& command);

}  // namespace berth::cli
