// berth context ls|use
#include "ops/cli/command/registry.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

Outcome<int> list(Shell& shell) {
  const auto contexts = shell.contexts();
  if (!contexts) return contexts.failure();
  json::array rows;
  for (const auto& [name, context] : contexts->all)
    rows.push_back(json::object{{"name", name},
                                {"current", name == contexts->current},
                                {"endpoint", context.endpoint},
                                {"user", context.user},
                                {"key", context.access_key},
                                {"expires_at", context.expires_at}});
  Listing listing;
  listing.columns = {column("NAME", "name"), column("CURRENT", "current"),    column("ENDPOINT", "endpoint"),
                     column("USER", "user"), column("EXPIRES", "expires_at"), column("KEY", "key", true)};
  shell.out() << print_list(rows, listing, shell.style());
  return kOk;
}

Outcome<int> use(Shell& shell, const std::string& name) {
  auto contexts = shell.contexts();
  if (!contexts) return contexts.failure();
  if (!contexts->all.contains(name))
    return usage_failure("there is no context '" + name + "'", "berth context ls");
  contexts->current = name;
  if (const auto kept = shell.keep(*contexts); !kept) return kept.failure();
  shell.out() << name << "\n";
  return kOk;
}

}  // namespace

void add_context_commands(Registry& registry) {
  auto* noun = registry.noun("context", "The servers that you logged in to");
  auto* ls = registry.verb(noun, "ls", "All of them", {"list"});
  registry.on(ls, "  berth context ls", [](Shell& shell) { return list(shell); });
  auto name = std::make_shared<std::string>();
  auto* chosen = registry.verb(noun, "use", "Make one the current one");
  chosen->add_option("NAME", *name, "Of `berth context ls`")->required();
  registry.on(chosen, "  berth context use 127.0.0.1:7410",
              [name](Shell& shell) { return use(shell, *name); });
}

}  // namespace berth::cli
