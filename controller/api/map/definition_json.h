// Images, resource groups and slot types as JSON. Pure.
#pragma once

#include <boost/json.hpp>

#include "controller/api/map/slot_amounts.h"
#include "events/codec/image_labels.h"
#include "events/schema/v1/event.pb.h"
#include "projections/rights.h"

namespace berth::controller::api {

// What the image says of itself; nothing where its labels are broken, which may be from before they were
// looked at.
ImageLabels labels_of(const v1::ImageRegistered& image);
boost::json::object image_to_json(const v1::ImageRegistered& image);
// As whoever sees all groups gets it.
boost::json::object group_to_json(const SlotKinds& kinds, const v1::ResourceGroupDefined& group);
// Whom a group is open to, and whose shares have weights, names others: the first becomes null, and of the
// weights those of the actor, and of projects and the domain that they see, stay. `group`: of
// group_to_json().
void hide_others(boost::json::object& group, const projections::Actor& actor);
boost::json::object slot_to_json(const v1::SlotTypeRegistered& slot);

}  // namespace berth::controller::api
