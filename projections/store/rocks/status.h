// RocksDB's statuses as errors of a Store.
#pragma once

#include <rocksdb/status.h>

#include "events/base/files/disk_error.h"
#include "events/rocks/error_number.h"
#include "projections/store/store_errors.h"

namespace berth::projections {

inline Error to_error(const rocksdb::Status& status, const std::string& doing) {
  const std::string message = doing + ": " + status.ToString();
  if (status.IsCorruption())
    return make_error(kStoreCorruptCode, message,
                      "it is disposable: it is moved aside and rebuilt from the journal");
  return disk_error(rocks::error_number(status), message, kStoreFailedCode);
}

}  // namespace berth::projections
