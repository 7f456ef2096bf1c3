// Images, resource groups and slot types as JSON. Pure.
#pragma once

#include <boost/json.hpp>

#include "controller/api/map/slot_amounts.h"
#include "events/schema/v1/event.pb.h"

namespace berth::controller::api {

boost::json::object image_to_json(const v1::ImageRegistered& image);
// Whom a group is open to names others, so it is null without `with_open_to`.
boost::json::object group_to_json(const SlotKinds& kinds, const v1::ResourceGroupDefined& group,
                                  bool with_open_to = true);
boost::json::object slot_to_json(const v1::SlotTypeRegistered& slot);

}  // namespace berth::controller::api
