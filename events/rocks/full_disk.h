// Makes a RocksDB outlive an error of its disk that passes, like a full disk, and go on when it has passed.
//
// Debian builds RocksDB 7.8 with assertions: a write to a file after a failed one ends the process. Resume()
// drops the write-ahead log with the failed write only if some memtable has an entry to flush; so one family
// always has an entry. For the one writing thread; not thread-safe.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>

namespace berth::rocks {

// Turns off the LOG file, which is on the same disk, and automatic recovery: RocksDB would wait for much
// space, and refuse our Resume() meanwhile. Each error of the disk leaves Resume() possible: RocksDB takes
// most for final, also a full disk that has no room for a new file.
void outlive_full_disk(rocksdb::DBOptions& options);

// Files that a database may keep open: `wanted`, or an eighth of what this process may open (its hard limit).
int open_files_max(int wanted);

// True from an error of the background or of a write on until ResumeEntry::resume() succeeds: a sync of the
// write-ahead log would end the process. Any thread.
bool has_stopped(const rocksdb::DB& db);

// For tests: the disk of the databases that are opened from now on; null: the machine's.
void set_disk_for_tests(rocksdb::Env* disk);

// The entry that is never in the write-ahead log. Its key is "resume"; `family` holds nothing of value.
class ResumeEntry {
 public:
  // Call before every write: a flush may have removed the entry.
  void renew(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family);
  // Call after a failed write. Returns ok if the next write may be tried. RocksDB may wait for a flush that
  // nobody does; after a minute its work is cancelled, and the database is of no use until it is opened
  // again.
  rocksdb::Status resume(rocksdb::DB& db);

 private:
  int writes_left_ = 0;
};

}  // namespace berth::rocks
