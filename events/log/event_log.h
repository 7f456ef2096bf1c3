// EventLog: the one interface between Berth and whatever keeps its streams.
//
// A log holds a fixed set of partitions (stream, number), each an append-only list of payloads at contiguous
// offsets from `begin`. Implementations: memory (tests, simulator), local:DIR (embedded, RocksDB),
// kafka://host:port. One contract suite (tests/contract) runs against all three; callers cannot tell them
// apart but by speed and durability.
//
// Durability is a promise apart from order: append() only queues. The ticket's callback says what became of
// it:
//   durable  the payload is at that offset and survives a crash of the writer (P26: local = WAL sync, Kafka =
//   acks=all) failed   it is not in the log and never will be unknown  it may or may not be, now or later
//   (time-out, lost connection). The caller finds out by reading.
// Appends of one EventLog object to one partition keep their order: when one fails, later ones queued before
// the failure was reported may still land. The fold's sequence rule (P5) makes such orphans void.
//
// Readers see only durable payloads, in offset order, without holes.
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

// What a cluster's streams look like. Fixed at the creation of the log; opening with another layout is
// refused.
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
};

enum class AppendState : std::uint8_t { kDurable, kFailed, kUnknown };

struct AppendResult {
  AppendState state = AppendState::kUnknown;
  Offset offset = 0;  // where it is, if durable
  Error error;        // why, if not
};

// Called exactly once per append, in append order per partition, on a thread of the log's own (or inside
// pump() of the memory log). Must not block and must not call back into the log except append().
using AppendDone = std::function<void(const AppendResult&)>;

// [begin, end): begin > 0 once retention removed the oldest. end = the offset that the next append will get,
// as known durable now.
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
  // Appends up to `max_entries` / about `max_bytes` of what is there to `out` (offset order within a
  // partition). Waits at most `wait` when nothing is there. Errors:
  //   offset-out-of-range  the position is before `begin` or after the durable end (truncated log): names
  //   both, stays put log-corrupt          bytes fail their checksum log-unavailable      for now; call again
  virtual Result<std::size_t> poll(Duration wait, std::size_t max_entries, std::size_t max_bytes,
                                   std::vector<LogEntry>& out) = 0;
  virtual void seek(Partition partition, Offset offset) = 0;
  // Makes a waiting or the next poll return at once. Thread-safe.
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

  // Queues the payload; `done` may be empty. Returns at once; back pressure is the caller's (P10, P20).
  // `key` spreads and is kept where the log has keys (Kafka); order is per partition whatever the key.
  virtual void append(Partition partition, std::string_view key, std::string payload, AppendDone done) = 0;
  // Hints that no more comes at once, so that a batch may leave now. Optional to call.
  virtual void flush() = 0;

  virtual Result<Extent> extent(Partition partition) = 0;
  virtual Result<std::unique_ptr<LogReader>> open_reader(std::vector<ReadFrom> from) = 0;
};

// Opens by URL: "memory:", "local:DIR", "kafka://host:port[,host:port]". Creates the streams where they are
// missing. `producer_timeout` 0 = never give up (P22); API servers pass a short one.
struct OpenLog {
  std::string url;
  LogLayout layout;
  Duration producer_timeout = 0;
};

}  // namespace berth
