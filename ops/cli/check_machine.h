// The machine's table for `berth agent check` (agents/check) as JSON: check, status, found, advice.
#pragma once

#include <boost/json/array.hpp>
#include <string>

namespace berth::cli {

boost::json::array check_this_machine(const std::string& data, const std::string& runtime);

}  // namespace berth::cli
