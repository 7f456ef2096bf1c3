// Searches in the tree of commands: unknown words of a command line, and possible next words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "ops/cli/exit_code.h"

namespace berth::cli {

// The command that the words lead to, and the positional arguments behind it.
struct Reached {
  const CLI::App* command = nullptr;
  std::string path;                   // "session run " with a space behind each
  std::vector<std::string> rest;      // positional arguments
  const CLI::Option* open = nullptr;  // the last word was an option that still wants its value
  std::string stranger;               // first word that is no command although only commands may stand there
};
Reached walk(const CLI::App& root, const std::vector<std::string>& words);

// The option that "--name", "--name=value" or "-n" stands for, of the command, those above it or the root;
// nullptr if there is none.
const CLI::Option* find_option(const CLI::App* command, const std::string& word);

// A usage failure with "did you mean" for the first unknown command or option; nullopt if there is none.
std::optional<Failure> find_unknown(const CLI::App& root, const std::vector<std::string>& words);
std::string command_path(const CLI::App& root, const std::vector<std::string>& words);

// Names of the verbs (aliases left out) and of the options (long, else short) of a command, with those of the
// root.
std::vector<std::string> verbs_of(const CLI::App& command);
std::vector<std::string> options_of(const CLI::App& root, const CLI::App& command);

}  // namespace berth::cli
