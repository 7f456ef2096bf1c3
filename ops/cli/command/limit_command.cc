// berth limit
#include "ops/cli/command/pairs.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct LimitWords {
  std::string scope, id, unlisted, sessions, system_sessions, pending, kernels, priority;
  std::vector<std::string> slots, pending_slots;
};

std::string path_of(const std::string& scope, const std::string& id) {
  return "/v1/limits/" + percent_encoded(scope) + "/" + percent_encoded(id);
}

// "cpu=10", "mem=unlimited"; the text goes to the server as it is, which knows the units.
Outcome<json::object> limit_slots_of(const std::vector<std::string>& texts, const char* option) {
  json::object slots;
  for (const auto& text : texts) {
    const auto pair = split_pair(text, option, "SLOT=AMOUNT, like cpu=10 or mem=unlimited");
    if (!pair) return pair.failure();
    if (slots.contains(pair->key)) return usage_failure("slot " + pair->key + " is given twice");
    if (pair->value == "unlimited")
      slots[pair->key] = nullptr;
    else
      slots[pair->key] = pair->value;
  }
  return slots;
}

Outcome<json::value> limit_body(const LimitWords& o) {
  json::object body;
  for (const auto& [key, texts, option] :
       {std::tuple{"slots", &o.slots, "--slot"}, {"pending_slots", &o.pending_slots, "--pending-slot"}}) {
    auto slots = limit_slots_of(*texts, option);
    if (!slots) return slots.failure();
    if (!slots->empty()) body[key] = std::move(*slots);
  }
  if (!o.unlisted.empty()) body["unlisted"] = o.unlisted;
  for (const auto& [key, text] : {std::pair{"sessions", &o.sessions},
                                  {"system_sessions", &o.system_sessions},
                                  {"pending", &o.pending},
                                  {"kernels_per_session", &o.kernels},
                                  {"priority", &o.priority}}) {
    if (text->empty() || *text == "unlimited") continue;
    if (text->size() > 9 || text->find_first_not_of("0123456789") != std::string::npos)
      return usage_failure("'" + text->substr(0, 60) + "' is neither a number nor unlimited");
    body[key] = std::stoi(*text);
  }
  return json::value(std::move(body));
}

void add_set(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<LimitWords>();
  auto* set = registry.verb(
      noun, "set", "LimitWords what the sessions of one scope may hold together; replaces it whole", {"put"});
  set->add_option("SCOPE", o->scope, "domain, project, user or keypair")
      ->required()
      ->check(one_of({"domain", "project", "user", "keypair"}));
  set->add_option("ID", o->id, "Whose; a project is DOMAIN/NAME")->required();
  set->add_option("-s,--slot", o->slots, "At most this much held; 0 blocks; repeat it")
      ->type_name("SLOT=AMOUNT|unlimited")
      ->allow_extra_args(false);
  set->add_option("--unlisted", o->unlisted,
                  "Slots that are not named: limited (none of them) or unlimited (default)")
      ->check(one_of({"limited", "unlimited"}))
      ->type_name("RULE");
  set->add_option("--sessions", o->sessions, "Sessions that hold slots")->type_name("N|unlimited");
  set->add_option("--system-sessions", o->system_sessions, "The same of system sessions")
      ->type_name("N|unlimited");
  set->add_option("--pending", o->pending, "Sessions that wait; more are refused")->type_name("N|unlimited");
  set->add_option("--pending-slot", o->pending_slots, "What waits may ask for together; repeat it")
      ->type_name("SLOT=AMOUNT")
      ->allow_extra_args(false);
  set->add_option("--kernels", o->kernels, "Kernels in one session")->type_name("N|unlimited");
  set->add_option("--priority", o->priority, "Highest priority that may be asked for")
      ->type_name("N|unlimited");
  registry.on(set,
              "  berth limit set user alice --slot cpu=16 --slot cuda.shares=2 --sessions 5\n  berth limit "
              "set project "
              "default/ml --slot cuda.shares=8 --pending 100",
              [o](Shell& shell) -> Outcome<int> {
                const auto body = limit_body(*o);
                if (!body) return body.failure();
                const auto api = shell.api();
                if (!api) return api.failure();
                const auto reply = having((*api)->put(path_of(o->scope, o->id), *body), {"position"});
                if (!reply) return reply.failure();
                const auto* limit = find_path(reply->body, "limit");
                shell.out() << print_one(limit == nullptr ? reply->body : *limit, limit_listing(),
                                         shell.style());
                return kOk;
              });
}

}  // namespace

void add_limit_commands(Registry& registry) {
  auto* noun = registry.noun("limit", "Limits of domains, projects, users and key pairs", {"limits"});
  auto* ls = registry.verb(noun, "ls",
                           "List limits and what is used of them (yours, or all for a superadmin)", {"list"});
  registry.on(ls, "  berth limit ls -o wide",
              [](Shell& shell) { return show_list(shell, "/v1/limits", "limits", limit_listing(), false); });
  add_set(registry, noun);
  struct Which {
    std::string scope, id;
  };
  auto o = std::make_shared<Which>();
  auto* rm = registry.verb(noun, "rm", "Remove a limit: unlimited from then on", {"delete"});
  rm->add_option("SCOPE", o->scope, "domain, project, user or keypair")->required();
  rm->add_option("ID", o->id, "Whose; a project is DOMAIN/NAME")->required();
  registry.on(rm, "  berth limit rm user alice", [o](Shell& shell) -> Outcome<int> {
    const auto api = shell.api();
    if (!api) return api.failure();
    const auto reply = (*api)->remove(path_of(o->scope, o->id));
    if (!reply) return reply.failure();
    shell.out() << o->scope << " " << o->id << "\n";
    return kOk;
  });
}

}  // namespace berth::cli
