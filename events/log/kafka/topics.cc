#include "events/log/kafka/topics.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "events/log/kafka/settings.h"
#include "events/log/kafka/topic_settings.h"
#include "events/log/log_errors.h"

namespace berth::kafka {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kAnswerMs = 2'000;  // the last look gets its answer too: it says what is missing

int left_ms(SteadyTime deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
          .count();
  return left < 1 ? 1 : static_cast<int>(left);
}

// A handle of its own for the administrator's requests. It remembers why brokers turn it away: calls that
// fail then say no more than that time is over.
class Admin {
 public:
  static Result<std::unique_ptr<Admin>> open(const BrokerAccess& access, const KafkaLogOptions& options) {
    std::unique_ptr<Admin> admin(new Admin(options));
    Result<Owned<rd_kafka_conf_t>> settings = producer_settings(access, options.open_timeout);
    if (!settings) return settings.error();
    rd_kafka_conf_set_opaque(settings->get(), admin.get());
    rd_kafka_conf_set_error_cb(settings->get(), on_error);
    Result<Owned<rd_kafka_t>> handle = make_handle(RD_KAFKA_PRODUCER, std::move(*settings));
    if (!handle) return handle.error();
    admin->handle_ = std::move(*handle);
    return admin;
  }

  rd_kafka_t* get() const { return handle_.get(); }
  // "log-access-refused" if a broker gave that reason, else "log-unavailable".
  Error unavailable(const std::string& why) {
    rd_kafka_poll(handle_.get(), 0);
    const std::string at = " at " + options_.brokers + ": ";
    if (!refused_.empty())
      return make_error(kLogAccessRefused, "Kafka" + at + refused_,
                        "check sasl.* and ssl.* in the file of --kafka-config");
    return make_error(kLogUnavailable, "no Kafka broker answers" + at + why,
                      "is it running? (ops/kafka/start); is the address right? does it want SASL or TLS? "
                      "(--kafka-config)");
  }

 private:
  explicit Admin(const KafkaLogOptions& options) : options_(options) {}
  static void on_error(rd_kafka_t* /*handle*/, int code, const char* text, void* opaque) {
    if (code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL)
      static_cast<Admin*>(opaque)->refused_ = text;
  }

  const KafkaLogOptions& options_;
  std::string refused_;
  Owned<rd_kafka_t> handle_;
};

bool is_refusal(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
         error == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED;
}

struct Topic {
  std::uint32_t partitions = 0;
  bool led = true;   // every partition
  int replicas = 0;  // of the partition with the fewest
};

struct Found {
  std::map<Stream, Topic> topics;  // of the layout
  int brokers = 0;
};

Topic describe(const rd_kafka_metadata_topic& found) {
  Topic topic{static_cast<std::uint32_t>(found.partition_cnt), found.err == RD_KAFKA_RESP_ERR_NO_ERROR,
              INT_MAX};
  for (int p = 0; p < found.partition_cnt; ++p) {
    topic.led = topic.led && found.partitions[p].leader >= 0;
    topic.replicas = std::min(topic.replicas, found.partitions[p].replica_cnt);
  }
  return topic;
}

Result<Found> find_topics(Admin& admin, const LogLayout& layout, SteadyTime deadline) {
  const rd_kafka_metadata_t* raw = nullptr;
  const rd_kafka_resp_err_t error =
      rd_kafka_metadata(admin.get(), 1, nullptr, &raw, std::max(left_ms(deadline), kAnswerMs));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return admin.unavailable(rd_kafka_err2str(error));
  const Owned<const rd_kafka_metadata_t> metadata(raw);
  Found found;
  found.brokers = metadata->broker_cnt;
  for (int s = 0; s < kStreamCount; ++s) {
    const auto stream = static_cast<Stream>(s);
    const std::string name = layout.stream_name(stream);
    for (int t = 0; t < metadata->topic_cnt; ++t) {
      const rd_kafka_metadata_topic& topic = metadata->topics[t];
      if (name == topic.topic && topic.err != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
        found.topics[stream] = describe(topic);
    }
  }
  return found;
}

Result<void> create_topics(rd_kafka_t* handle, const LogLayout& layout, const std::vector<Stream>& streams,
                           const Replicas& replicas, SteadyTime deadline) {
  std::vector<Owned<rd_kafka_NewTopic_t>> owned;
  std::vector<rd_kafka_NewTopic_t*> topics;
  char why[256];
  for (const Stream stream : streams) {
    owned.emplace_back(rd_kafka_NewTopic_new(layout.stream_name(stream).c_str(),
                                             static_cast<int>(layout.partitions_of(stream)), replicas.count,
                                             why, sizeof why));
    if (!owned.back()) return make_error("log-io-error", std::string("cannot describe a topic: ") + why);
    for (const TopicSetting& setting : topic_settings(stream, replicas))
      rd_kafka_NewTopic_set_config(owned.back().get(), setting.name, setting.value.c_str());
    topics.push_back(owned.back().get());
  }
  const Owned<rd_kafka_AdminOptions_t> admin(
      rd_kafka_AdminOptions_new(handle, RD_KAFKA_ADMIN_OP_CREATETOPICS));
  rd_kafka_AdminOptions_set_operation_timeout(admin.get(), left_ms(deadline), why, sizeof why);
  rd_kafka_AdminOptions_set_request_timeout(admin.get(), left_ms(deadline), why, sizeof why);
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(handle));
  rd_kafka_CreateTopics(handle, topics.data(), topics.size(), admin.get(), queue.get());
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
    return make_error(is_refusal(error) ? kLogAccessRefused : "log-io-error",
                      std::string("cannot make the topic ") + rd_kafka_topic_result_name(results[i]) + ": " +
                          (text != nullptr ? text : rd_kafka_err2str(error)));
  }
  return {};
}

std::vector<Stream> all_streams() {
  std::vector<Stream> streams;
  streams.reserve(kStreamCount);
  for (int s = 0; s < kStreamCount; ++s) streams.push_back(static_cast<Stream>(s));
  return streams;
}

std::vector<Stream> streams_of_agents() { return {Stream::kReports, Stream::kOrders, Stream::kHealth}; }

Error no_streams(const KafkaLogOptions& options) {
  std::string names;
  for (const Stream stream : streams_of_agents())
    names += (names.empty() ? "" : ", ") + options.layout.stream_name(stream);
  return make_error(kLogUnavailable,
                    "Kafka at " + options.brokers + " does not show this user the topics " + names,
                    "a controller makes them; an agent's user needs rights to them: see ops/kafka/README.md");
}

// Each topic is there and has leaders, with as many partitions as the layout says, or the error.
Result<bool> are_ready(const Found& found, const LogLayout& layout, const std::vector<Stream>& wanted) {
  bool ready = true;
  for (const Stream stream : wanted) {
    const auto topic = found.topics.find(stream);
    if (topic == found.topics.end() || !topic->second.led) {
      ready = false;
    } else if (topic->second.partitions != layout.partitions_of(stream)) {
      return make_error("log-layout-differs",
                        "the topic " + layout.stream_name(stream) + " has " +
                            std::to_string(topic->second.partitions) + " partitions, asked for are " +
                            std::to_string(layout.partitions_of(stream)),
                        "a log keeps its layout for ever: open it as it is, or choose another cluster name");
    }
  }
  return ready;
}

Result<void> make_missing(rd_kafka_t* handle, const KafkaLogOptions& options, const Found& found,
                          const std::vector<Stream>& wanted, SteadyTime deadline) {
  std::vector<Stream> missing;
  for (const Stream stream : wanted)
    if (!found.topics.contains(stream)) missing.push_back(stream);
  if (missing.empty()) return {};
  const Replicas replicas = replicas_to_make(found.brokers, options.allow_one_replica);
  if (found.brokers < replicas.count)
    return make_error(
        "log-brokers-missing",
        "the streams are made with replicas=" + std::to_string(replicas.count) + ", and this Kafka has " +
            std::to_string(found.brokers) + " broker" + (found.brokers == 1 ? "" : "s"),
        "start more, or make the topics beforehand (see ops/kafka/README.md); for trials alone: "
        "--allow-one-replica, where a lost disk may take what was acknowledged");
  return create_topics(handle, options.layout, missing, replicas, deadline);
}

Result<void> check_topics(rd_kafka_t* handle, const KafkaLogOptions& options, const Found& found,
                          const std::vector<Stream>& streams, SteadyTime deadline) {
  const Replicas least = least_replicas(options.allow_one_replica);
  for (const auto& [stream, topic] : found.topics)
    if (topic.replicas < least.count)
      return unsafe_setting(options.layout.stream_name(stream), "replicas",
                            "at least " + std::to_string(least.count), std::to_string(topic.replicas));
  return check_topic_settings(handle, options.layout, streams, least, left_ms(deadline));
}

}  // namespace

Result<void> check_topics_again(const BrokerAccess& access, const KafkaLogOptions& options) {
  const Result<std::unique_ptr<Admin>> admin = Admin::open(access, options);
  if (!admin) return admin.error();
  const SteadyTime deadline =
      std::chrono::steady_clock::now() + std::chrono::nanoseconds(options.open_timeout);
  const Result<Found> found = find_topics(**admin, options.layout, deadline);
  if (!found) return found.error();
  return check_topics((*admin)->get(), options, *found, all_streams(), deadline);
}

Result<void> ensure_topics(const BrokerAccess& access, const KafkaLogOptions& options) {
  const Result<std::unique_ptr<Admin>> admin = Admin::open(access, options);
  if (!admin) return admin.error();
  const SteadyTime deadline =
      std::chrono::steady_clock::now() + std::chrono::nanoseconds(options.open_timeout);
  const std::vector<Stream> wanted = options.makes_streams ? all_streams() : streams_of_agents();
  while (true) {
    const Result<Found> found = find_topics(**admin, options.layout, deadline);
    if (!found) return found.error();
    const Result<bool> ready = are_ready(*found, options.layout, wanted);
    if (!ready) return ready.error();
    if (*ready && !options.makes_streams) return {};
    if (*ready) {
      const auto checked = check_topics((*admin)->get(), options, *found, wanted, deadline);
      if (checked || !is_log_unavailable(checked.error()) || std::chrono::steady_clock::now() >= deadline)
        return checked;
    }
    if (std::chrono::steady_clock::now() >= deadline)
      return options.makes_streams ? (*admin)->unavailable("its topics get no leader") : no_streams(options);
    if (options.makes_streams) {
      if (Result<void> made = make_missing((*admin)->get(), options, *found, wanted, deadline); !made)
        return made;
    }
    std::this_thread::sleep_for(
        std::chrono::milliseconds(20));  // leaders are elected meanwhile; nothing tells us when
  }
}

}  // namespace berth::kafka
