#include "ops/cli/login/given_password.h"

namespace berth::cli {

void add_password_option(CLI::App* command, bool& from_stdin) {
  command->add_flag("--password-stdin", from_stdin, "Read the password from standard input, its first line");
}

Outcome<std::string> given_password(Shell& shell, bool from_stdin, const std::string& prompt) {
  if (!from_stdin) {
    auto typed = shell.world().ask_secret(prompt);
    if (!typed) return failure_of(typed.error());
    if (!typed->empty()) return *typed;
    return usage_failure("no password was given");
  }
  const std::string text = shell.world().read_file("-").value_or("");
  std::string line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty())
    return usage_failure("standard input has no password", "berth ... --password-stdin < FILE");
  return line;
}

}  // namespace berth::cli
