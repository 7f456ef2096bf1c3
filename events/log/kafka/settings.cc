#include "events/log/kafka/settings.h"

#include <initializer_list>
#include <utility>

namespace berth::kafka {
namespace {

struct Setting {
  const char* name;
  std::string value;
};

// librdkafka writes to stderr unless told otherwise; what matters reaches us as errors of calls.
void ignore_log(const rd_kafka_t* /*handle*/, int /*level*/, const char* /*facility*/, const char* /*text*/) {
}

Result<Owned<rd_kafka_conf_t>> settings(const BrokerAccess& access, std::initializer_list<Setting> more) {
  Owned<rd_kafka_conf_t> conf(rd_kafka_conf_new());
  rd_kafka_conf_set_log_cb(conf.get(), ignore_log);
  const auto set = [&conf](const Setting& setting) -> Result<void> {
    char why[256];
    if (rd_kafka_conf_set(conf.get(), setting.name, setting.value.c_str(), why, sizeof why) ==
        RD_KAFKA_CONF_OK)
      return {};
    return make_error("log-io-error",
                      std::string("librdkafka refuses ") + setting.name + "=" + setting.value + ": " + why);
  };
  const Setting common[] = {
      {"bootstrap.servers", access.brokers},
      {"client.id", "berth"},
      {"socket.nagle.disable", "true"},
      {"socket.keepalive.enable", "true"},
      // A broker that hangs (not one that is gone: that is seen at once) is given up and tried again after
      // this: by then another one leads (session time-outs of brokers are 3 s, ops/kafka/README.md). With 10
      // s a frozen broker was waited for twice (tests/e2e/campaign.py: 15 to 20 s, with this 6 to 9).
      {"socket.timeout.ms", "5000"},
      {"socket.connection.setup.timeout.ms", "3000"},
      // A broker that comes back is found quickly.
      {"reconnect.backoff.ms", "20"},
      {"reconnect.backoff.max.ms", "500"},
      {"allow.auto.create.topics", "false"},
      {"topic.metadata.refresh.interval.ms", "30000"},
      // The default hides what is behind the oldest open transaction, from readers and in a partition's end
      // (P30).
      {"isolation.level", "read_uncommitted"},
  };
  for (const Setting& setting : common) {
    if (Result<void> done = set(setting); !done) return done.error();
  }
  for (const Setting& setting : more) {
    if (Result<void> done = set(setting); !done) return done.error();
  }
  for (const auto& [name, value] : access.properties) {
    if (!set({name.c_str(), value}))
      return make_error("kafka-config-invalid",
                        "librdkafka does not know " + name + " or takes no such value",
                        "names and values are in librdkafka's CONFIGURATION.md");
  }
  return conf;
}

}  // namespace

Result<Owned<rd_kafka_conf_t>> producer_settings(const BrokerAccess& access, Duration producer_timeout) {
  const auto timeout_ms = (producer_timeout + kMillisecond - 1) / kMillisecond;
  return settings(access, {
                              {"enable.idempotence", "true"},
                              {"acks", "all"},
                              {"max.in.flight.requests.per.connection", "5"},
                              {"message.timeout.ms", std::to_string(timeout_ms)},  // 0: never
                              {"request.timeout.ms", "5000"},
                              {"retry.backoff.ms", "20"},
                              // At once: under load a batch fills while others are on their way.
                              {"queue.buffering.max.ms", "0"},
                              {"queue.buffering.max.messages", "2000000"},
                              {"queue.buffering.max.kbytes", "524288"},
                              {"batch.num.messages", "10000"},
                              {"batch.size", "1000000"},
                              {"message.max.bytes", "2097152"},  // the largest payload and its envelope
                              {"compression.codec", "none"},
                          });
}

Result<Owned<rd_kafka_conf_t>> consumer_settings(const BrokerAccess& access) {
  return settings(access, {
                              {"auto.offset.reset", "error"},  // the default skips in silence
                              {"enable.auto.commit", "false"},
                              {"enable.auto.offset.store", "false"},
                              {"check.crcs", "true"},
                              {"fetch.min.bytes", "1"},
                              // An idle fetch holds back what changes on the connection (seek, a partition
                              // more): not for the default 500 ms.
                              {"fetch.wait.max.ms", "50"},
                              {"fetch.error.backoff.ms", "50"},
                              {"fetch.message.max.bytes", "4194304"},
                              // Over either limit librdkafka stops fetching for a flat second, so the number
                              // never counts and the bytes last for more than that second.
                              {"queued.min.messages", "10000000"},
                              {"queued.max.messages.kbytes", "262144"},
                              // How the reader hears of gaps at the end.
                              {"enable.partition.eof", "true"},
                          });
}

Result<Owned<rd_kafka_t>> make_handle(rd_kafka_type_t type, Owned<rd_kafka_conf_t> settings) {
  char why[256];
  Owned<rd_kafka_t> handle(rd_kafka_new(type, settings.get(), why, sizeof why));
  if (!handle) return make_error("log-io-error", std::string("librdkafka: ") + why);
  (void)settings.release();  // librdkafka owns them now
  return handle;
}

}  // namespace berth::kafka
