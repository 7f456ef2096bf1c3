// Paths of files in a folder, as a request names them. Pure.
#pragma once

#include <string>

#include "controller/api/map/json_reader.h"
#include "controller/api/map/query.h"

namespace berth::controller::api {

// Empty where it is absent: the folder itself. A wrong one is noted as path-invalid, and reads as empty.
std::string read_path(Query& query, std::string_view name);
std::string read_path(ObjectReader& in, std::string_view name);

// Content-Disposition of a download under the path's last part: a name that stands in a header and in a
// file system, and the very name beside it (RFC 6266).
std::string disposition_of(const std::string& path);

}  // namespace berth::controller::api
