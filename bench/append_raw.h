// The ceilings of append: RocksDB and librdkafka by themselves.
#pragma once

#include <cstdint>
#include <string>

namespace berth::bench {

inline constexpr std::size_t kEventBytes = 200;

// Appends/s of `events` payloads in WAL-synced batches of `batch`: the better of a row an event and a row a
// batch.
double raw_rocksdb(const std::string& folder, std::uint64_t events, std::uint64_t batch);
// Acknowledged appends/s to partition 0 of `topic`, at most `window` in flight, with the log's own settings.
double raw_librdkafka(const std::string& brokers, const std::string& topic, std::uint64_t events,
                      std::uint64_t window);

}  // namespace berth::bench
