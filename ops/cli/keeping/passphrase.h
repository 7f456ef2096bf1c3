// The passphrase of a backup's secrets: of a private file, or of the terminal.
#pragma once

#include <string>

#include <CLI/App.hpp>

#include "ops/cli/shell.h"

namespace berth::cli {

void add_passphrase_option(CLI::App* command, std::string& file);
// `anew`: it is chosen now, so it is asked twice and has a shortest length. Failures: usage,
// passphrase-short, no-terminal, and those of read_private_file().
Outcome<std::string> given_passphrase(Shell& shell, const std::string& file, bool anew);

}  // namespace berth::cli
