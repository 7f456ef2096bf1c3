// The bytes of the embedded log: one RocksDB row per partition and group commit.
//
//   key    u8 stream, u32 partition (big endian), u64 first offset (big endian): rows sort by partition,
//          then offset
//   value  u8 version = 1, i64 time of the append (ns, log_time.h, for retention only), u32 count,
//          then per record: u32 length, u32 crc32c of the payload, payload          (integers little endian)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "events/log/event_log.h"

namespace berth::local {

inline constexpr std::size_t kRowHeaderBytes = 1 + 8 + 4;
inline constexpr std::size_t kRecordHeaderBytes = 4 + 4;

std::string row_key(Partition partition, Offset first);
struct RowKey {
  Partition partition;
  Offset first = 0;
};
// Returns false if `key` is not a row key.
bool parse_row_key(std::string_view key, RowKey& out);

// A row in memory, as written, kept as the tail and read back. Immutable once built.
struct Block {
  Offset first = 0;
  std::uint32_t count = 0;
  std::string bytes;  // the value above

  Offset end() const { return first + count; }
};
using BlockPtr = std::shared_ptr<const Block>;

class BlockBuilder {
 public:
  BlockBuilder(Offset first, std::size_t bytes_expected);
  // Returns the record's offset.
  Offset add(std::string_view payload);
  std::uint32_t count() const { return block_->count; }
  BlockPtr finish(Timestamp time);

 private:
  std::shared_ptr<Block> block_;
};

// Checks structure and every crc. Error "log-corrupt" naming the partition and offset.
Result<BlockPtr> parse_block(Partition partition, Offset first, std::string_view value);
// Reads the header alone; 0 if `value` is too short.
Timestamp time_of_row(std::string_view value);
std::uint32_t count_of_row(std::string_view value);

// Walks the records of a block that parse_block or BlockBuilder made.
class BlockCursor {
 public:
  // REQUIRES: block->first <= offset <= block->end()
  BlockCursor(BlockPtr block, Offset offset);
  BlockCursor() = default;
  bool done() const { return !block_ || offset_ == block_->end(); }
  Offset offset() const { return offset_; }
  // REQUIRES: !done(). The view lives as long as the cursor's block.
  std::string_view next();

 private:
  BlockPtr block_;
  Offset offset_ = 0;
  std::size_t at_ = kRowHeaderBytes;
};

}  // namespace berth::local
