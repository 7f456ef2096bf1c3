#include "events/log/open/open_log.h"

#include <string_view>
#include <utility>

#include "events/base/system_clock.h"
#include "events/log/local/local_log.h"
#include "events/log/memory_log.h"
#ifdef BERTH_WITH_KAFKA
#include "events/log/kafka/kafka_log.h"
#endif

namespace berth {
namespace {

Error bad_url(const std::string& url, const char* why) {
  return make_error("bad-log-url", "\"" + url + "\" " + why,
                    "a log is memory:, local:DIR or kafka://HOST:PORT[,HOST:PORT][/STREAMS]");
}

// "HOST:PORT,HOST:PORT/STREAMS": what is behind the slash names the streams, for several clusters on one
// Kafka.
std::pair<std::string, std::string> parts_of(std::string_view address) {
  const auto slash = address.find('/');
  if (slash == std::string_view::npos) return {std::string(address), ""};
  return {std::string(address.substr(0, slash)), std::string(address.substr(slash + 1))};
}

bool is_stream_prefix(std::string_view text) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return text.size() <= 80 && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

constexpr std::string_view kKafka = "kafka://";

// `address`: what stands behind the scheme.
Result<OpenLog> named_kafka(const OpenLog& options, std::string_view address) {
  const auto [brokers, cluster] = parts_of(address);
  if (brokers.empty() || brokers.find_first_of("/ ?") != std::string::npos)
    return bad_url(options.url, "names no brokers");
  if (!is_stream_prefix(cluster))
    return bad_url(options.url, "names its streams by other than up to 80 letters, digits, - and _");
  OpenLog named = options;
  named.url = brokers;
  if (!cluster.empty()) named.layout.cluster = cluster;
  return named;
}

#ifdef BERTH_WITH_KAFKA
KafkaLogOptions kafka_options(const OpenLog& named) {
  return {.brokers = named.url,
          .layout = named.layout,
          .config_file = named.kafka_config,
          .allow_one_replica = named.allow_one_replica,
          .makes_streams = named.makes_streams,
          .producer_timeout = named.producer_timeout};
}
#endif

Result<std::unique_ptr<EventLog>> open_kafka([[maybe_unused]] const OpenLog& named) {
#ifdef BERTH_WITH_KAFKA
  return open_kafka_log(kafka_options(named));
#else
  return make_error("log-not-built", "this build has no Kafka in it", "build without BERTH_PURE_ONLY");
#endif
}

}  // namespace

Result<std::unique_ptr<EventLog>> open_log(const OpenLog& options, const Clock& clock, Truncated truncated) {
  const std::string_view url = options.url;
  constexpr std::string_view kLocal = "local:";
  if (url == "memory:") return open_memory_log(options.layout);
  if (url.starts_with(kLocal)) {
    const std::string dir(url.substr(kLocal.size()));
    if (dir.empty()) return bad_url(options.url, "names no folder");
    return open_local_log({.dir = dir,
                           .layout = options.layout,
                           .clock = &clock,
                           .accept_truncation = truncated == Truncated::kAccept});
  }
  if (url.starts_with(kKafka)) {
    const auto named = named_kafka(options, url.substr(kKafka.size()));
    if (!named) return named.error();
    return open_kafka(*named);
  }
  return bad_url(options.url, "has a scheme that no log has");
}

Result<std::unique_ptr<EventLog>> open_log(const OpenLog& options, Truncated truncated) {
  static const SystemClock clock;
  return open_log(options, clock, truncated);
}

Result<void> check_log_settings([[maybe_unused]] const OpenLog& options) {
#ifdef BERTH_WITH_KAFKA
  const std::string_view url = options.url;
  if (!url.starts_with(kKafka)) return {};
  const auto named = named_kafka(options, url.substr(kKafka.size()));
  if (!named) return named.error();
  return check_kafka_log(kafka_options(*named));
#else
  return {};
#endif
}

}  // namespace berth
