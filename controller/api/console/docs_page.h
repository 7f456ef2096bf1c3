// The API's description as a page for people, made of openapi.json.
#pragma once

#include <string>

namespace berth::controller::api {

const std::string& docs_page();

// What a browser shows at "/" where the console was not built.
std::string no_console_page(const std::string& version);

}  // namespace berth::controller::api
