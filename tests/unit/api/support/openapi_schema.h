// openapi.json as data, and as much of JSON Schema as it uses.
#pragma once

#include <boost/json.hpp>
#include <string>

namespace berth::testing {

const boost::json::value& openapi_document();
// The schema or parameter itself, where it is a reference to one.
const boost::json::value& resolved(const boost::json::value& schema_or_ref);

// Empty: it fits; else where it does not.
std::string misfit(const boost::json::value& schema_or_ref, const boost::json::value& value,
                   const std::string& place);

}  // namespace berth::testing
