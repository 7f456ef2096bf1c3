// Images, resource groups, slot types, and the indicator.
#include <filesystem>

#include "controller/api/map/define_request.h"
#include "controller/api/map/definition_json.h"
#include "controller/api/map/indicator.h"
#include "controller/api/routes/define.h"
#include "controller/api/routes/page.h"
#include "controller/api/routes/user_in_group.h"
#include "projections/subjects.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

void list_images(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(services, call, reply, "images", &projections::State::images,
             [](const ListView&, const projections::ImageRow& row) { return image_to_json(row); });
}

void list_groups(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(services, call, reply, "groups", &projections::State::groups,
             [](const ListView& list, const projections::GroupRow& row) -> json::value {
               if (!sees_group(list.actor, row.def)) return nullptr;
               json::object group = group_to_json(list.kinds, row.def);
               if (reach(list.actor, Noun::kGroup, Verb::kSee) != projections::Reach::kAll)
                 hide_others(group, list.actor);
               return group;
             });
}

void list_slots(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(services, call, reply, "slots", &projections::State::slot_types,
             [](const ListView&, const projections::SlotTypeRow& row) { return slot_to_json(row.def); });
}

// An OCI layout that agents on this machine will look for, and that is not here. Where the log is shared
// agents may be elsewhere: nobody here knows what they have.
bool is_missing_here(const Services& services, const std::string& source) {
  if (!source.starts_with("oci:") || !services.context.facts().log.starts_with("local:")) return false;
  const std::string folder = source.substr(4, source.rfind(':') - 4);
  std::error_code error;
  return !std::filesystem::exists(folder + "/index.json", error);
}

void put_image(const projections::State& state, const std::string& reference, json::object& out) {
  if (const auto* row = state.images.find(reference)) out["image"] = image_to_json(*row);
}

void post_image(const Services& services, const CallPtr& call, const Reply& reply) {
  define(
      services, call, reply,
      [&services](v1::Define& define, const json::object& body, const SlotKinds&, Errors& errors) {
        const v1::ImageRegistered& image = *define.add_images() = read_image(body, errors);
        if (is_missing_here(services, image.source()))
          errors.add("image-source-missing", "source",
                     "'" + clipped(image.source()) + "' is not on this machine",
                     "oci:FOLDER:TAG, a folder with an index.json; ops/images/build makes one");
        return image.reference();
      },
      put_image);
}

// How far the image is being built, or that its build has failed.
void post_build(const Services& services, const CallPtr& call, const Reply& reply) {
  const std::string& reference = call->path[0];
  ask_with_body(
      services, call, reply,
      [&reference](v1::Request& request, const json::object& body, Errors& errors) {
        *request.mutable_record_image_build()->mutable_build() = read_image_build(reference, body, errors);
      },
      [services, reference](const RequestAnswer& answer) {
        json::object out;
        services.context.with_state([&](const StateView& view) { put_image(view.state, reference, out); });
        out["position"] = answer.position;
        return json_reply(200, out);
      });
}

// Whoever defines a group hears at once that its policy does not load here; that takes a process, so not on a
// quick worker.
void define_group(const Services& services, const CallPtr& call, const Reply& reply) {
  define(
      services, call, reply,
      [&services](v1::Define& define, const json::object& body, const SlotKinds& kinds, Errors& errors) {
        const v1::ResourceGroupDefined& group = *define.add_groups() = read_group(body, kinds, errors);
        if (group.select() == "custom" && !group.custom().empty())
          if (const auto refusal = services.context.check_policy(group.custom()))
            errors.add(refusal->code, "custom", refusal->message, refusal->hint);
        return group.name();
      },
      [](const projections::State& state, const std::string& key, json::object& out) {
        if (const auto* row = state.groups.find(key))
          out["group"] = group_to_json(SlotKinds(state), row->def);
      });
}

void post_group(const Services& services, const CallPtr& call, const Reply& reply) {
  take_turn(services, call, reply, Turns::Work::kShort,
            [services, call, reply] { define_group(services, call, reply); });
}

void resource(const Services& services, const CallPtr& call, const Reply& reply) {
  reply_for_user_in_group(
      services, call, reply,
      [](const StateView& view, const std::string& user, const std::string& group, json::object& body) {
        body["slots"] = indicator_to_json(SlotKinds(view.state), indicator(view.state, user, group));
      });
}

}  // namespace

std::vector<Route> definition_routes() {
  const Route::Need see_image{Noun::kImage, Verb::kSee}, create{Noun::kImage, Verb::kCreate},
      see_group{Noun::kGroup, Verb::kSee}, see_slot_type{Noun::kSlotType, Verb::kSee};
  const Route::Traits past_read{.past = Route::kPast, .producers = Route::kRead};
  return {{"GET", "/v1/images", "listImages", list_images, see_image, past_read},
          {"POST", "/v1/images", "putImage", post_image, create},
          {"POST", "/v1/images/{reference}/build", "recordImageBuild", post_build, create},
          {"GET", "/v1/groups", "listGroups", list_groups, see_group, past_read},
          {"POST", "/v1/groups", "putGroup", post_group, {Noun::kGroup, Verb::kCreate}},
          {"GET", "/v1/slots", "listSlots", list_slots, see_slot_type, past_read},
          {"GET", "/v1/resource", "getResource", resource, see_group, past_read}};
}

}  // namespace berth::controller::api
