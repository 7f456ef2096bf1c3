// A password as commands get it: typed, or the first line of standard input. Never a word of the command
// line, which others on the machine can see.
#pragma once

#include <string>

#include "ops/cli/command/registry.h"

namespace berth::cli {

// "--password-stdin"
void add_password_option(CLI::App* command, bool& from_stdin);
// Failures: usage (nothing was given), failed (no terminal).
Outcome<std::string> given_password(Shell& shell, bool from_stdin, const std::string& prompt);

}  // namespace berth::cli
