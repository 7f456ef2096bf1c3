// The embedded log, local:DIR: durable, in one process, on RocksDB (P26).
//
//   append() --queue--> appender thread: the queue = one WriteBatch, a row per partition, one WAL sync
//                         -> tail in memory -> readers woken -> callbacks, in append order
//   keeper thread: the end mark, at most 100 ms behind; retention once a minute
//
// Folder: rows/ (RocksDB), end-mark, lock. Opening checks the lock, the layout and that no partition ends
// before its mark. Where the disk fails in a way that may pass (may_pass()), like a full one, appends under
// way are reported kUnknown and later ones kFailed, with that code; the log goes on by itself when the error
// has passed. Any other error of the disk is final until the log is opened again ("log-io-error"), as is one
// of "disk-failing" that lasts longer than the log's patience.
#pragma once

#include <memory>
#include <string>

#include "events/log/event_log.h"

namespace berth {

struct LocalLogOptions {
  std::string dir;  // made if missing
  LogLayout layout;
  const Clock* clock = nullptr;        // stamps rows for retention; outlives the log
  std::size_t tail_bytes = 64u << 20;  // newest batches kept in memory for tailing readers
  Duration mark_interval = 100 * kMillisecond;
  Duration retention_interval = kMinute;
  Duration disk_patience = 30 * kSecond;
  bool accept_truncation = false;  // opens although a partition ends before its mark (P26)
};

// Errors: "log-in-use" (names the holder's pid), "log-layout-differs", "log-truncated" (names the mark and
// the log's end), "log-corrupt", "log-io-error", those of may_pass(). The log's destructor makes queued
// appends durable and calls all callbacks. Readers may outlive the log, but hold its folder until they go.
Result<std::unique_ptr<EventLog>> open_local_log(const LocalLogOptions& options);

}  // namespace berth
