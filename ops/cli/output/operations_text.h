// GET /v1/operations as one screen: what is so now, and how the last minutes went. Pure.
#pragma once

#include <string>

#include <boost/json.hpp>

namespace berth::cli {

// `color`: of the line that needs a look.
std::string operations_text(const boost::json::value& operations, bool color);

// Eight heights for the newest `width` of the values, "▁▃█"; a blank where there is none.
std::string spark(const boost::json::array& values, std::size_t width);

}  // namespace berth::cli
