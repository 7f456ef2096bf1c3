#include "events/log/kafka/topics.h"

#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "events/log/log_errors.h"

namespace berth::kafka {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

struct TopicConfig {
  const char* name;
  const char* value;
};

std::vector<TopicConfig> configs_of(Stream stream) {
  std::vector<TopicConfig> configs = {
      {"cleanup.policy", "delete"},  // never compacted
      {"retention.bytes", "-1"},
      {"unclean.leader.election.enable", "false"},
      {"max.message.bytes", "2097152"},
  };
  switch (stream) {
    case Stream::kJournal: configs.push_back({"retention.ms", "-1"}); break;
    case Stream::kRequests:
    case Stream::kReports:
    case Stream::kOrders: configs.push_back({"retention.ms", "604800000"}); break;
    case Stream::kHealth:
    case Stream::kControl:  // whole segments go: they must be short for an hour to mean an hour
      configs.push_back({"retention.ms", "3600000"});
      configs.push_back({"segment.ms", "600000"});
      break;
    case Stream::kUsage:
      configs.push_back({"retention.ms", "86400000"});
      configs.push_back({"segment.ms", "14400000"});
      break;
  }
  return configs;
}

int left_ms(SteadyTime deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
          .count();
  return left < 1 ? 1 : static_cast<int>(left);
}

Error unavailable(const std::string& brokers, const char* why) {
  return make_error(kLogUnavailable, "no Kafka broker answers at " + brokers + ": " + why,
                    "is it running? (ops/kafka/start); is the address right?");
}

// Partitions of each of the layout's topics that exist; a topic without a leader everywhere counts as 0.
Result<std::map<Stream, std::uint32_t>> read_partitions(rd_kafka_t* handle, const std::string& brokers,
                                                        const LogLayout& layout, SteadyTime deadline) {
  const rd_kafka_metadata_t* raw = nullptr;
  const rd_kafka_resp_err_t error = rd_kafka_metadata(handle, 1, nullptr, &raw, left_ms(deadline));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return unavailable(brokers, rd_kafka_err2str(error));
  const Owned<const rd_kafka_metadata_t> metadata(raw);
  std::map<Stream, std::uint32_t> partitions;
  for (int s = 0; s < kStreamCount; ++s) {
    const auto stream = static_cast<Stream>(s);
    const std::string name = layout.stream_name(stream);
    for (int t = 0; t < metadata->topic_cnt; ++t) {
      const rd_kafka_metadata_topic& topic = metadata->topics[t];
      if (name != topic.topic || topic.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) continue;
      bool led = topic.err == RD_KAFKA_RESP_ERR_NO_ERROR;
      for (int p = 0; p < topic.partition_cnt; ++p) led = led && topic.partitions[p].leader >= 0;
      partitions[stream] = led ? static_cast<std::uint32_t>(topic.partition_cnt) : 0;
    }
  }
  return partitions;
}

Result<void> create_topics(rd_kafka_t* handle, const LogLayout& layout, const std::vector<Stream>& streams,
                           SteadyTime deadline) {
  std::vector<Owned<rd_kafka_NewTopic_t>> owned;
  std::vector<rd_kafka_NewTopic_t*> topics;
  char why[256];
  for (const Stream stream : streams) {
    // Replication -1: what the brokers have as default (a cluster's administrator sets 3).
    owned.emplace_back(rd_kafka_NewTopic_new(layout.stream_name(stream).c_str(),
                                             static_cast<int>(layout.partitions_of(stream)), -1, why,
                                             sizeof why));
    if (!owned.back()) return make_error("log-io-error", std::string("cannot describe a topic: ") + why);
    for (const TopicConfig& config : configs_of(stream))
      rd_kafka_NewTopic_set_config(owned.back().get(), config.name, config.value);
    topics.push_back(owned.back().get());
  }
  const Owned<rd_kafka_AdminOptions_t> options(
      rd_kafka_AdminOptions_new(handle, RD_KAFKA_ADMIN_OP_CREATETOPICS));
  rd_kafka_AdminOptions_set_operation_timeout(options.get(), left_ms(deadline), why, sizeof why);
  rd_kafka_AdminOptions_set_request_timeout(options.get(), left_ms(deadline), why, sizeof why);
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(handle));
  rd_kafka_CreateTopics(handle, topics.data(), topics.size(), options.get(), queue.get());
  const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), left_ms(deadline) + 1000));
  if (!event) return make_error(kLogUnavailable, "Kafka does not answer the request to make topics");
  if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return make_error(kLogUnavailable,
                      std::string("cannot make topics: ") + rd_kafka_event_error_string(event.get()));
  }
  std::size_t count = 0;
  const rd_kafka_topic_result_t** results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_resp_err_t error = rd_kafka_topic_result_error(results[i]);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
      continue;  // another was first
    const char* text = rd_kafka_topic_result_error_string(results[i]);
    return make_error("log-io-error", std::string("cannot make the topic ") +
                                          rd_kafka_topic_result_name(results[i]) + ": " +
                                          (text != nullptr ? text : rd_kafka_err2str(error)));
  }
  return {};
}

// A journal that somebody made by hand with the defaults would forget after seven days.
Result<void> check_journal(rd_kafka_t* handle, const LogLayout& layout, SteadyTime deadline) {
  const std::string name = layout.stream_name(Stream::kJournal);
  const Owned<rd_kafka_ConfigResource_t> resource(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str()));
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(handle));
  rd_kafka_ConfigResource_t* asked[] = {resource.get()};
  rd_kafka_DescribeConfigs(handle, asked, 1, nullptr, queue.get());
  const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), left_ms(deadline)));
  if (!event || rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return make_error(kLogUnavailable, "Kafka does not say the settings of the topic " + name);
  }
  std::size_t resources = 0;
  const rd_kafka_ConfigResource_t** described = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event.get()), &resources);
  std::size_t count = 0;
  const rd_kafka_ConfigEntry_t** entries =
      resources == 0 ? nullptr : rd_kafka_ConfigResource_configs(described[0], &count);
  const std::map<std::string, std::string> wanted = {
      {"cleanup.policy", "delete"}, {"retention.ms", "-1"}, {"retention.bytes", "-1"}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto wish = wanted.find(rd_kafka_ConfigEntry_name(entries[i]));
    const char* value = rd_kafka_ConfigEntry_value(entries[i]);
    if (wish == wanted.end() || value == nullptr || wish->second == value) continue;
    return make_error(
        "log-settings-unsafe",
        "the topic " + name + " has " + wish->first + "=" + value + ": the journal is kept for ever",
        "set " + wish->first + "=" + wish->second + " on it");
  }
  return {};
}

}  // namespace

Result<void> ensure_topics(rd_kafka_t* handle, const std::string& brokers, const LogLayout& layout,
                           Duration timeout) {
  const SteadyTime deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout);
  while (true) {
    const Result<std::map<Stream, std::uint32_t>> partitions =
        read_partitions(handle, brokers, layout, deadline);
    if (!partitions) return partitions.error();
    std::vector<Stream> missing;
    bool all_led = true;
    for (int s = 0; s < kStreamCount; ++s) {
      const auto stream = static_cast<Stream>(s);
      const auto found = partitions->find(stream);
      if (found == partitions->end()) {
        missing.push_back(stream);
      } else if (found->second == 0) {
        all_led = false;
      } else if (found->second != layout.partitions_of(stream)) {
        return make_error(
            "log-layout-differs",
            "the topic " + layout.stream_name(stream) + " has " + std::to_string(found->second) +
                " partitions, asked for are " + std::to_string(layout.partitions_of(stream)),
            "a log keeps its layout for ever: open it as it is, or choose another cluster name");
      }
    }
    if (missing.empty() && all_led) return check_journal(handle, layout, deadline);
    if (std::chrono::steady_clock::now() >= deadline) return unavailable(brokers, "its topics get no leader");
    if (!missing.empty()) {
      if (Result<void> created = create_topics(handle, layout, missing, deadline); !created) return created;
    }
    std::this_thread::sleep_for(
        std::chrono::milliseconds(20));  // leaders are elected meanwhile; nothing tells us when
  }
}

}  // namespace berth::kafka
