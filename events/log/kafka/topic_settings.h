// What a stream's topic must be so that nothing acknowledged is lost: its replicas and its settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/log/event_log.h"
#include "events/log/kafka/handles.h"

namespace berth::kafka {

// An acknowledged record lies on `in_sync` brokers of `count`.
struct Replicas {
  int count = 3;
  int in_sync = 2;
};
// For topics that are made: 3 and 2; where one replica is allowed, as many of them as there are brokers.
Replicas replicas_to_make(int brokers, bool allow_one);
// For topics that are there: 2 and 2, or 1 and 1.
Replicas least_replicas(bool allow_one);

struct TopicSetting {
  const char* name;
  std::string value;
  enum class Check : std::uint8_t {
    kSame,
    kAtLeast,
    kNone
  } check = Check::kSame;  // of a topic that is there
};
std::vector<TopicSetting> topic_settings(Stream stream, const Replicas& replicas);
// Whether `found` will do where `wanted` is asked for. At least: -1 is without end.
bool will_do(const TopicSetting& wanted, const std::string& found);

// Compares the topics of `streams` with topic_settings(). Codes: log-settings-unsafe (names topic, setting,
// expected and found), log-access-refused, log-unavailable.
Result<void> check_topic_settings(rd_kafka_t* handle, const LogLayout& layout,
                                  const std::vector<Stream>& streams, const Replicas& least, int timeout_ms);

// "log-settings-unsafe".
Error unsafe_setting(const std::string& topic, const std::string& setting, const std::string& expected,
                     const std::string& found);

}  // namespace berth::kafka
