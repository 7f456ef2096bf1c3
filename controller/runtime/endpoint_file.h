// berth.endpoint in a server's data folder: where `berth --data DIR` finds the server while it runs.
#pragma once

#include <string>

#include "events/base/result.h"

namespace berth::controller {

// Code: data-folder.
Result<void> write_endpoint_file(const std::string& data, const std::string& endpoint);
void remove_endpoint_file(const std::string& data);

}  // namespace berth::controller
