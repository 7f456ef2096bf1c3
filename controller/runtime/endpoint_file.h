// berth.endpoint in a server's data folder: where `berth --data DIR` finds the server while it runs, and the
// fingerprint of its certificate.
#pragma once

#include <string>

#include "events/base/result.h"

namespace berth::controller {

// `fingerprint`: empty without TLS. Code: data-folder.
Result<void> write_endpoint_file(const std::string& data, const std::string& endpoint,
                                 const std::string& fingerprint);
void remove_endpoint_file(const std::string& data);

}  // namespace berth::controller
