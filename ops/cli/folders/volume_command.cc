// berth volume
#include "ops/cli/command/registry.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/folder_view.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {

void add_volume_ls(Registry& registry, CLI::App* noun, const char* name) {
  auto* ls =
      registry.verb(noun, name, "List the volumes on which folders lie, and the agents that have them");
  registry.on(ls, "  berth volume ls\n  berth folder volumes -o json", [](Shell& shell) {
    return show_or_watch(shell, false, "/v1/volumes", "items", [&shell](const ApiReply& reply) {
      return print_list(array_at(reply.body, "items"), volume_listing(), shell.style());
    });
  });
}

void add_volume_commands(Registry& registry) {
  add_volume_ls(registry, registry.noun("volume", "Volumes: where folders lie", {"volumes"}), "ls");
}

}  // namespace berth::cli
