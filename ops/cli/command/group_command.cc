// berth group
#include <algorithm>
#include <sstream>

#include "ops/cli/command/pairs.h"
#include "ops/cli/command/policy_words.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"
#include "ops/cli/people/people.h"
#include "ops/cli/problem_codes.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct Set {
  std::string name, order, head_of_line, impossible, select, custom, pending_timeout, shm, disk, egress;
  std::vector<std::string> slot_priority, devices, exclusive, slot_weights, weights;
  std::uint32_t max_attempts = 0, half_life = 0, lookback = 0;
  std::optional<std::string> open_to;
  std::string preempt, preempt_order, preempt_mode, preempt_scope, preempt_min_runtime;
};

// The group as it is, without what the server adds; a new one is its name alone.
Outcome<json::object> current(Api& api, const std::string& name) {
  const auto reply = having_list(api.get("/v1/groups?limit=1000"), "groups");
  if (!reply) return reply.failure();
  for (const auto& group : array_at(reply->body, "groups"))
    if (text_at(group, "name") == name) return group.get_object();
  return json::object{{"name", name}};
}

// "domain:D,project:D/P,user:U"; empty: everybody.
Outcome<json::array> scopes_of(const std::string& text) {
  json::array scopes;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, ',');) {
    const auto colon = one.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == one.size())
      return usage_failure("--open-to '" + one.substr(0, 60) + "' is not of the form SCOPE:ID",
                           "like domain:lab,project:default/ml,user:alice");
    scopes.push_back(json::object{{"scope", one.substr(0, colon)}, {"id", one.substr(colon + 1)}});
  }
  return scopes;
}

// "skip-after-n=5" or a name alone.
json::object head_of_line_of(const std::string& text) {
  const auto equals = text.find('=');
  json::object policy{{"policy", text.substr(0, equals)}};
  if (equals != std::string::npos) policy["n"] = std::atoi(text.c_str() + equals + 1);
  return policy;
}

// "cuda.shares=even,0.1,fragments": spread, quantum and the word in any order.
Outcome<bool> add_device(const std::string& text, json::object& devices) {
  const auto pair =
      split_pair(text, "--device", "SLOT=SPREAD[,QUANTUM][,fragments], like cuda.shares=even,0.1");
  if (!pair) return pair.failure();
  json::object policy;
  for (std::size_t at = 0; at <= pair->value.size();) {
    const auto comma = std::min(pair->value.find(',', at), pair->value.size());
    const std::string word = pair->value.substr(at, comma - at);
    at = comma + 1;
    if (word == "fragments")
      policy["allow_fragments"] = true;
    else if (!word.empty() && word[0] >= '0' && word[0] <= '9')
      policy["quantum"] = word;
    else if (!word.empty())
      policy["spread"] = word;
  }
  devices[pair->key] = std::move(policy);
  return true;
}

// What is not said stays as it was.
void change_preemption(const Set& o, json::object& body) {
  const bool said =
      !(o.preempt + o.preempt_order + o.preempt_mode + o.preempt_scope + o.preempt_min_runtime).empty();
  if (!said) return;
  json::object policy = body.contains("preemption") && body["preemption"].is_object()
                            ? body["preemption"].get_object()
                            : json::object();
  if (!o.preempt.empty()) policy["enabled"] = o.preempt == "on";
  for (const auto& [key, value] :
       {std::pair{"order", &o.preempt_order}, {"mode", &o.preempt_mode}, {"scope", &o.preempt_scope}})
    if (!value->empty()) policy[key] = *value;
  if (!o.preempt_min_runtime.empty())
    policy["min_runtime"] =
        o.preempt_min_runtime == "none" ? json::value(nullptr) : json::value(o.preempt_min_runtime);
  body["preemption"] = std::move(policy);
}

// What is said of fair share is added to what was said before.
Outcome<bool> add_fair_share(const Set& o, json::object& body) {
  if (o.half_life == 0 && o.lookback == 0 && o.slot_weights.empty() && o.weights.empty()) return true;
  const auto* before = body.if_contains("fair_share");
  json::object share = before != nullptr && before->is_object() ? before->get_object() : json::object();
  if (o.half_life != 0) share["half_life_days"] = o.half_life;
  if (o.lookback != 0) share["lookback_days"] = o.lookback;
  for (const auto& [key, texts, option, form] :
       {std::tuple{"slot_weights", &o.slot_weights, "--slot-weight", "SLOT=WEIGHT, like cuda=10"},
        {"weights", &o.weights, "--weight", "SCOPE:ID=WEIGHT, like user:alice=2"}}) {
    if (texts->empty()) continue;
    json::object all = share.contains(key) ? share[key].get_object() : json::object();
    for (const auto& text : *texts) {
      const auto pair = split_pair(text, option, form);
      if (!pair) return pair.failure();
      all[pair->key] = pair->value;
    }
    share[key] = std::move(all);
  }
  body["fair_share"] = std::move(share);
  return true;
}

json::array slot_set_of(const std::string& text) {
  json::array names;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');) names.push_back(json::value(name));
  return names;
}

Outcome<json::value> group_body(json::object body, const Set& o) {
  if (!o.order.empty()) body["order"] = o.order;
  if (!o.head_of_line.empty()) body["head_of_line"] = head_of_line_of(o.head_of_line);
  if (!o.impossible.empty()) body["impossible"] = o.impossible;
  if (!o.select.empty()) body["select"] = o.select;
  if (!o.custom.empty()) body["custom"] = o.custom;
  if (!o.slot_priority.empty())
    body["slot_priority"] = json::array(o.slot_priority.begin(), o.slot_priority.end());
  if (!o.devices.empty()) {
    json::object devices = body.contains("devices") ? body["devices"].get_object() : json::object();
    for (const auto& text : o.devices)
      if (const auto added = add_device(text, devices); !added) return added.failure();
    body["devices"] = std::move(devices);
  }
  if (!o.exclusive.empty()) {
    json::array sets;
    for (const auto& set : o.exclusive)
      if (set != "none") sets.push_back(slot_set_of(set));
    body["exclusive_slots"] = std::move(sets);
  }
  change_preemption(o, body);
  if (const auto added = add_fair_share(o, body); !added) return added.failure();
  if (!o.pending_timeout.empty())
    body["pending_timeout"] =
        o.pending_timeout == "none" ? json::value(nullptr) : json::value(o.pending_timeout);
  if (o.open_to) {
    auto scopes = scopes_of(*o.open_to);
    if (!scopes) return scopes.failure();
    body["open_to"] = std::move(*scopes);
  }
  if (o.max_attempts != 0) body["max_attempts"] = o.max_attempts;
  if (!o.shm.empty()) body["shm"] = o.shm == "none" ? json::value(nullptr) : json::value(o.shm);
  if (!o.disk.empty()) body["disk"] = o.disk == "none" ? json::value(nullptr) : json::value(o.disk);
  if (!o.egress.empty()) body["egress"] = o.egress;
  return json::value(std::move(body));
}

// A policy that does not exist: the hint names those that do.
Failure with_policies(Failure failure, const Set& o) {
  if (failure.code != kUnknownPolicy) return failure;
  const std::string hint =
      policy_hint(o.name, {{"--order", o.order}, {"--head-of-line", o.head_of_line}, {"--select", o.select}});
  if (!hint.empty()) failure.hint = hint;
  return failure;
}

void add_preemption_options(CLI::App* set, Set& o) {
  set->add_option("--preempt", o.preempt,
                  "Whether sessions of a lower job priority make room: on or off (default)")
      ->check(one_of({"on", "off"}))
      ->type_name("on|off");
  set->add_option("--preempt-order", o.preempt_order,
                  "Who goes first: oldest (default), newest or fewest-sessions")
      ->type_name("ORDER");
  set->add_option("--preempt-mode", o.preempt_mode, "terminate (default), or reschedule: back to the queue")
      ->type_name("MODE");
  set->add_option("--preempt-scope", o.preempt_scope,
                  "Whose make room: of the same user (default), project, domain or resource-group")
      ->type_name("SCOPE");
  set->add_option("--preempt-min-runtime", o.preempt_min_runtime,
                  "Who has run for less is left alone; none switches it off")
      ->type_name("DURATION");
}

// What each kernel of the group gets.
void add_kernel_options(CLI::App* set, Set& o) {
  set->add_option("--shm", o.shm, "/dev/shm where neither session nor image says; none leaves it to Berth")
      ->type_name("BYTES")
      ->check(not_empty());
  set->add_option(
         "--disk", o.disk,
         "What a container may write if its session does not say, 16m to 64t; none leaves it to Berth")
      ->type_name("BYTES")
      ->check(not_empty());
  set->add_option(
         "--egress", o.egress,
         "What its kernels reach of the internet: none (default of a group that is made here), or "
         "registries, the package registries that its agents' operators allow (of the first start's group "
         "`default`)")
      ->check(one_of({"none", "registries"}))
      ->type_name("none|registries");
}

void add_options(CLI::App* set, Set& o) {
  set->add_option("GROUP", o.name, "Its name")->required();
  set->add_option("--order", o.order,
                  "Who is tried first in a priority band: fifo, lifo, drf, fair-share, ...; an unknown name "
                  "is refused")
      ->type_name("ORDER");
  set->add_option("--head-of-line", o.head_of_line,
                  "When the first does not fit: strict, skip-after-n=N or greedy")
      ->type_name("POLICY[=N]");
  set->add_option(
         "--impossible", o.impossible,
         "A session that no agent of the group could hold even when empty: block, as any other that does not "
         "fit (default of a group that is made here), or skip (of the first start's group `default`)")
      ->check(one_of({"block", "skip"}))
      ->type_name("block|skip");
  set->add_option(
         "--select", o.select,
         "Which agent of several: concentrated, dispersed, balanced, ...; an unknown name is refused")
      ->type_name("POLICY");
  set->add_option("--custom", o.custom,
                  "Of select custom: which policy of the controller's folder (--policies)")
      ->type_name("NAME");
  set->add_option("--slot-priority", o.slot_priority, "Slots in the order in which agents are compared")
      ->type_name("SLOT,SLOT,...")
      ->delimiter(',');
  set->add_option("--device", o.devices,
                  "How a slot's devices are shared: even or fill, the step, fragments; repeat it")
      ->type_name("SLOT=SPREAD[,QUANTUM][,fragments]")
      ->allow_extra_args(false);
  set->add_option("--exclusive-slots", o.exclusive,
                  "Slots of which a kernel may ask one only; repeat it, none removes all sets")
      ->type_name("SLOT,SLOT,...")
      ->allow_extra_args(false);
  set->add_option("--half-life", o.half_life, "Order fair-share: days after which past usage counts half")
      ->type_name("DAYS")
      ->check(CLI::Range(1u, 365u));
  set->add_option("--lookback", o.lookback, "Order fair-share: days that count, today included; 90 at most")
      ->type_name("DAYS")
      ->check(CLI::Range(1u, 90u));
  set->add_option("--slot-weight", o.slot_weights,
                  "Order fair-share: how much a slot or device counts; repeat it")
      ->type_name("SLOT=WEIGHT")
      ->allow_extra_args(false);
  set->add_option("--weight", o.weights,
                  "Order fair-share: whose share is how large (domain:D, project:D/P, user:U); repeat it")
      ->type_name("SCOPE:ID=WEIGHT")
      ->allow_extra_args(false);
  set->add_option("--open-to", o.open_to,
                  "Whose sessions it takes, and who sees it: domain:D, project:D/P, user:U; empty: everybody")
      ->type_name("SCOPE:ID,...");
  set->add_option("--pending-timeout", o.pending_timeout,
                  "Cancel what waits longer than this; none switches it off")
      ->type_name("DURATION")
      ->check(not_empty());
  set->add_option("--max-attempts", o.max_attempts, "Failed starts before a session is given up, 1 to 1000")
      ->type_name("N")
      ->check(CLI::Range(1u, 1000u));
  add_preemption_options(set, o);
  add_kernel_options(set, o);
}

// The API has them as a list alone.
Outcome<int> show_group(Shell& shell, const std::string& name) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = (*api)->get("/v1/groups?limit=1000");
  if (!reply) return reply.failure();
  for (const auto& group : array_at(reply->body, "groups")) {
    if (text_at(group, "name") != name) continue;
    shell.out() << print_facts(group, group_listing(), shell.style());
    return kOk;
  }
  return Failure{kNotFound,
                 "unknown-group",
                 "no resource group is named '" + name.substr(0, 100) + "'",
                 "berth group ls lists them",
                 {}};
}

}  // namespace

void add_group_commands(Registry& registry) {
  auto* noun = registry.noun("group", "Resource groups: agents that are scheduled together", {"groups"});
  auto* ls = registry.verb(noun, "ls", "List resource groups and their policies", {"list"});
  registry.on(ls, "  berth group ls",
              [](Shell& shell) { return show_list(shell, "/v1/groups", "groups", group_listing(), false); });
  auto shown = std::make_shared<std::string>();
  auto* show = registry.verb(noun, "show", "One resource group and its policies", {"get"});
  show->add_option("GROUP", *shown, "Its name")->required();
  registry.on(show, "  berth group show gpu", [shown](Shell& shell) { return show_group(shell, *shown); });
  auto which = std::make_shared<std::string>("default");
  auto* share =
      registry.verb(noun, "fair-share", "Order fair-share: what counts of the past, and who comes first");
  share->add_option("GROUP", *which, "Its name")->capture_default_str();
  registry.on(share, "  berth group fair-share gpu", [which](Shell& shell) -> Outcome<int> {
    const auto api = shell.api();
    if (!api) return api.failure();
    const auto reply = having_list((*api)->get("/v1/fair-share?group=" + percent_encoded(*which)), "shares");
    if (!reply) return reply.failure();
    shell.out() << print_list(array_at(reply->body, "shares"), fair_share_listing(), shell.style());
    return kOk;
  });
  auto o = std::make_shared<Set>();
  auto* set = registry.verb(noun, "set", "Define a resource group, or change what is said of one",
                            {"define", "update"});
  add_options(set, *o);
  registry.on(set,
              "  berth group set gpu --order drf --head-of-line skip-after-n=5 --select dispersed\n"
              "  berth group set gpu --device cuda.shares=fill,0.1,fragments --pending-timeout 2h\n"
              "  berth group set gpu --preempt on --preempt-mode reschedule --preempt-scope project "
              "--preempt-min-runtime 30m\n"
              "  berth group set gpu --order fair-share --half-life 14 --weight project:default/ml=2\n"
              "  berth group set gpu --open-to project:default/ml,user:alice",
              [o](Shell& shell) -> Outcome<int> {
                const auto api = shell.api();
                if (!api) return api.failure();
                const auto before = current(**api, o->name);
                if (!before) return before.failure();
                const auto body = group_body(*before, *o);
                if (!body) return body.failure();
                const auto reply = having((*api)->post("/v1/groups", *body), {"position"});
                if (!reply) return with_policies(reply.failure(), *o);
                const auto* group = find_path(reply->body, "group");
                shell.out() << print_one(group == nullptr ? reply->body : *group, group_listing(),
                                         shell.style());
                return kOk;
              });
  add_removal_with_sessions(registry, noun, "GROUP", "Remove a group that no agent and no live session is in",
                            "  berth group rm gpu --end-sessions", [](Api&, const std::string& group) {
                              return "/v1/groups/" + percent_encoded(group);
                            });
}

}  // namespace berth::cli
