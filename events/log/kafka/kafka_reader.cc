#include "events/log/kafka/kafka_reader.h"

#include <algorithm>
#include <utility>

#include "events/base/checks.h"
#include "events/log/kafka/settings.h"
#include "events/log/kafka/watermarks.h"
#include "events/log/log_errors.h"
#include "events/log/positions.h"

namespace berth::kafka {
namespace {

constexpr Duration kWatermarksTimeout = 2 * kSecond;

// The opaque of a topic is its stream + 1 (0 is what librdkafka gives where there is none).
void* to_opaque(std::size_t stream) { return reinterpret_cast<void*>(stream + 1); }

Error unavailable(const std::string& what) {
  return make_error(kLogUnavailable, "Kafka: " + what, "read again; it is tried again");
}

}  // namespace

Result<std::unique_ptr<KafkaReader>> KafkaReader::open(const BrokerAccess& access, const LogLayout& layout,
                                                       const std::vector<ReadFrom>& from,
                                                       std::shared_ptr<Ends> ends) {
  std::unique_ptr<KafkaReader> reader(new KafkaReader);
  reader->ends_ = std::move(ends);
  Result<Owned<rd_kafka_conf_t>> settings = consumer_settings(access);
  if (!settings) return settings.error();
  rd_kafka_conf_set_opaque(settings->get(), reader.get());
  rd_kafka_conf_set_error_cb(settings->get(), on_error);
  Result<Owned<rd_kafka_t>> handle = make_handle(RD_KAFKA_CONSUMER, std::move(*settings));
  if (!handle) return handle.error();
  reader->handle_ = std::move(*handle);
  reader->queue_.reset(rd_kafka_queue_new(reader->handle_.get()));
  for (const ReadFrom& read : from) {
    const auto stream = static_cast<std::size_t>(read.partition.stream);
    if (!reader->topics_[stream]) {
      rd_kafka_topic_conf_t* conf = rd_kafka_default_topic_conf_dup(reader->handle_.get());
      rd_kafka_topic_conf_set_opaque(conf, to_opaque(stream));
      reader->topics_[stream].reset(
          rd_kafka_topic_new(reader->handle_.get(), layout.stream_name(read.partition.stream).c_str(), conf));
      reader->cursor_of_[stream].resize(layout.partitions_of(read.partition.stream));
    }
    reader->cursors_.push_back({read.partition, read.offset});
    reader->cursor_of_[stream][read.partition.number] = reader->cursors_.size();
  }
  return reader;
}

KafkaReader::~KafkaReader() {
  for (Cursor& cursor : cursors_) stop(cursor);
  held_.reset();
  for (Owned<rd_kafka_topic_t>& topic : topics_) topic.reset();
  queue_.reset();
}

Result<void> KafkaReader::start_all() {
  if (all_started_) return {};
  for (Cursor& cursor : cursors_) {
    if (cursor.started) continue;
    if (rd_kafka_consume_start_queue(topic(cursor.partition),
                                     static_cast<std::int32_t>(cursor.partition.number),
                                     static_cast<std::int64_t>(cursor.offset), queue_.get()) != 0) {
      return unavailable(std::string("cannot read ") + to_string(cursor.partition) + ": " +
                         rd_kafka_err2str(rd_kafka_last_error()));
    }
    cursor.started = true;
  }
  all_started_ = true;
  return {};
}

void KafkaReader::stop(Cursor& cursor) {
  if (cursor.started)
    rd_kafka_consume_stop(topic(cursor.partition), static_cast<std::int32_t>(cursor.partition.number));
  cursor.started = false;
  all_started_ = false;
}

Result<std::size_t> KafkaReader::poll(Duration wait, std::size_t max_entries, std::size_t max_bytes,
                                      std::vector<LogEntry>& out) {
  if (pending_) return *std::exchange(pending_, std::nullopt);
  if (Result<void> started = start_all(); !started) return started.error();
  Budget budget{max_entries, max_bytes};
  const Result<std::size_t> taken = take_some(wait, budget, out);
  if (budget.taken > 0)
    for (const Cursor& cursor : cursors_) ends_->reached(cursor.partition, cursor.read_to);
  return taken;
}

Result<std::size_t> KafkaReader::take_some(Duration wait, Budget& budget, std::vector<LogEntry>& out) {
  const SteadyTime deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(wait);
  int timeout_ms = static_cast<int>((std::max<Duration>(wait, 0) + kMillisecond - 1) / kMillisecond);
  while (!budget.spent()) {
    const bool woken = woken_.exchange(false);
    if (woken || budget.taken > 0) timeout_ms = 0;
    Owned<rd_kafka_message_t> message = next_message(timeout_ms);
    if (!message) {
      if (woken || woken_.exchange(false) || budget.taken > 0) break;
      if (std::chrono::steady_clock::now() >= deadline) break;
    } else {
      Result<void> done = take(std::move(message), budget, out);
      if (done) done = start_all();  // what had to be stopped goes on
      if (!done && budget.taken == 0) return done.error();
      if (!done) {
        pending_ = done.error();
        break;
      }
    }
    if (budget.taken == 0) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
              .count();
      timeout_ms = static_cast<int>(std::max<std::int64_t>(left, 0));
    }
  }
  rd_kafka_poll(handle_.get(), 0);  // errors of the connection
  if (budget.taken == 0 && brokers_away_.exchange(false)) return unavailable("no broker answers");
  return budget.taken;
}

Owned<rd_kafka_message_t> KafkaReader::next_message(int timeout_ms) {
  if (held_) return std::move(held_);
  return Owned<rd_kafka_message_t>(rd_kafka_consume_queue(queue_.get(), timeout_ms));
}

Result<void> KafkaReader::take(Owned<rd_kafka_message_t> message, Budget& budget,
                               std::vector<LogEntry>& out) {
  Cursor* cursor = find(*message);
  const bool is_end = message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;  // at the offset after the last one
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR && !is_end) return explain_error(cursor, *message);
  if (cursor == nullptr) return {};
  const auto offset = static_cast<Offset>(message->offset);
  while (cursor->offset < offset && !budget.spent())
    push(*cursor, {cursor->partition, cursor->offset, {}, true}, budget, out);
  if (cursor->offset > offset) return {};  // fetched before a seek
  if (cursor->offset == offset && is_end) return {};
  if (budget.spent()) {
    held_ = std::move(message);
    return {};
  }
  std::string payload(static_cast<const char*>(message->payload), message->len);
  push(*cursor, {cursor->partition, offset, std::move(payload)}, budget, out);
  return {};
}

void KafkaReader::push(Cursor& cursor, LogEntry entry, Budget& budget, std::vector<LogEntry>& out) {
  cursor.read_to = ++cursor.offset;
  ++budget.taken;
  --budget.entries;
  budget.bytes -= std::min(budget.bytes, entry.payload.size());
  out.push_back(std::move(entry));
}

KafkaReader::Cursor* KafkaReader::find(const rd_kafka_message_t& message) {
  if (message.rkt == nullptr) return nullptr;
  const auto stream = reinterpret_cast<std::size_t>(rd_kafka_topic_opaque(message.rkt));
  if (stream == 0 || message.partition < 0) return nullptr;
  const std::vector<std::size_t>& by_number = cursor_of_[stream - 1];
  const auto number = static_cast<std::size_t>(message.partition);
  return number < by_number.size() && by_number[number] > 0 ? &cursors_[by_number[number] - 1] : nullptr;
}

Result<Extent> KafkaReader::watermarks(Partition partition) {
  return query_watermarks(handle_.get(), rd_kafka_topic_name(topic(partition)), partition, kWatermarksTimeout,
                          ends_.get());
}

Result<void> KafkaReader::explain_error(Cursor* cursor, const rd_kafka_message_t& message) {
  if (cursor == nullptr) return {};  // of no partition of ours: connections, which come back by themselves
  const std::string what = to_string(cursor->partition) + ": " + rd_kafka_err2str(message.err);
  stop(*cursor);
  if (message.err == RD_KAFKA_RESP_ERR__BAD_MSG)
    return make_error("log-corrupt", "Kafka: " + what, "the broker's disk or the network damages records");
  if (message.err != RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET &&
      message.err != RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE) {
    return unavailable(what);
  }
  const Result<Extent> extent = watermarks(cursor->partition);
  if (!extent) return extent.error();
  if (cursor->offset < extent->begin || cursor->offset > extent->end) {
    return offset_out_of_range(cursor->partition, cursor->offset, *extent);
  }
  return {};  // in range after all: the reset had another cause, and the fetch begins again
}

void KafkaReader::seek(Partition partition, Offset offset) {
  const auto cursor = std::find_if(cursors_.begin(), cursors_.end(),
                                   [&](const Cursor& c) { return c.partition == partition; });
  BERTH_CHECK(cursor != cursors_.end(), "seek in a partition that the reader does not read");
  stop(*cursor);
  if (held_ && find(*held_) == &*cursor) held_.reset();
  cursor->offset = offset;
  pending_.reset();
}

void KafkaReader::wake() {
  woken_ = true;
  rd_kafka_queue_yield(queue_.get());
}

void KafkaReader::on_error(rd_kafka_t* /*handle*/, int code, const char* /*text*/, void* opaque) {
  if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) static_cast<KafkaReader*>(opaque)->brokers_away_ = true;
}

}  // namespace berth::kafka
