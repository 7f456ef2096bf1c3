// berth image build
#include "events/base/plain_text.h"
#include "events/base/text.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/image/find_builder.h"
#include "ops/cli/image/image_build.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

constexpr std::size_t kBuilderNameBytesMax = 64;

struct Asked {
  std::string name, builder;
  bool wait = false;
  bool end_with_input = false;
};

// By which the cluster knows the builder that goes on: the same after a restart, and another elsewhere.
std::string name_of_builder(const World& world) {
  const std::string host = world.host_name();
  return has_control_character(host) ? std::string() : clipped(host, kBuilderNameBytesMax - 3);
}

Outcome<int> build_image(Shell& shell, const Asked& o) {
  auto builder = find_image_builder(shell, o.builder);
  if (!builder) return builder.failure();
  BuildAim aim;
  aim.name = o.name;
  aim.builder = std::move(*builder);
  aim.lock = shell.world().image_build_lock;
  if (const auto set = shell.settings().get("image.build_lock")) aim.lock = set->value;
  aim.host = name_of_builder(shell.world());
  aim.wait = o.wait;
  if (o.end_with_input) aim.input = shell.world().descriptors.in;
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto images = ImageBuild(shell, **api, std::move(aim)).run();
  if (!images) return images.failure();
  for (const auto& image : *images) shell.out() << print_one(image, image_listing(), shell.style());
  return kOk;
}

}  // namespace

void add_image_build(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Asked>();
  auto* build = registry.verb(noun, "build", "Build an image on this machine and register it");
  build->add_option("NAME", o->name, "What the builder is to make, like jupyter")
      ->required()
      ->check(not_empty());
  build
      ->add_option("--builder", o->builder,
                   "Program that makes it (default ops/images/build of this program's repository)")
      ->type_name("PROGRAM");
  build->add_flag("--wait-turn", o->wait, "Wait where this machine is building another image");
  build->add_flag("--end-with-input", o->end_with_input)
      ->group("");  // of `berth up`: it ends with its parent
  registry.on(build,
              "  berth image build jupyter\n"
              "  berth image build python:3.13\n\n"
              "To be run on the machine of the agents, as root: the image lies in a folder of this machine. "
              "Sessions that\n"
              "ask for it meanwhile wait (image-building) and start by themselves. The builder's words go to "
              "stderr. One\n"
              "image is built at a time. Ctrl-C ends the builder. What a builder is to print: "
              "ops/images/README.md.",
              [o](Shell& shell) { return build_image(shell, *o); });
}

}  // namespace berth::cli
