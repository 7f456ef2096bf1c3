// RocksDB's settings for a log.
#pragma once

#include <rocksdb/options.h>

#include "events/log/local/partition_index.h"

namespace berth::local {

rocksdb::DBOptions row_db_options();
rocksdb::ColumnFamilyOptions row_family_options(Stream stream);

}  // namespace berth::local
