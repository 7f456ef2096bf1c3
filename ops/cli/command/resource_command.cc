// berth resource
#include "controller/api/map/indicator.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/replay.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

std::string bars_of(const json::value& resource, const Style& style) {
  Listing listing;
  listing.columns = {column("SLOT", "slot"),
                     column("GROUP USED", "upper.used"),
                     column("GROUP TOTAL", "upper.total"),
                     column("ALL USED", "lower.used"),
                     column("ALL TOTAL", "lower.total"),
                     column("RESERVED", "reserved"),
                     column("RUNNING", "running"),
                     column("REMAINING", "remaining"),
                     column("CAPACITY", "capacity")};
  listing.name_path = "slot";
  switch (style.format) {
    case Format::kTable: return resource_text(resource, bar_style(style));
    case Format::kJson:
    case Format::kYaml:
    case Format::kJsonl: return print_one(resource, listing, style);
    default: return print_list(array_at(resource, "slots"), listing, style);
  }
}

// The same bars as the server's, computed from the journal replayed here.
Outcome<int> show_past(Shell& shell, const std::string& place, std::string group, std::string user) {
  namespace api = controller::api;
  const auto at = parse_past_position(place);
  if (!at) return at.failure();
  const auto client = shell.api();
  if (!client) return client.failure();
  if (user.empty()) {
    const auto me = having((*client)->get("/v1/whoami"), {"user"});
    if (!me) return me.failure();
    user = text_at(me->body, "user");
  }
  if (group.empty()) group = "default";
  const auto replay = replay_to(shell, **client, at->offset, at->index);
  if (!replay) return replay.failure();
  const projections::State& state = (*replay)->state();
  const json::value resource = json::object{
      {"group", group},
      {"user", user},
      {"position", at->offset},
      {"slots", api::indicator_to_json(api::SlotKinds(state), api::indicator(state, user, group))}};
  shell.out() << bars_of(resource, shell.style());
  return kOk;
}

}  // namespace

void add_resource_command(Registry& registry) {
  struct Resource {
    std::string group, user;
    bool watch = false;
    std::string at;
  };
  auto o = std::make_shared<Resource>();
  auto* app =
      registry.verb(nullptr, "resource", "Two bars a slot: what you hold in this resource group, and overall",
                    {"resources"});
  app->add_option("-g,--group", o->group, "Current resource group (default: default)")->type_name("GROUP");
  app->add_option("-u,--user", o->user, "Of another user (superadmin)")->type_name("USER");
  app->add_flag("-w,--watch", o->watch, "Again at every change, until Ctrl-C");
  app->add_option("--at", o->at,
                  "As it was after this record (17) or event (17-0) of the journal: replays it up to there")
      ->type_name("POSITION");
  add_preset_check(registry, app);
  registry.on(
      app, "  berth resource\n  berth resource --group gpu --watch", [o](Shell& shell) -> Outcome<int> {
        if (!o->at.empty()) return show_past(shell, o->at, o->group, o->user);
        return show_or_watch(shell, o->watch,
                             with_query("/v1/resource", {{"group", o->group}, {"user", o->user}}), "slots",
                             [&](const ApiReply& reply) { return bars_of(reply.body, shell.style()); });
      });
}

}  // namespace berth::cli
