// berth image
#include "ops/cli/command/registry.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

}  // namespace

void add_image_commands(Registry& registry) {
  auto* noun = registry.noun("image", "Images that kernels run", {"images"});
  auto* ls = registry.verb(noun, "ls", "List images", {"list"});
  registry.on(ls, "  berth image ls -o wide",
              [](Shell& shell) { return show_list(shell, "/v1/images", "images", image_listing(), false); });
  struct Add {
    std::string reference, source, digest, architecture;
    std::vector<std::string> labels;
  };
  auto o = std::make_shared<Add>();
  auto* add =
      registry.verb(noun, "add", "Register an image; the same reference again replaces it", {"register"});
  add->add_option("REFERENCE", o->reference, "What sessions call it, like python:3.13")->required();
  add->add_option("SOURCE", o->source, "oci:/folder:tag or docker://host/name:tag")->required();
  add->add_option("--digest", o->digest, "sha256:...; default: whatever the source has")->type_name("DIGEST");
  add->add_option("--arch", o->architecture, "Architecture, like x86_64")->type_name("NAME");
  add->add_option("--label", o->labels, "Label; repeat it")->type_name("KEY=VALUE")->allow_extra_args(false);
  registry.on(
      add, "  berth image add python:3.13 oci:/var/lib/berth/layouts/python:3.13",
      [o](Shell& shell) -> Outcome<int> {
        json::object body{{"reference", o->reference}, {"source", o->source}};
        if (!o->digest.empty()) body["digest"] = o->digest;
        if (!o->architecture.empty()) body["architecture"] = o->architecture;
        json::object labels;
        for (const auto& label : o->labels) {
          const auto equals = label.find('=');
          if (equals == std::string::npos || equals == 0)
            return usage_failure("--label '" + label.substr(0, 60) + "' is not of the form KEY=VALUE");
          labels[label.substr(0, equals)] = label.substr(equals + 1);
        }
        if (!labels.empty()) body["labels"] = std::move(labels);
        const auto api = shell.api();
        if (!api) return api.failure();
        const auto reply = having((*api)->post("/v1/images", body), {"position"});
        if (!reply) return reply.failure();
        const auto* image = find_path(reply->body, "image");
        shell.out() << print_one(image == nullptr ? reply->body : *image, image_listing(), shell.style());
        return kOk;
      });
  add_image_build(registry, noun);
  add_removal(registry, noun, "/v1/images/", "REFERENCE", "Remove an image that no live session runs",
              "  berth image rm python:3.11");
}

}  // namespace berth::cli
