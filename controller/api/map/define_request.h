// POST /v1/images, their builds, and /v1/groups: JSON -> definitions; and the small bodies of requests about
// agents. Pure.
#pragma once

#include <boost/json.hpp>

#include <cstdint>

#include "controller/api/map/problem.h"
#include "controller/api/map/slot_amounts.h"
#include "events/base/clock.h"
#include "events/schema/v1/event.pb.h"

namespace berth::controller::api {

v1::ImageRegistered read_image(const boost::json::object& body, Errors& errors);

// Of the image: {"percent": 43, "step": "packages"} or {"failed": "no space left"}, each with "builder" or
// without.
v1::ImageBuildChanged read_image_build(const std::string& reference, const boost::json::object& body,
                                       Errors& errors);

// Policies that are not given get their defaults (fifo, strict, concentrated). The decision refuses unknown
// policies.
v1::ResourceGroupDefined read_group(const boost::json::object& body, const SlotKinds& kinds, Errors& errors);

// {"generation": 2}; 0 if absent, which means the next one.
std::uint32_t read_generation(const boost::json::object& body, Errors& errors);

struct TokenHash {
  std::string hash;       // 16 bytes
  Timestamp expires = 0;  // wall clock
};
// {"token_hash": "32 hex digits", "expires_at": T}; T must lie behind `now` and not behind `latest`.
TokenHash read_token(const boost::json::object& body, Timestamp now, Timestamp latest, Errors& errors);

std::string read_subject(const boost::json::object& body, Errors& errors);  // of a quarantine

// For routes without a body: {} is taken too, all else is an error.
void read_nothing(const boost::json::object& body, Errors& errors);

}  // namespace berth::controller::api
