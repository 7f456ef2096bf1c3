#include "events/log/local/batch_row.h"

#include <cstring>
#include <utility>

#include "events/base/checks.h"
#include "events/base/hash.h"

namespace berth::local {
namespace {

constexpr char kRowVersion = 1;
constexpr std::size_t kKeyBytes = 1 + 4 + 8;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the row format is written with plain copies");

template <class T> void append_little(std::string& out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

template <class T> T read_little(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T> void append_big(std::string& out, T value) {
  for (int shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift);
}

template <class T> T read_big(std::string_view bytes) {
  T value = 0;
  for (const char c : bytes) value = static_cast<T>(value << 8 | static_cast<std::uint8_t>(c));
  return value;
}

}  // namespace

std::string row_key(Partition partition, Offset first) {
  std::string key;
  key.reserve(kKeyBytes);
  key += static_cast<char>(partition.stream);
  append_big(key, partition.number);
  append_big(key, first);
  return key;
}

bool parse_row_key(std::string_view key, RowKey& out) {
  if (key.size() != kKeyBytes || key[0] >= kStreamCount) return false;
  out.partition.stream = static_cast<Stream>(key[0]);
  out.partition.number = read_big<std::uint32_t>(key.substr(1, 4));
  out.first = read_big<std::uint64_t>(key.substr(5, 8));
  return true;
}

BlockBuilder::BlockBuilder(Offset first, std::size_t bytes_expected) : block_(std::make_shared<Block>()) {
  block_->first = first;
  block_->bytes.reserve(bytes_expected + kRowHeaderBytes);
  block_->bytes.assign(kRowHeaderBytes, '\0');
}

Offset BlockBuilder::add(std::string_view payload) {
  append_little(block_->bytes, static_cast<std::uint32_t>(payload.size()));
  append_little(block_->bytes, crc32c(payload));
  block_->bytes.append(payload);
  return block_->first + block_->count++;
}

BlockPtr BlockBuilder::finish(Timestamp time) {
  char* header = block_->bytes.data();
  header[0] = kRowVersion;
  std::memcpy(header + 1, &time, sizeof time);
  std::memcpy(header + 9, &block_->count, sizeof block_->count);
  return std::exchange(block_, nullptr);
}

Timestamp time_of_row(std::string_view value) {
  return value.size() < kRowHeaderBytes ? 0 : read_little<Timestamp>(value.data() + 1);
}

std::uint32_t count_of_row(std::string_view value) {
  return value.size() < kRowHeaderBytes ? 0 : read_little<std::uint32_t>(value.data() + 9);
}

Result<BlockPtr> parse_block(Partition partition, Offset first, std::string_view value) {
  const auto corrupt = [&](Offset offset, const char* what) {
    return make_error("log-corrupt",
                      to_string(partition) + " at offset " + std::to_string(offset) + ": " + what,
                      "restore the log from a copy; nothing after this offset can be trusted");
  };
  if (value.size() < kRowHeaderBytes || value[0] != kRowVersion)
    return corrupt(first, "the row's header is not one of this version");
  const std::uint32_t count = count_of_row(value);
  std::size_t at = kRowHeaderBytes;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (value.size() - at < kRecordHeaderBytes) return corrupt(first + i, "the row ends inside a record");
    const auto length = read_little<std::uint32_t>(value.data() + at);
    const auto crc = read_little<std::uint32_t>(value.data() + at + 4);
    at += kRecordHeaderBytes;
    if (value.size() - at < length) return corrupt(first + i, "the row ends inside a record");
    if (crc32c(value.substr(at, length)) != crc) return corrupt(first + i, "the record fails its checksum");
    at += length;
  }
  if (at != value.size()) return corrupt(first, "the row is longer than its records");
  auto block = std::make_shared<Block>();
  block->first = first;
  block->count = count;
  block->bytes.assign(value);
  return BlockPtr(std::move(block));
}

BlockCursor::BlockCursor(BlockPtr block, Offset offset) : block_(std::move(block)), offset_(block_->first) {
  BERTH_CHECK(offset >= block_->first && offset <= block_->end(), "the offset is not in this block");
  while (offset_ < offset) next();
}

std::string_view BlockCursor::next() {
  const auto length = read_little<std::uint32_t>(block_->bytes.data() + at_);
  const std::string_view payload = std::string_view(block_->bytes).substr(at_ + kRecordHeaderBytes, length);
  at_ += kRecordHeaderBytes + length;
  ++offset_;
  return payload;
}

}  // namespace berth::local
