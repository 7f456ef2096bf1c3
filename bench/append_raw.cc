#include "bench/append_raw.h"

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "bench/tools.h"
#include "events/log/kafka/settings.h"

namespace berth::bench {
namespace {

std::string row_key(std::uint64_t number) {
  std::string key(8, '\0');
  for (int i = 7; i >= 0; --i, number >>= 8)
    key[static_cast<std::size_t>(i)] = static_cast<char>(number & 0xff);
  return key;
}

double rocksdb_rows(const std::string& folder, std::uint64_t events, std::uint64_t batch,
                    bool row_per_event) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.allow_concurrent_memtable_write = false;
  options.compression = rocksdb::kNoCompression;
  rocksdb::DB* opened = nullptr;
  if (const auto status = rocksdb::DB::Open(options, folder, &opened); !status.ok())
    give_up(make_error("internal-error", status.ToString()));
  const std::unique_ptr<rocksdb::DB> db(opened);
  const std::string event(kEventBytes, 'e');
  rocksdb::WriteOptions write;
  write.sync = true;
  const Stopwatch watch;
  for (std::uint64_t from = 0; from < events; from += batch) {
    const std::uint64_t to = std::min(events, from + batch);
    rocksdb::WriteBatch rows;
    if (row_per_event) {
      for (std::uint64_t i = from; i < to; ++i) rows.Put(row_key(i), event);
    } else {
      std::string row;
      for (std::uint64_t i = from; i < to; ++i) row += event;
      rows.Put(row_key(from), row);
    }
    if (const auto status = db->Write(write, &rows); !status.ok())
      give_up(make_error("internal-error", status.ToString()));
  }
  return static_cast<double>(events) / watch.seconds();
}

void count_delivered(rd_kafka_t*, const rd_kafka_message_t* message, void* counter) {
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR)
    give_up(make_error("internal-error", rd_kafka_err2str(message->err)));
  ++*static_cast<std::atomic<std::uint64_t>*>(counter);
}

}  // namespace

double raw_rocksdb(const std::string& folder, std::uint64_t events, std::uint64_t batch) {
  return std::max(rocksdb_rows(folder + "/raw-events", events, batch, true),
                  rocksdb_rows(folder + "/raw-batches", events, batch, false));
}

double raw_librdkafka(const std::string& brokers, const std::string& topic, std::uint64_t events,
                      std::uint64_t window) {
  std::atomic<std::uint64_t> delivered = 0;
  auto settings = must(kafka::producer_settings({brokers}, 0));
  rd_kafka_conf_set_dr_msg_cb(settings.get(), count_delivered);
  rd_kafka_conf_set_opaque(settings.get(), &delivered);
  const auto handle = must(kafka::make_handle(RD_KAFKA_PRODUCER, std::move(settings)));
  const kafka::Owned<rd_kafka_topic_t> produced(rd_kafka_topic_new(handle.get(), topic.c_str(), nullptr));
  std::atomic<bool> stopping = false;
  std::thread polling([&] {
    while (!stopping) rd_kafka_poll(handle.get(), 10);
  });
  std::string event(kEventBytes, 'e');
  const auto produce = [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) {
      while (i >= delivered + window) std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (rd_kafka_produce(produced.get(), 0, RD_KAFKA_MSG_F_COPY, event.data(), event.size(), "bench", 5,
                           nullptr) != 0)
        give_up(make_error("internal-error", rd_kafka_err2str(rd_kafka_last_error())));
    }
    while (delivered < to) std::this_thread::sleep_for(std::chrono::microseconds(50));
  };
  const std::uint64_t warm = events / 10;  // the topic's leader is known, buffers are there
  produce(0, warm);
  const Stopwatch watch;
  produce(warm, warm + events);
  const double seconds = watch.seconds();
  stopping = true;
  polling.join();
  return static_cast<double>(events) / seconds;
}

}  // namespace berth::bench
