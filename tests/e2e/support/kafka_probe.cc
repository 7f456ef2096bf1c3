// What a plain client of Kafka sees, beside Berth.
//
//   kafka_probe BROKERS topic NAME PARTITIONS   makes the topic
//   kafka_probe BROKERS partitions              a line each: TOPIC PARTITION LEADER IN_SYNC REPLICAS
//                                               (LEADER -1: there is none)
//   kafka_probe BROKERS lose TOPIC OFFSET       deletes the records of partition 0 before OFFSET
//   kafka_probe BROKERS produce TOPIC           until it is ended: in each partition one record after the
//                                               other, acks=all; a line for each that is acknowledged:
//                                               PARTITION MILLISECONDS (of CLOCK_MONOTONIC)
#include <librdkafka/rdkafka.h>

#include <chrono>
#include <deque>
#include <iostream>
#include <memory>
#include <string>

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kPatienceMs = 30'000;
constexpr milliseconds kBetween{50};

struct Closer {
  void operator()(rd_kafka_t* handle) const { rd_kafka_destroy(handle); }
  void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
  void operator()(rd_kafka_NewTopic_t* topic) const { rd_kafka_NewTopic_destroy(topic); }
  void operator()(rd_kafka_event_t* event) const { rd_kafka_event_destroy(event); }
  void operator()(rd_kafka_DeleteRecords_t* records) const { rd_kafka_DeleteRecords_destroy(records); }
  void operator()(rd_kafka_topic_partition_list_t* list) const {
    rd_kafka_topic_partition_list_destroy(list);
  }
  void operator()(const rd_kafka_metadata_t* metadata) const { rd_kafka_metadata_destroy(metadata); }
};
template <class T> using Owned = std::unique_ptr<T, Closer>;

int fail(const std::string& why) {
  std::cerr << "kafka_probe: " << why << "\n";
  return 1;
}

struct Turn {
  int partition = 0;
  bool under_way = false;
  steady_clock::time_point next = steady_clock::now();
};

void delivered(rd_kafka_t*, const rd_kafka_message_t* message, void*) {
  auto& turn = *static_cast<Turn*>(message->_private);
  const auto now = steady_clock::now();
  turn.under_way = false;
  turn.next = now + kBetween;
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  const auto at = std::chrono::duration_cast<milliseconds>(now.time_since_epoch()).count();
  std::cout << turn.partition << " " << at << std::endl;
}

Owned<rd_kafka_t> connect(const char* brokers) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char why[256];
  for (const auto& [name, value] :
       {std::pair("bootstrap.servers", brokers), std::pair("acks", "all"),
        std::pair("enable.idempotence", "true"), std::pair("message.timeout.ms", "0"),
        std::pair("socket.timeout.ms", "10000"), std::pair("log_level", "0"),
        std::pair("reconnect.backoff.ms", "20"), std::pair("reconnect.backoff.max.ms", "500"),
        std::pair("retry.backoff.ms", "20")})
    if (rd_kafka_conf_set(conf, name, value, why, sizeof why) != RD_KAFKA_CONF_OK) std::cerr << why << "\n";
  rd_kafka_conf_set_dr_msg_cb(conf, delivered);
  return Owned<rd_kafka_t>(rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why));
}

int make_topic(rd_kafka_t* handle, const char* name, int partitions) {
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(handle));
  Owned<rd_kafka_NewTopic_t> topic(rd_kafka_NewTopic_new(name, partitions, -1, nullptr, 0));
  rd_kafka_NewTopic_t* topics[] = {topic.get()};
  rd_kafka_CreateTopics(handle, topics, 1, nullptr, queue.get());
  const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), kPatienceMs));
  if (!event || rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) return fail("no answer");
  std::size_t count = 0;
  const auto* results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  const auto error = count == 1 ? rd_kafka_topic_result_error(results[0]) : RD_KAFKA_RESP_ERR_UNKNOWN;
  return error == RD_KAFKA_RESP_ERR_NO_ERROR ? 0 : fail(rd_kafka_err2str(error));
}

int lose_beginning(rd_kafka_t* handle, const char* topic, std::int64_t offset) {
  const Owned<rd_kafka_topic_partition_list_t> before(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(before.get(), topic, 0)->offset = offset;
  const Owned<rd_kafka_DeleteRecords_t> records(rd_kafka_DeleteRecords_new(before.get()));
  rd_kafka_DeleteRecords_t* asked[] = {records.get()};
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(handle));
  rd_kafka_DeleteRecords(handle, asked, 1, nullptr, queue.get());
  const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), kPatienceMs));
  if (!event || rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) return fail("no answer");
  const auto* left = rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event.get()));
  return left->elems[0].err == RD_KAFKA_RESP_ERR_NO_ERROR ? 0 : fail(rd_kafka_err2str(left->elems[0].err));
}

Owned<const rd_kafka_metadata_t> metadata_of(rd_kafka_t* handle) {
  const rd_kafka_metadata_t* metadata = nullptr;
  if (rd_kafka_metadata(handle, 1, nullptr, &metadata, kPatienceMs) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return nullptr;
  return Owned<const rd_kafka_metadata_t>(metadata);
}

int list_partitions(rd_kafka_t* handle) {
  const auto metadata = metadata_of(handle);
  if (!metadata) return fail("no answer");
  for (int t = 0; t < metadata->topic_cnt; ++t) {
    const auto& topic = metadata->topics[t];
    for (int p = 0; p < topic.partition_cnt; ++p) {
      const auto& partition = topic.partitions[p];
      std::cout << topic.topic << " " << partition.id << " " << partition.leader << " " << partition.isr_cnt
                << " " << partition.replica_cnt << "\n";
    }
  }
  return 0;
}

int partitions_of(rd_kafka_t* handle, const std::string& name) {
  const auto metadata = metadata_of(handle);
  for (int t = 0; metadata && t < metadata->topic_cnt; ++t)
    if (metadata->topics[t].topic == name) return metadata->topics[t].partition_cnt;
  return 0;
}

int produce(rd_kafka_t* handle, const std::string& topic) {
  std::deque<Turn> turns;
  for (int p = 0, count = partitions_of(handle, topic); p < count; ++p) turns.push_back({p});
  if (turns.empty()) return fail("there is no topic " + topic);
  for (;;) {
    rd_kafka_poll(handle, 5);
    for (Turn& turn : turns) {
      if (turn.under_way || steady_clock::now() < turn.next) continue;
      turn.under_way = true;
      const auto error = rd_kafka_producev(
          handle, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(turn.partition),
          RD_KAFKA_V_VALUE(const_cast<char*>("probe"), 5), RD_KAFKA_V_OPAQUE(&turn), RD_KAFKA_V_END);
      if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return fail(rd_kafka_err2str(error));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[2] : "";
  const Owned<rd_kafka_t> handle = argc > 2 ? connect(argv[1]) : nullptr;
  if (!handle) return fail("how: see its first lines");
  if (what == "topic" && argc == 5) return make_topic(handle.get(), argv[3], std::stoi(argv[4]));
  if (what == "partitions" && argc == 3) return list_partitions(handle.get());
  if (what == "lose" && argc == 5) return lose_beginning(handle.get(), argv[3], std::stoll(argv[4]));
  if (what == "produce" && argc == 4) return produce(handle.get(), argv[3]);
  return fail("how: see its first lines");
}
