#include "events/log/kafka/producer.h"

#include <pthread.h>

#include <utility>

#include "events/log/kafka/settings.h"
#include "events/log/log_errors.h"
#include "events/log/positions.h"

namespace berth::kafka {
namespace {

AppendResult result_of(const rd_kafka_message_t& message) {
  AppendResult result;
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR && message.offset >= 0) {
    result.state = AppendState::kDurable;
    result.offset = static_cast<Offset>(message.offset);
    return result;
  }
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    // A retry that the broker had already: it is there, but where is not said. Reading tells.
    result.error =
        make_error("log-offset-unknown", "the broker had this append already and does not say where");
    return result;
  }
  const bool never = rd_kafka_message_status(&message) == RD_KAFKA_MSG_STATUS_NOT_PERSISTED;
  result.state = never ? AppendState::kFailed : AppendState::kUnknown;
  result.error = make_error(kLogUnavailable, std::string("Kafka: ") + rd_kafka_err2str(message.err));
  return result;
}

}  // namespace

Result<std::unique_ptr<Producer>> Producer::start(const BrokerAccess& access,
                                                  const KafkaLogOptions& options) {
  std::unique_ptr<Producer> producer(new Producer(access, options));
  Result<ConnectionPtr> connection = producer->connect();
  if (!connection) return connection.error();
  producer->connection_ = std::move(*connection);
  producer->thread_ = std::thread([self = producer.get()] {
    pthread_setname_np(pthread_self(), "log-producer");
    self->run();
  });
  return producer;
}

Producer::~Producer() {
  if (!thread_.joinable()) return;
  closing_ = true;
  thread_.join();
  settle(*connection_, options_.close_timeout);
  call_refused();
}

Result<Producer::ConnectionPtr> Producer::connect() {
  Result<Owned<rd_kafka_conf_t>> settings = producer_settings(access_, options_.producer_timeout);
  if (!settings) return settings.error();
  rd_kafka_conf_set_opaque(settings->get(), this);
  rd_kafka_conf_set_dr_msg_cb(settings->get(), on_delivery);
  rd_kafka_conf_set_error_cb(settings->get(), on_error);
  Result<Owned<rd_kafka_t>> handle = make_handle(RD_KAFKA_PRODUCER, std::move(*settings));
  if (!handle) return handle.error();
  auto connection = std::make_unique<Connection>();
  connection->handle = std::move(*handle);
  for (int s = 0; s < kStreamCount; ++s) {
    const std::string name = options_.layout.stream_name(static_cast<Stream>(s));
    connection->topics[static_cast<std::size_t>(s)].reset(
        rd_kafka_topic_new(connection->handle.get(), name.c_str(), nullptr));
  }
  return connection;
}

void Producer::append(Partition partition, std::string_view key, std::string_view payload, AppendDone done) {
  if (payload.size() > kPayloadBytesMax) return refuse(std::move(done), payload_too_large(payload.size()));
  // Without a callback nothing needs to be kept; librdkafka copies payload and key into one block of its own.
  auto* ticket = done ? new AppendDone(std::move(done)) : nullptr;
  const std::shared_lock lock(connection_mutex_);
  rd_kafka_topic_t* topic = connection_->topics[static_cast<std::size_t>(partition.stream)].get();
  const int rc =
      rd_kafka_produce(topic, static_cast<std::int32_t>(partition.number), RD_KAFKA_MSG_F_COPY,
                       const_cast<char*>(payload.data()), payload.size(), key.data(), key.size(), ticket);
  if (rc == 0) return;
  const rd_kafka_resp_err_t error = rd_kafka_last_error();
  if (error == RD_KAFKA_RESP_ERR__FATAL) fatal_ = true;
  AppendDone back = ticket != nullptr ? std::move(*ticket) : AppendDone();
  delete ticket;
  refuse(std::move(back),
         error == RD_KAFKA_RESP_ERR__QUEUE_FULL
             ? make_error("log-busy", "too much waits to be written to Kafka", "try again later")
             : make_error(kLogUnavailable, std::string("Kafka: ") + rd_kafka_err2str(error)));
}

void Producer::refuse(AppendDone done, Error error) {
  if (!done) return;
  const std::lock_guard lock(refused_mutex_);
  refused_.emplace_back(std::move(done), std::move(error));
}

void Producer::call_refused() {
  std::vector<std::pair<AppendDone, Error>> refused;
  {
    const std::lock_guard lock(refused_mutex_);
    refused.swap(refused_);
  }
  for (const auto& [done, error] : refused) done({AppendState::kFailed, 0, error});
}

void Producer::run() {
  while (!closing_) {
    // Only this thread replaces the connection, so it may use it without the lock. Deliveries end the wait;
    // refusals, which are rare, wait for at most this long.
    rd_kafka_poll(connection_->handle.get(), 10);
    call_refused();
    if (fatal_.exchange(false)) replace();
  }
}

void Producer::replace() {
  Result<ConnectionPtr> fresh = connect();
  if (!fresh) {
    fatal_ = true;  // out of memory or threads: try again
    return;
  }
  ConnectionPtr dead;
  {
    const std::unique_lock lock(connection_mutex_);
    dead = std::exchange(connection_, std::move(*fresh));
  }
  settle(*dead, 0);  // before anything of the new one is heard: callbacks keep their order
}

void Producer::settle(Connection& connection, Duration timeout) {
  rd_kafka_t* handle = connection.handle.get();
  if (timeout > 0) rd_kafka_flush(handle, static_cast<int>(timeout / kMillisecond));
  if (rd_kafka_outq_len(handle) == 0) return;
  rd_kafka_purge(handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  while (rd_kafka_outq_len(handle) > 0) rd_kafka_poll(handle, 100);
}

void Producer::on_delivery(rd_kafka_t* /*handle*/, const rd_kafka_message_t* message, void* /*opaque*/) {
  const std::unique_ptr<AppendDone> done(static_cast<AppendDone*>(message->_private));
  if (done) (*done)(result_of(*message));
}

void Producer::on_error(rd_kafka_t* /*handle*/, int code, const char* /*text*/, void* opaque) {
  if (code == RD_KAFKA_RESP_ERR__FATAL) static_cast<Producer*>(opaque)->fatal_ = true;
}

}  // namespace berth::kafka
