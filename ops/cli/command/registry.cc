#include "ops/cli/command/registry.h"

namespace berth::cli {

CLI::App* Registry::noun(const char* name, const char* about, std::initializer_list<const char*> aliases) {
  CLI::App* app = root.add_subcommand(name, about);
  for (const char* alias : aliases) app->alias(alias);
  app->require_subcommand(1);
  app->footer("`berth " + std::string(name) + " VERB --help` has examples.\n\n" + kExitCodeHelp);
  return app;
}

CLI::App* Registry::verb(CLI::App* noun, const char* name, const char* about,
                         std::initializer_list<const char*> aliases) {
  CLI::App* app = (noun == nullptr ? &root : noun)->add_subcommand(name, about);
  for (const char* alias : aliases) app->alias(alias);
  return app;
}

void Registry::on(CLI::App* command, const char* examples, Action action, bool takes_tail) {
  command->footer("Examples:\n" + std::string(examples) + "\n\n" + kExitCodeHelp);
  command->final_callback([this, command, action = std::move(action), takes_tail] {
    if (!command->get_subcommands().empty()) return;  // one below it was said, and has chosen
    chosen = action;
    tail_taken = takes_tail;
  });
}

CLI::Validator one_of(std::vector<std::string> words) {
  CLI::Validator validator = CLI::IsMember(std::move(words));
  validator.description("");
  return validator;
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) {
        return text.empty() ? std::string("an empty text says nothing") : std::string();
      },
      "");
}

void add_removal(Registry& registry, CLI::App* noun, const char* path, const char* metavar, const char* about,
                 const char* example) {
  auto name = std::make_shared<std::string>();
  auto* rm = registry.verb(noun, "rm", about, {"delete"});
  rm->add_option(metavar, *name, "Its name, which is never given again")->required();
  registry.on(rm, example, [name, path = std::string(path)](Shell& shell) -> Outcome<int> {
    const auto api = shell.api();
    if (!api) return api.failure();
    const auto reply = (*api)->remove(path + percent_encoded(*name));
    if (!reply) return reply.failure();
    shell.out() << *name << "\n";
    return kOk;
  });
}

}  // namespace berth::cli
