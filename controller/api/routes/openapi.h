// The API's description, OpenAPI 3.1: the file openapi.json, built in. A test compares it with the routing
// table, both ways.
#pragma once

#include <string>

namespace berth::controller::api {

const std::string& openapi_text();

}  // namespace berth::controller::api
