// berth image
#include "ops/cli/command/registry.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/views.h"

namespace berth::cli {

void add_image_commands(Registry& registry) {
  auto* noun = registry.noun("image", "Images that kernels run", {"images"});
  auto* ls = registry.verb(noun, "ls", "List images", {"list"});
  registry.on(ls, "  berth image ls -o wide",
              [](Shell& shell) { return show_list(shell, "/v1/images", "images", image_listing(), false); });
  add_image_add(registry, noun);
  add_image_build(registry, noun);
  add_removal(registry, noun, "/v1/images/", "REFERENCE", "Remove an image that no live session runs",
              "  berth image rm python:3.11");
}

}  // namespace berth::cli
