// Images, resource groups, slot types, and the indicator.
#include "controller/api/asker.h"
#include "controller/api/call.h"
#include "controller/api/map/define_request.h"
#include "controller/api/map/definition_json.h"
#include "controller/api/map/indicator.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

// A page of a table in key order; the token is the last key of the page before.
template <class Table, class F>
void list_table(const Services& services, const CallPtr& call, const Reply& reply, const char* name, Table table, F to_json_of) {
  Errors errors;
  Query query(call->target, errors);
  const auto limit = static_cast<std::size_t>(query.integer("limit", 1, 1000).value_or(100));
  const std::string after = query.text("page_token").value_or("");
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const SlotKinds kinds(view.state);
    json::array items;
    json::value next;
    std::string last;
    for (const std::string& key : (view.state.*table).sorted_keys()) {
      if (key <= after) continue;
      if (items.size() == limit) { next = last; break; }
      items.push_back(to_json_of(kinds, (view.state.*table).find(key)->def));
      last = key;
    }
    out = json_reply(view, json::object{{name, std::move(items)}, {"next_page_token", next}, {"position", position_or_null(view)}});
  });
  reply(std::move(out));
}

void list_images(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(services, call, reply, "images", &projections::State::images,
             [](const SlotKinds&, const v1::ImageRegistered& image) { return image_to_json(image); });
}

void list_groups(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(services, call, reply, "groups", &projections::State::groups, group_to_json);
}

void list_slots(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(services, call, reply, "slots", &projections::State::slot_types,
             [](const SlotKinds&, const v1::SlotTypeRegistered& slot) { return slot_to_json(slot); });
}

// Reads the body, asks for what `read` makes of it, and answers with the row as it is then.
template <class Read, class Show>
void define(const Services& services, const CallPtr& call, const Reply& reply, Read read, Show show) {
  const auto body = body_of(*call);
  if (!body.ok()) return reply(problem_reply(to_problem(body.error()), *call));
  SlotKinds kinds;
  services.context.with_state([&](const StateView& view) { kinds = SlotKinds(view.state); });
  Errors errors;
  Query(call->target, errors).finish();
  v1::Request request = request_of(services, *call);
  const std::string key = read(*request.mutable_define(), *body, kinds, errors);
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  ask_and_reply(services, call, reply, request, [services, key, show](const Answer& answer) {
    json::object out;
    services.context.with_state([&](const StateView& view) { show(view.state, key, out); });
    out["position"] = answer.position;
    return json_reply(answer.replayed ? 200 : 201, out);
  });
}

void post_image(const Services& services, const CallPtr& call, const Reply& reply) {
  define(
      services, call, reply,
      [](v1::Define& define, const json::object& body, const SlotKinds&, Errors& errors) {
        *define.add_images() = read_image(body, errors);
        return define.images(0).reference();
      },
      [](const projections::State& state, const std::string& key, json::object& out) {
        if (const auto* row = state.images.find(key)) out["image"] = image_to_json(row->def);
      });
}

void post_group(const Services& services, const CallPtr& call, const Reply& reply) {
  define(
      services, call, reply,
      [](v1::Define& define, const json::object& body, const SlotKinds& kinds, Errors& errors) {
        *define.add_groups() = read_group(body, kinds, errors);
        return define.groups(0).name();
      },
      [](const projections::State& state, const std::string& key, json::object& out) {
        if (const auto* row = state.groups.find(key)) out["group"] = group_to_json(SlotKinds(state), row->def);
      });
}

void resource(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const std::string group = query.text("group").value_or("default");
  std::string user = query.text("user").value_or(call->caller.user);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  if (!call->caller.sees_all()) user = call->caller.user;
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    if (view.state.groups.find(group) == nullptr) {
      Problem problem = make_problem("unknown-group", "no resource group is named '" + clipped(group) + "'", "berth group ls lists them");
      problem.status = 404;
      out = problem_reply(problem, *call);
      return;
    }
    const SlotKinds kinds(view.state);
    json::object body{{"group", group}, {"user", user}, {"position", position_or_null(view)}};
    body["slots"] = indicator_to_json(kinds, indicator(view.state, user, group));
    out = json_reply(view, body);
  });
  reply(std::move(out));
}

}  // namespace

std::vector<Route> definition_routes() {
  return {{"GET", "/v1/images", "listImages", Route::kAnybody, list_images},
          {"POST", "/v1/images", "putImage", Route::kSuperadmin, post_image},
          {"GET", "/v1/groups", "listGroups", Route::kAnybody, list_groups},
          {"POST", "/v1/groups", "putGroup", Route::kSuperadmin, post_group},
          {"GET", "/v1/slots", "listSlots", Route::kAnybody, list_slots},
          {"GET", "/v1/resource", "getResource", Route::kAnybody, resource}};
}

}  // namespace berth::controller::api
