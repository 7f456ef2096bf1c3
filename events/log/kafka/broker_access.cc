#include "events/log/kafka/broker_access.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "events/base/files/private_files.h"

namespace berth::kafka {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool may_be_set(std::string_view name) {
  constexpr std::string_view kNames[] = {"security.protocol", "enable.ssl.certificate.verification",
                                         "enable.sasl.oauthbearer.unsecure.jwt", "broker.address.family",
                                         "client.dns.lookup"};
  return name.starts_with("sasl.") || name.starts_with("ssl.") ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

Result<Properties> parse_properties(std::string_view text, std::string_view file) {
  Properties properties;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const std::string at = std::string(file) + ":" + std::to_string(number) + ": ";
    const auto equals = line.find('=');
    if (equals == std::string_view::npos)  // the line may be a secret: it is not repeated
      return make_error("kafka-config-invalid", at + "no NAME=VALUE",
                        "for example security.protocol=sasl_ssl");
    const std::string name(trimmed(line.substr(0, equals)));
    if (!may_be_set(name))
      return make_error(
          "kafka-config-invalid", at + "'" + name.substr(0, 80) + "' may not be set",
          "security.protocol, sasl.* and ssl.* of librdkafka may; the rest is Berth's to choose");
    properties.emplace_back(name, trimmed(line.substr(equals + 1)));
  }
  return properties;
}

Result<BrokerAccess> read_broker_access(std::string brokers, const std::string& file) {
  BrokerAccess access{std::move(brokers)};
  if (file.empty()) return access;
  if (Result<void> ours = check_secret_file(file, "kafka-config"); !ours) return ours.error();
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open()) return make_error("kafka-config-missing", file + " cannot be read");
  Result<Properties> properties = parse_properties(text, file);
  if (!properties) return properties.error();
  access.properties = std::move(*properties);
  for (const auto& [name, value] : access.properties) {
    if (name != "ssl.key.location" && name != "ssl.keystore.location") continue;
    if (Result<void> ours = check_secret_file(value, "kafka-config"); !ours) return ours.error();
  }
  return access;
}

}  // namespace berth::kafka
