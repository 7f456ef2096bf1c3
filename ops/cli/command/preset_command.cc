// berth preset, and berth resource presets
#include "ops/cli/command/pairs.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// What is printed of a check: the presets; everything with -o json or yaml.
std::string report_of(const json::value& report, const Style& style) {
  if (style.format == Format::kJson || style.format == Format::kYaml)
    return print_one(report, preset_listing(), style);
  return print_list(array_at(report, "presets"), preset_listing(), style);
}

}  // namespace

void add_preset_check(Registry& registry, CLI::App* resource) {
  struct Check {
    std::string group, user;
  };
  auto o = std::make_shared<Check>();
  auto* check = registry.verb(resource, "presets",
                              "Which presets you could start now in a resource group, and what is left");
  check->add_option("-g,--group", o->group, "Resource group (default: default)")->type_name("GROUP");
  check->add_option("-u,--user", o->user, "Of another user (superadmin)")->type_name("USER");
  registry.on(check, "  berth resource presets --group gpu\n  berth resource presets -o json",
              [o](Shell& shell) -> Outcome<int> {
                const auto api = shell.api();
                if (!api) return api.failure();
                const auto target =
                    with_query("/v1/resource/check-presets", {{"group", o->group}, {"user", o->user}});
                const auto reply = having_list((*api)->get(target), "presets");
                if (!reply) return reply.failure();
                shell.out() << report_of(reply->body, shell.style());
                return kOk;
              });
}

void add_preset_commands(Registry& registry) {
  auto* noun = registry.noun("preset", "Named amounts to choose from", {"presets"});
  auto* ls = registry.verb(noun, "ls", "List presets; `berth resource presets` says which could start now",
                           {"list"});
  registry.on(ls, "  berth preset ls", [](Shell& shell) {
    return show_list(shell, "/v1/presets", "presets", preset_listing(), false);
  });
  struct Set {
    std::string name, shm;
    std::vector<std::string> resources;
  };
  auto o = std::make_shared<Set>();
  auto* set = registry.verb(noun, "set", "Define a preset; the same name again replaces it", {"define"});
  set->add_option("NAME", o->name, "Its name")->required();
  set->add_option("-r,--resource", o->resources, "Amount of a slot, like cpu=2; repeat it")
      ->type_name("SLOT=AMOUNT")
      ->required()
      ->allow_extra_args(false);
  set->add_option("--shm", o->shm, "Size of /dev/shm")->type_name("BYTES");
  registry.on(set, "  berth preset set small -r cpu=1 -r mem=2g", [o](Shell& shell) -> Outcome<int> {
    json::object body{{"name", o->name}}, resources;
    for (const auto& text : o->resources) {
      const auto pair = split_pair(text, "--resource", "SLOT=AMOUNT, like cpu=2");
      if (!pair) return pair.failure();
      resources[pair->key] = pair->value;
    }
    body["resources"] = std::move(resources);
    if (!o->shm.empty()) body["shm"] = o->shm;
    const auto api = shell.api();
    if (!api) return api.failure();
    const auto reply = having((*api)->post("/v1/presets", body), {"position"});
    if (!reply) return reply.failure();
    const auto* preset = find_path(reply->body, "preset");
    shell.out() << print_one(preset == nullptr ? reply->body : *preset, preset_listing(), shell.style());
    return kOk;
  });
  add_removal(registry, noun, "/v1/presets/", "NAME", "Remove a preset", "  berth preset rm small");
}

}  // namespace berth::cli
