#include "events/log/local/local_reader.h"

#include <algorithm>
#include <utility>

#include "events/base/checks.h"
#include "events/log/positions.h"

namespace berth::local {

LocalReader::LocalReader(std::shared_ptr<LogCore> core, const std::vector<ReadFrom>& from)
    : core_(std::move(core)) {
  std::vector<std::size_t> indexes;
  for (const ReadFrom& read : from) {
    Cursor cursor;
    cursor.index = core_->index.of(read.partition);
    cursor.partition = read.partition;
    cursor.offset = read.offset;
    indexes.push_back(cursor.index);
    cursors_.push_back(std::move(cursor));
  }
  core_->tail.subscribe(&bell_, indexes);
}

LocalReader::~LocalReader() {
  std::vector<std::size_t> indexes;
  for (const Cursor& cursor : cursors_) indexes.push_back(cursor.index);
  core_->tail.unsubscribe(&bell_, indexes);
}

Result<std::size_t> LocalReader::poll(Duration wait, std::size_t max_entries, std::size_t max_bytes,
                                      std::vector<LogEntry>& out) {
  Budget budget{max_entries, max_bytes};
  bell_.silence();
  Result<void> swept = sweep(budget, out);
  if (budget.taken == 0 && swept.ok() && bell_.wait(wait) == Bell::Rang::kMore) swept = sweep(budget, out);
  if (budget.taken > 0) return budget.taken;  // an error stays where it is: the next poll meets it again
  if (!swept) return swept.error();
  return std::size_t{0};
}

Result<void> LocalReader::sweep(Budget& budget, std::vector<LogEntry>& out) {
  const std::size_t first = turn_;
  for (std::size_t i = 0; i < cursors_.size() && !budget.spent(); ++i) {
    turn_ = (first + i) % cursors_.size();
    if (Result<void> taken = take(cursors_[turn_], budget, out); !taken) return taken;
  }
  if (!cursors_.empty()) turn_ = (turn_ + 1) % cursors_.size();
  return {};
}

Result<void> LocalReader::take(Cursor& cursor, Budget& budget, std::vector<LogEntry>& out) {
  while (!budget.spent()) {
    if (cursor.block.done()) {
      const Result<bool> found = find_block(cursor);
      if (!found) return found.error();
      if (!*found) return {};
    }
    while (!cursor.block.done() && !budget.spent()) {
      const Offset offset = cursor.block.offset();
      const std::string_view payload = cursor.block.next();
      out.push_back({cursor.partition, offset, std::string(payload)});
      cursor.offset = offset + 1;
      ++budget.taken;
      --budget.entries;
      budget.bytes -= std::min(budget.bytes, payload.size());
    }
  }
  return {};
}

Result<bool> LocalReader::find_block(Cursor& cursor) {
  // Twice: retention may remove the row between the look at the extent and the look into RocksDB, and a walk
  // sees only what was there when it began.
  for (int attempt = 0; attempt < 2; ++attempt) {
    Extent extent;
    BlockPtr block = core_->tail.find(cursor.index, cursor.offset, extent);
    if (cursor.offset < extent.begin || cursor.offset > extent.end)
      return offset_out_of_range(cursor.partition, cursor.offset, extent);
    if (cursor.offset == extent.end) {
      cursor.block = {};
      cursor.walk.reset();
      return false;
    }
    if (block) {
      cursor.walk.reset();
    } else {
      if (!cursor.walk) cursor.walk = core_->rows->walk(cursor.partition);
      Result<BlockPtr> row = cursor.walk->at(cursor.offset);
      if (!row) {
        cursor.walk.reset();  // an error that passes would stay in it
        return row.error();
      }
      block = std::move(*row);
    }
    if (block) {
      cursor.block = BlockCursor(std::move(block), cursor.offset);
      return true;
    }
    cursor.walk.reset();
  }
  return make_error("log-corrupt",
                    to_string(cursor.partition) + " has no row for offset " + std::to_string(cursor.offset) +
                        " inside its extent",
                    "restore the log from a copy");
}

void LocalReader::seek(Partition partition, Offset offset) {
  const auto cursor = std::find_if(cursors_.begin(), cursors_.end(),
                                   [&](const Cursor& c) { return c.partition == partition; });
  BERTH_CHECK(cursor != cursors_.end(), "seek in a partition that the reader does not read");
  cursor->offset = offset;
  cursor->block = {};
  cursor->walk.reset();
}

}  // namespace berth::local
