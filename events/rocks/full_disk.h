// Makes a RocksDB outlive a full disk and go on by itself once there is space.
//
// Debian builds RocksDB 7.8 with assertions: a write to a file after a failed one ends the process. Resume()
// drops the write-ahead log with the failed write only if some memtable has an entry to flush; so one family
// always has an entry. For the one writing thread; not thread-safe.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>

namespace berth::rocks {

// Turns off the LOG file, which is on the same disk, and automatic recovery: RocksDB would wait for much
// space, and refuse our Resume() meanwhile.
void outlive_full_disk(rocksdb::DBOptions& options);

// The entry that is never in the write-ahead log. Its key is "resume"; `family` holds nothing of value.
class ResumeEntry {
 public:
  // Call before every write: a flush may have removed the entry.
  void renew(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family);
  // Call after a failed write. Returns ok if the next write may be tried.
  rocksdb::Status resume(rocksdb::DB& db);

 private:
  int writes_left_ = 0;
};

}  // namespace berth::rocks
