#include "events/log/kafka/topic_settings.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "events/log/log_errors.h"

namespace berth::kafka {
namespace {

using Check = TopicSetting::Check;

constexpr int kReplicas = 3;
constexpr int kInSync = 2;

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : INT64_MIN;
}

std::string expected_of(const TopicSetting& setting) {
  const bool bound = setting.check == Check::kAtLeast && setting.value != "-1";
  return (bound ? "at least " : "") + setting.value;
}

const char* name_of_one_replica_flag(const std::string& setting) {
  return setting == "replicas" || setting == "min.insync.replicas"
             ? "; for trials alone: --allow-one-replica, where a lost disk may take what was acknowledged"
             : "";
}

Result<void> check_one(const rd_kafka_ConfigResource_t* described, const std::vector<TopicSetting>& wanted) {
  const std::string topic = rd_kafka_ConfigResource_name(described);
  const rd_kafka_resp_err_t error = rd_kafka_ConfigResource_error(described);
  // The broker that was asked has not heard of a topic that was just made.
  if (error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
    return make_error(kLogUnavailable, "Kafka does not know the topic " + topic + " yet");
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return make_error(
        kLogAccessRefused,
        "Kafka does not say the settings of the topic " + topic + ": " + rd_kafka_err2str(error),
        "a controller's user needs DescribeConfigs on its topics: see ops/kafka/README.md");
  std::size_t count = 0;
  const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(described, &count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = rd_kafka_ConfigEntry_name(entries[i]);
    const char* value = rd_kafka_ConfigEntry_value(entries[i]);
    const auto wish =
        std::find_if(wanted.begin(), wanted.end(), [&](const TopicSetting& one) { return name == one.name; });
    if (wish == wanted.end() || value == nullptr || will_do(*wish, value)) continue;
    return unsafe_setting(topic, name, expected_of(*wish), value);
  }
  return {};
}

}  // namespace

Replicas replicas_to_make(int brokers, bool allow_one) {
  if (!allow_one) return {kReplicas, kInSync};
  return {std::clamp(brokers, 1, kReplicas), std::clamp(brokers, 1, kInSync)};
}

Replicas least_replicas(bool allow_one) { return allow_one ? Replicas{1, 1} : Replicas{2, 2}; }

std::vector<TopicSetting> topic_settings(Stream stream, const Replicas& replicas) {
  std::vector<TopicSetting> settings = {
      {"cleanup.policy", "delete"},  // never compacted
      {"retention.bytes", "-1"},
      {"unclean.leader.election.enable", "false"},
      // Brokers refuse a record whose time of making lies an hour ahead of their clocks (Kafka 4): a writer
      // with a wrong clock could write nothing. Nothing is read of that time.
      {"message.timestamp.type", "LogAppendTime"},
      {"max.message.bytes", "2097152", Check::kAtLeast},
      {"min.insync.replicas", std::to_string(replicas.in_sync), Check::kAtLeast},
  };
  const auto keep = [&settings](const char* ms) {
    settings.push_back({"retention.ms", ms, Check::kAtLeast});
  };
  // Whole segments go: they must be short for an hour to mean an hour.
  const auto segment = [&settings](const char* ms) { settings.push_back({"segment.ms", ms, Check::kNone}); };
  switch (stream) {
    case Stream::kJournal: keep("-1"); break;
    case Stream::kRequests:
    case Stream::kReports:
    case Stream::kOrders: keep("604800000"); break;
    case Stream::kHealth:
    case Stream::kControl:
      keep("3600000");
      segment("600000");
      break;
    case Stream::kUsage:
      keep("86400000");
      segment("14400000");
      break;
  }
  return settings;
}

bool will_do(const TopicSetting& wanted, const std::string& found) {
  switch (wanted.check) {
    case Check::kNone: return true;
    case Check::kSame: return found == wanted.value;
    case Check::kAtLeast:
      return number(found) == -1 || (wanted.value != "-1" && number(found) >= number(wanted.value));
  }
  return false;
}

Error unsafe_setting(const std::string& topic, const std::string& setting, const std::string& expected,
                     const std::string& found) {
  return make_error(
      "log-settings-unsafe",
      "the topic " + topic + " has " + setting + "=" + found + ", expected " + expected,
      "change it on the topic (see ops/kafka/README.md)" + std::string(name_of_one_replica_flag(setting)));
}

Result<void> check_topic_settings(rd_kafka_t* handle, const LogLayout& layout,
                                  const std::vector<Stream>& streams, const Replicas& least, int timeout_ms) {
  std::vector<Owned<rd_kafka_ConfigResource_t>> owned;
  std::vector<rd_kafka_ConfigResource_t*> asked;
  for (const Stream stream : streams) {
    owned.emplace_back(
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, layout.stream_name(stream).c_str()));
    asked.push_back(owned.back().get());
  }
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(handle));
  rd_kafka_DescribeConfigs(handle, asked.data(), asked.size(), nullptr, queue.get());
  const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), timeout_ms));
  if (!event || rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return make_error(kLogUnavailable, "Kafka does not say the settings of its topics");
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** described =
      rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Stream stream : streams) {
      if (layout.stream_name(stream) != rd_kafka_ConfigResource_name(described[i])) continue;
      if (Result<void> fits = check_one(described[i], topic_settings(stream, least)); !fits) return fits;
    }
  }
  return {};
}

}  // namespace berth::kafka
