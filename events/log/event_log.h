// EventLog: the one interface between Berth and the log that keeps its streams.
//
// A log holds a fixed set of partitions (stream, number), each an append-only list of payloads at growing
// offsets from `begin`. Implementations: memory (tests, simulator), local:DIR (embedded, RocksDB),
// kafka://host:port. One contract suite (tests/contract) runs against all three; callers can tell them apart
// only by speed and durability.
//
// Durability is a promise apart from order: append() only queues. The callback gets the outcome:
//   durable  the payload is at that offset and survives a crash of the writer (P26: local = WAL sync,
//            Kafka = acks=all)
//   failed   the payload is not in the log and never will be
//   unknown  the payload may be in the log, now or later (time-out, lost connection); reading the log tells
// Appends of one EventLog object to one partition keep their order. When one fails, later ones queued before
// the failure was reported may still land. The fold's sequence rule (P5) makes such orphans void.
//
// Readers see every durable payload in offset order, also of a transaction that is not committed. An offset
// of [begin, end) may have no payload, e.g. where a transactional producer of Kafka's ended a transaction:
// readers see an entry there, marked as a gap (P30), so that the entries of a partition are contiguous.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "events/base/clock.h"
#include "events/base/result.h"
#include "events/base/uuid.h"

namespace berth {

enum class Stream : std::uint8_t { kJournal, kRequests, kReports, kOrders, kHealth, kControl, kUsage };
inline constexpr int kStreamCount = 7;
const char* name_of(Stream stream);  // "journal", "requests", ...

struct Partition {
  Stream stream = Stream::kJournal;
  std::uint32_t number = 0;
  auto operator<=>(const Partition&) const = default;
};
std::string to_string(const Partition& partition);  // "journal/0"

using Offset = std::uint64_t;

// The names and partitions of a cluster's streams. Fixed at the creation of the log; opening with another
// layout is refused.
struct LogLayout {
  std::string cluster = "berth";  // stream names are <cluster>.<cell>.<stream>
  std::string cell = "c0";
  std::uint32_t requests = 4;  // partitions
  std::uint32_t reports = 4;
  std::uint32_t orders = 64;
  // journal, health, control, usage have 1
  std::uint32_t partitions_of(Stream stream) const;
  std::string stream_name(Stream stream) const;  // "berth.c0.journal"
  bool operator==(const LogLayout&) const = default;
};

struct LogEntry {
  Partition partition;
  Offset offset = 0;
  std::string payload;
  bool gap = false;  // there is no payload at this offset
};

enum class AppendState : std::uint8_t { kDurable, kFailed, kUnknown };

struct AppendResult {
  AppendState state = AppendState::kUnknown;
  Offset offset = 0;  // of the payload, if durable
  Error error;        // the reason, if not
};

// Called exactly once per append, in append order per partition, on a thread of the log's own (or inside
// pump() of the memory log). Must not block and must not call back into the log except append().
using AppendDone = std::function<void(const AppendResult&)>;

// [begin, end): begin > 0 once retention removed the oldest payloads; end = the offset after the last payload
// or gap that is durable now.
struct Extent {
  Offset begin = 0;
  Offset end = 0;
};

inline constexpr std::size_t kPayloadBytesMax =
    1u << 20;  // a larger payload is refused with "payload-too-large"

// A cursor over several partitions. One thread at a time; wake() alone may be called from any thread.
class LogReader {
 public:
  virtual ~LogReader() = default;
  // Appends at most `max_entries` / about `max_bytes` of the available entries to `out` (offset order
  // within a partition). Waits at most `wait` if there are none. Errors:
  //   offset-out-of-range  the position is before `begin` or after the durable end (truncated log); the error
  //                        names both, the position stays
  //   log-corrupt          bytes fail their checksum
  //   log-unavailable      temporary: call again
  virtual Result<std::size_t> poll(Duration wait, std::size_t max_entries, std::size_t max_bytes,
                                   std::vector<LogEntry>& out) = 0;
  virtual void seek(Partition partition, Offset offset) = 0;
  // Makes a waiting poll, or else the next one, return at once. Thread-safe.
  virtual void wake() = 0;
};

struct ReadFrom {
  Partition partition;
  Offset offset = 0;
};

// Thread-safe.
class EventLog {
 public:
  virtual ~EventLog() = default;

  virtual const LogLayout& layout() const = 0;

  // Queues the payload; `done` may be empty. Returns at once; the caller limits its appends in flight (P10,
  // P20). A log with keys (Kafka) keeps `key`; order is per partition, whatever the key.
  virtual void append(Partition partition, std::string_view key, std::string payload, AppendDone done) = 0;
  // Hint: no append follows at once, so that a batch may leave now. Optional to call.
  virtual void flush() = 0;

  virtual Result<Extent> extent(Partition partition) = 0;
  virtual Result<std::unique_ptr<LogReader>> open_reader(std::vector<ReadFrom> from) = 0;
};

// Options of open_log(). `url`: "memory:", "local:DIR", "kafka://host:port[,host:port]". `producer_timeout` 0
// = never give up (P22); API servers pass a short one. The rest is Kafka's: see events/log/kafka/kafka_log.h.
struct OpenLog {
  std::string url;
  LogLayout layout;
  Duration producer_timeout = 0;
  std::string kafka_config = {};   // file of librdkafka's properties for SASL and TLS; empty: plain text
  bool allow_one_replica = false;  // streams with one replica, which a disk's loss takes along
  bool makes_streams = true;       // and checks their settings; false: waits until a controller has made them
};

}  // namespace berth
