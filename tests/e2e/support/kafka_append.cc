// kafka_append BROKERS TOPIC [commit|abort] < LINES
//
// Appends to a topic of Kafka as a program of others does: a line is PARTITION KEY_HEX PAYLOAD_HEX, and is
// answered by "durable OFFSET" or "refused WHY". With a third word all lines are one transaction, which is
// ended so.
#include <librdkafka/rdkafka.h>

#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "events/base/hash.h"
#include "events/base/hex.h"

namespace {

constexpr int kPatienceMs = 30'000;

struct Fate {
  bool done = false;
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  std::int64_t offset = -1;
};

void delivered(rd_kafka_t*, const rd_kafka_message_t* message, void*) {
  auto& fate = *static_cast<Fate*>(message->_private);
  fate = {true, message->err, message->offset};
}

int fail(const std::string& why) {
  std::cerr << "kafka_append: " << why << "\n";
  return 1;
}

int failed(rd_kafka_error_t* error) {
  const std::string why = rd_kafka_error_string(error);
  rd_kafka_error_destroy(error);
  return fail(why);
}

std::string append(rd_kafka_t* producer, const std::string& topic, const std::string& line) {
  std::istringstream words(line);
  int partition = 0;
  std::string key_hex, payload_hex;
  words >> partition >> key_hex >> payload_hex;
  const std::string key = berth::from_hex(key_hex).value_or(""),
                    payload = berth::from_hex(payload_hex).value_or("");
  Fate fate;
  const auto error =
      rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(partition),
                        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY(key.data(), key.size()),
                        RD_KAFKA_V_VALUE(const_cast<char*>(payload.data()), payload.size()),
                        RD_KAFKA_V_OPAQUE(&fate), RD_KAFKA_V_END);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return std::string("refused ") + rd_kafka_err2name(error);
  rd_kafka_flush(producer, kPatienceMs);
  if (!fate.done) return "refused nobody-answers";
  if (fate.error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return std::string("refused ") + rd_kafka_err2name(fate.error);
  return "durable " + std::to_string(fate.offset);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) return fail("BROKERS TOPIC [commit|abort]");
  const std::string brokers = argv[1], topic = argv[2], end = argc > 3 ? argv[3] : "";
  char why[512];
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"bootstrap.servers", brokers},
        {"message.max.bytes", "16000000"},
        {"log_level", "0"},
        {end.empty() ? "acks" : "transactional.id", end.empty() ? "all" : "kafka_append"}})
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why, sizeof why) != RD_KAFKA_CONF_OK)
      return fail(why);
  rd_kafka_conf_set_dr_msg_cb(conf, delivered);
  const std::unique_ptr<rd_kafka_t, void (*)(rd_kafka_t*)> producer(
      rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why), rd_kafka_destroy);
  if (producer == nullptr) return fail(why);
  if (!end.empty()) {
    if (auto* error = rd_kafka_init_transactions(producer.get(), kPatienceMs)) return failed(error);
    if (auto* error = rd_kafka_begin_transaction(producer.get())) return failed(error);
  }
  for (std::string line; std::getline(std::cin, line);)
    std::cout << append(producer.get(), topic, line) << std::endl;
  if (end.empty()) return 0;
  auto* error = end == "abort" ? rd_kafka_abort_transaction(producer.get(), kPatienceMs)
                               : rd_kafka_commit_transaction(producer.get(), kPatienceMs);
  return error == nullptr ? 0 : failed(error);
}
