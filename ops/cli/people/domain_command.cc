// berth domain
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/people/people.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct DomainWords {
  std::string name, display_name, reason;
};

std::string domain_path(const std::string& domain) { return "/v1/domains/" + percent_encoded(domain); }

void add_domain_add(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<DomainWords>();
  auto* add = registry.verb(noun, "add", "Make a domain", {"create"});
  add->add_option("NAME", o->name, "What it is called from now on")->required();
  add->add_option("--display-name", o->display_name, "For people")->type_name("TEXT");
  add_reason_option(add, o->reason);
  registry.on(
      add, "  berth domain add lab --display-name \"The laboratory\"", [o](Shell& shell) -> Outcome<int> {
        json::object body{{"name", o->name}};
        if (!o->display_name.empty()) body["display_name"] = o->display_name;
        const auto api = shell.api();
        if (!api) return api.failure();
        return print_changed(shell, (*api)->post(with_query("/v1/domains", {{"reason", o->reason}}), body),
                             "domain", domain_listing());
      });
}

void add_domain_set(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<DomainWords>();
  auto* set = registry.verb(noun, "set", "Change a domain's display name", {"update"});
  set->add_option("DOMAIN", o->name, "Which")->required();
  set->add_option("--display-name", o->display_name, "For people; empty: none")
      ->type_name("TEXT")
      ->required();
  add_reason_option(set, o->reason);
  registry.on(set, "  berth domain set lab --display-name \"The laboratory\"",
              [o](Shell& shell) -> Outcome<int> {
                const auto api = shell.api();
                if (!api) return api.failure();
                return print_changed(shell,
                                     (*api)->patch(with_query(domain_path(o->name), {{"reason", o->reason}}),
                                                   json::object{{"display_name", o->display_name}}),
                                     "domain", domain_listing());
              });
}

}  // namespace

void add_domain_commands(Registry& registry) {
  auto* noun = registry.noun("domain", "Domains: projects and users that belong together", {"domains"});
  auto* ls = registry.verb(noun, "ls", "List the domains that you may see", {"list"});
  registry.on(ls, "  berth domain ls", [](Shell& shell) {
    return show_list(shell, "/v1/domains", "domains", domain_listing(), false);
  });
  const PathOf path = [](Api&, const std::string& domain) { return domain_path(domain); };
  add_show(registry, noun, "DOMAIN", "One domain, and how much is in it", "  berth domain show lab", path,
           domain_listing);
  add_domain_add(registry, noun);
  add_domain_set(registry, noun);
  add_removal_with_sessions(registry, noun, "DOMAIN", "Remove a domain that no user and no project is in",
                            "  berth domain rm lab", path);
}

}  // namespace berth::cli
