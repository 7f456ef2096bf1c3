// POST /v1/images and /v1/groups: JSON -> definitions; and the small bodies of requests about agents. Pure.
#pragma once

#include <boost/json.hpp>

#include "controller/api/map/problem.h"
#include "controller/api/map/slot_amounts.h"
#include "events/schema/v1/event.pb.h"

namespace berth::controller::api {

v1::ImageRegistered read_image(const boost::json::object& body, Errors& errors);

// Policies that are not given get their defaults (fifo, strict, concentrated). The decision refuses unknown
// policies.
v1::ResourceGroupDefined read_group(const boost::json::object& body, const SlotKinds& kinds, Errors& errors);

// {"generation": 2}; 0 if absent, which means the next one.
std::uint32_t read_generation(const boost::json::object& body, Errors& errors);
std::string read_subject(const boost::json::object& body, Errors& errors);  // of a quarantine

// For routes without a body: {} is taken too, all else is an error.
void read_nothing(const boost::json::object& body, Errors& errors);

}  // namespace berth::controller::api
