// How the brokers are reached: their addresses, and librdkafka's own properties for SASL and TLS, from a
// file.
//
// The file has a NAME=VALUE a line, as librdkafka's CONFIGURATION.md lists them, and lines of comment that
// begin with #. Only names of security.protocol, sasl.*, ssl.* and of address families are taken: what
// Berth's promises rest on (acks, isolation.level and so on) is not for a file to say.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/base/result.h"

namespace berth::kafka {

using Properties = std::vector<std::pair<std::string, std::string>>;

struct BrokerAccess {
  std::string brokers;  // host:port[,host:port]
  Properties properties = {};
};

// `file` may be empty. It, and the private key that it may name, must be its owner's alone. Codes:
// kafka-config-missing, kafka-config-open (others may read it), kafka-config-invalid (names the line).
Result<BrokerAccess> read_broker_access(std::string brokers, const std::string& file);

// Code kafka-config-invalid.
Result<Properties> parse_properties(std::string_view text, std::string_view file);

}  // namespace berth::kafka
