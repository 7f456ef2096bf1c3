// RocksDB's statuses as errors of a Store.
#pragma once

#include <rocksdb/status.h>

#include "events/base/edge_errors.h"
#include "events/base/result.h"
#include "projections/store/store_errors.h"

namespace berth::projections {

inline Error to_error(const rocksdb::Status& status, const std::string& doing) {
  const std::string message = doing + ": " + status.ToString();
  if (status.IsNoSpace() || status.subcode() == rocksdb::Status::SubCode::kNoSpace)
    return make_error(kDiskFull, message, "free some space; it goes on by itself");
  if (status.IsCorruption())
    return make_error(kStoreCorruptCode, message,
                      "it is disposable: it is moved aside and rebuilt from the journal");
  return make_error("store-failed", message, "look at the disk under the state folder");
}

}  // namespace berth::projections
