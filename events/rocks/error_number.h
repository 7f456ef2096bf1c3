// Which error of the machine is behind a status of RocksDB. Thread-safe.
#pragma once

#include <rocksdb/status.h>

namespace berth::rocks {

// An errno; 0: the status is of no disk, or names an error that is not known here.
int error_number(const rocksdb::Status& status);

}  // namespace berth::rocks
