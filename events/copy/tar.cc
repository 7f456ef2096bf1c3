#include "events/copy/tar.h"

#include <algorithm>
#include <string_view>

namespace berth::copy {
namespace {

constexpr std::size_t kNameField = 100;  // bytes
constexpr std::uint64_t kSizeFieldMax = (std::uint64_t{1} << 33) - 1;
constexpr std::int64_t kTimeFieldMax = (std::int64_t{1} << 33) - 1;

void set_text(std::string& block, std::size_t at, std::string_view text) {
  block.replace(at, text.size(), text);
}

// Octal digits that fill the field but for a zero byte at its end.
void set_number(std::string& block, std::size_t at, std::size_t field, std::uint64_t value) {
  block[at + field - 1] = '\0';
  for (std::size_t i = field - 1; i-- > 0; value >>= 3) block[at + i] = static_cast<char>('0' + (value & 7));
}

// The sum of all bytes, its own field counted as spaces.
void set_checksum(std::string& block) {
  set_text(block, 148, "        ");
  std::uint64_t sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  set_number(block, 148, 7, sum);
}

struct Header {
  char type = '0';
  std::string_view name;
  std::string_view target = {};
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
  std::uint64_t seconds = 0;
};

void append_block(std::string& out, const Header& header) {
  std::string block(kBlock, '\0');
  set_text(block, 0, header.name.substr(0, kNameField));
  set_number(block, 100, 8, header.mode);
  set_number(block, 108, 8, 0);  // owner and group
  set_number(block, 116, 8, 0);
  set_number(block, 124, 12, header.size);
  set_number(block, 136, 12, header.seconds);
  block[156] = header.type;
  set_text(block, 157, header.target.substr(0, kNameField));
  set_text(block, 257, std::string_view("ustar\00000", 8));
  set_number(block, 329, 8, 0);  // numbers of a device
  set_number(block, 337, 8, 0);
  set_checksum(block);
  out += block;
}

// "LENGTH KEY=VALUE\n", where the length counts its own digits.
void append_record(std::string& out, std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (rest + std::to_string(length).size() != length) ++length;
  out += std::to_string(length);
  out += ' ';
  out += key;
  out += '=';
  out += value;
  out += '\n';
}

// A decimal number of seconds, whose fraction is subtracted with the rest if it is negative.
std::string decimal(const FileTime& time) {
  const bool negative = time.seconds < 0;
  const bool borrows = negative && time.nanoseconds > 0;
  const std::int64_t whole = borrows ? time.seconds + 1 : time.seconds;
  const std::uint32_t part = borrows ? 1'000'000'000 - time.nanoseconds : time.nanoseconds;
  std::string text = negative && whole == 0 ? "-0" : std::to_string(whole);
  if (part == 0) return text;
  const std::string digits = std::to_string(part);
  return text + "." + std::string(9 - digits.size(), '0') + digits;
}

bool fits_field(const FileTime& time) {
  return time.nanoseconds == 0 && time.seconds >= 0 && time.seconds <= kTimeFieldMax;
}

std::string records_of(const TarEntry& entry) {
  std::string records;
  if (entry.name.size() > kNameField) append_record(records, "path", entry.name);
  if (entry.target.size() > kNameField) append_record(records, "linkpath", entry.target);
  if (entry.size > kSizeFieldMax) append_record(records, "size", std::to_string(entry.size));
  if (!fits_field(entry.changed_at)) append_record(records, "mtime", decimal(entry.changed_at));
  return records;
}

char type_of(TarEntry::Kind kind) {
  switch (kind) {
    case TarEntry::Kind::kFolder: return '5';
    case TarEntry::Kind::kLink: return '2';
    default: return '0';
  }
}

}  // namespace

void append_header(std::string& out, const TarEntry& entry) {
  const std::string records = records_of(entry);
  if (!records.empty()) {
    append_block(out, {.type = 'x', .name = "PaxHeader", .size = records.size(), .mode = 0644});
    out += records;
    out.append(padding_of(records.size()), '\0');
  }
  const std::int64_t seconds = std::clamp<std::int64_t>(entry.changed_at.seconds, 0, kTimeFieldMax);
  append_block(out, {.type = type_of(entry.kind),
                     .name = entry.name,
                     .target = entry.target,
                     .size = entry.size > kSizeFieldMax ? 0 : entry.size,
                     .mode = entry.mode & 0777,
                     .seconds = static_cast<std::uint64_t>(seconds)});
}

std::size_t padding_of(std::uint64_t size) { return (kBlock - size % kBlock) % kBlock; }

void append_end(std::string& out) { out.append(2 * kBlock, '\0'); }

}  // namespace berth::copy
