// How a RocksDB outlives a full disk and goes on by itself when there is space again.
//
// Debian builds RocksDB 7.8 with assertions: writing to a file again after one failed write ends the process.
// Resume() leaves the write-ahead log with the failed write behind only if some memtable has an entry to
// flush; so one family always has one. Not thread-safe: for the one thread that writes.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>

namespace berth::rocks {

// No LOG file (it stands on the same disk), and Resume() is ours to call: by itself RocksDB would wait for
// much space, and refuse ours meanwhile.
void outlive_full_disk(rocksdb::DBOptions& options);

// The entry that is never in the write-ahead log. `family` holds nothing that matters; its key is "resume".
class ResumeEntry {
 public:
  // Call before every write: now and then the entry was flushed away.
  void renew(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family);
  // After a write that failed: ok when the next one may be tried.
  rocksdb::Status resume(rocksdb::DB& db);

 private:
  int writes_left_ = 0;
};

}  // namespace berth::rocks
