// berth image add
#include "events/codec/image_labels.h"
#include "ops/cli/command/pairs.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/image/oci_layout.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

struct ImageAdd {
  std::string reference, source, digest, architecture;
  std::vector<std::string> labels;
};

ExitCode exit_of_layout(const Error& error) {
  return error.code == "unknown-tag" || error.code == "unknown-architecture" ? kNotFound : kFailed;
}

// What the layout says, if it is on this machine: agents elsewhere may have one that this machine does not.
// Labels of others mean nothing to Berth, and may be of any size.
Outcome<LayoutImage> image_here(Shell& shell, const ImageAdd& o) {
  const auto source = parse_layout_source(o.source);
  if (!source) return LayoutImage{};
  auto image = read_layout_image(*source, o.architecture.empty() ? own_architecture() : o.architecture);
  if (!image && image.error().code == "layout-missing") {
    shell.note(image.error().message + ": its labels are not read");
    return LayoutImage{};
  }
  if (!image) return failure_of(image.error(), exit_of_layout(image.error()));
  std::erase_if(image->labels, [](const auto& label) { return !label.first.starts_with("berth."); });
  return std::move(*image);
}

Outcome<int> add_image(Shell& shell, const ImageAdd& o) {
  auto image = image_here(shell, o);
  if (!image) return image.failure();
  for (const auto& label : o.labels) {
    auto pair = split_pair(label, "--label", "KEY=VALUE");
    if (!pair) return pair.failure();
    image->labels[pair->key] = std::move(pair->value);
  }
  if (const auto known = parse_image_labels(image->labels); !known) return failure_of(known.error(), kUsage);
  if (!o.digest.empty()) image->digest = o.digest;
  if (!o.architecture.empty()) image->architecture = o.architecture;

  boost::json::object body{{"reference", o.reference}, {"source", o.source}};
  if (!image->digest.empty()) body["digest"] = image->digest;
  if (!image->architecture.empty()) body["architecture"] = image->architecture;
  if (!image->labels.empty()) body["labels"] = boost::json::value_from(image->labels);
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having((*api)->post("/v1/images", body), {"position"});
  if (!reply) return reply.failure();
  const auto* added = find_path(reply->body, "image");
  shell.out() << print_one(added == nullptr ? reply->body : *added, image_listing(), shell.style());
  return kOk;
}

}  // namespace

void add_image_add(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<ImageAdd>();
  auto* add =
      registry.verb(noun, "add", "Register an image; the same reference again replaces it", {"register"});
  add->add_option("REFERENCE", o->reference, "What sessions call it, like python:3.13")->required();
  add->add_option("SOURCE", o->source, "oci:/folder:tag or docker://host/name:tag")->required();
  add->add_option("--digest", o->digest, "sha256:...; default: whatever the source has")->type_name("DIGEST");
  add->add_option("--arch", o->architecture, "Architecture, like x86_64")->type_name("NAME");
  add->add_option("--label", o->labels, "Label, above the image's own; repeat it")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  registry.on(add,
              "  berth image add python:3.13 oci:/var/lib/berth/layouts/python:3.13\n"
              "  berth image add web:1 oci:/srv/layouts/web:1 --label berth.apps=web:http:8000 \\\n"
              "      --label 'berth.app.web.command=[\"python3\",\"-m\",\"http.server\"]'\n\n"
              "Digest, architecture and labels berth.* of a layout on this machine are read from it. Labels "
              "say which apps\n"
              "the image has and what memory it wants.",
              [o](Shell& shell) { return add_image(shell, *o); });
}

}  // namespace berth::cli
