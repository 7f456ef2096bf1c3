#include "ops/cli/keeping/passphrase.h"

#include "events/base/files/private_files.h"
#include "ops/cli/keeping/secrets_box.h"

namespace berth::cli {
namespace {

Outcome<std::string> of_file(const std::string& path) {
  auto text = read_private_file(path, "passphrase-file", "make it with mode 0600");
  if (!text) return failure_of(text.error());
  return text->substr(0, text->find('\n'));
}

Outcome<std::string> of_terminal(Shell& shell, bool anew) {
  auto typed = shell.world().ask_secret("Passphrase of the backup: ");
  if (!typed) return failure_of(typed.error());
  if (!anew) return *typed;
  const auto again = shell.world().ask_secret("Passphrase again: ");
  if (!again) return failure_of(again.error());
  if (*again != *typed) return usage_failure("the passphrases differ");
  return *typed;
}

}  // namespace

void add_passphrase_option(CLI::App* command, std::string& file) {
  command
      ->add_option("--passphrase-file", file,
                   "First line of a file that is yours alone (default: asked on the terminal)")
      ->type_name("FILE");
}

Outcome<std::string> given_passphrase(Shell& shell, const std::string& file, bool anew) {
  auto passphrase = file.empty() ? of_terminal(shell, anew) : of_file(file);
  if (!passphrase || !anew || passphrase->size() >= kPassphraseMin) return passphrase;
  return Failure{kUsage,
                 "passphrase-short",
                 "the passphrase has less than " + std::to_string(kPassphraseMin) + " characters",
                 "who has the backup can try passphrases for as long as they like",
                 {}};
}

}  // namespace berth::cli
