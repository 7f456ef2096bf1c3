#include "events/copy/tar_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace berth::copy {
namespace {

constexpr std::uint64_t kSizeMax = std::uint64_t{1} << 62;
constexpr char kDamagedNumber[] = "a number in it cannot be read";

// A field's text, which ends at a zero byte or with the field.
std::string_view text_at(std::string_view block, std::size_t at, std::size_t field) {
  const std::string_view text = block.substr(at, field);
  return text.substr(0, text.find('\0'));
}

// Octal digits with spaces around them, or, where the first byte says so, a binary number.
std::optional<std::uint64_t> number_at(std::string_view block, std::size_t at, std::size_t field) {
  std::string_view text = block.substr(at, field);
  if ((static_cast<unsigned char>(text[0]) & 0x80) != 0) {
    std::uint64_t value = static_cast<unsigned char>(text[0]) & 0x7F;
    for (const char c : text.substr(1)) {
      if (value >> 55 != 0) return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
  }
  text = text_at(block, at, field);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '7' || value >> 60 != 0) return std::nullopt;
    value = value << 3 | static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

// Programs of long ago summed signed bytes.
bool checksum_fits(std::string_view block) {
  std::int64_t plain = 0, with_signs = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const char c = i >= 148 && i < 156 ? ' ' : block[i];
    plain += static_cast<unsigned char>(c);
    with_signs += static_cast<signed char>(c);
  }
  const auto said = number_at(block, 148, 8);
  if (!said) return false;
  const auto sum = static_cast<std::int64_t>(*said);
  return sum == plain || sum == with_signs;
}

bool is_zeros(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

std::string name_in(std::string_view block) {
  const std::string_view name = text_at(block, 0, 100);
  // Only ustar has a prefix; GNU tar keeps other things there.
  const bool is_ustar = block.substr(257, 6) == std::string_view("ustar\0", 6);
  const std::string_view prefix = is_ustar ? text_at(block, 345, 155) : std::string_view();
  return prefix.empty() ? std::string(name) : std::string(prefix) + "/" + std::string(name);
}

template <class Number> bool read_decimal(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

// "-1.5" is a second and a half before 1970.
std::optional<FileTime> time_in(std::string_view text) {
  const std::size_t point = text.find('.');
  std::int64_t whole = 0;
  if (!read_decimal(text.substr(0, point), whole)) return std::nullopt;
  if (whole == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  std::uint32_t part = 0;
  if (point != std::string_view::npos) {
    std::string digits(text.substr(point + 1));
    digits.resize(9, '0');
    if (!read_decimal(digits, part)) return std::nullopt;
  }
  if (text.front() != '-' || part == 0) return FileTime{whole, part};
  return FileTime{whole - 1, 1'000'000'000 - part};
}

TarEntry::Kind kind_of(char type, bool sparse, const std::string& name) {
  using Kind = TarEntry::Kind;
  switch (type) {
    case '\0':
    case '0':
    case '7':
      if (!name.empty() && name.back() == '/') return Kind::kFolder;  // before ustar
      return sparse ? Kind::kOther : Kind::kFile;
    case '1': return Kind::kHardLink;
    case '2': return Kind::kLink;
    case '5': return Kind::kFolder;
    default: return Kind::kOther;
  }
}

}  // namespace

std::optional<TarItem> TarReader::next(std::string_view& input) {
  while (!problem_ && !ended_) {
    if (left_ > 0 && input.empty()) return std::nullopt;
    if (left_ > 0) {
      if (auto item = take_body(input)) return item;
      continue;
    }
    if (padding_ > 0) {
      const std::size_t taken = std::min(padding_, input.size());
      input.remove_prefix(taken);
      padding_ -= taken;
      if (padding_ > 0) return std::nullopt;
    }
    if (!fill_block(input)) return std::nullopt;
    auto item = take_block();
    block_.clear();
    if (item) return item;
  }
  if (ended_) input = {};  // programs fill the last blocks up
  return std::nullopt;
}

std::optional<TarItem> TarReader::take_body(std::string_view& input) {
  const std::string_view piece = input.substr(0, std::min<std::uint64_t>(left_, input.size()));
  input.remove_prefix(piece.size());
  left_ -= piece.size();
  if (body_ == Body::kFile) return FileBytes{piece};
  if (body_ == Body::kExtension) {
    extension_ += piece;
    if (left_ == 0) take_extension();
  }
  return std::nullopt;
}

bool TarReader::fill_block(std::string_view& input) {
  const std::string_view piece = input.substr(0, kBlock - block_.size());
  block_ += piece;
  input.remove_prefix(piece.size());
  return block_.size() == kBlock;
}

// An entry, the end, or nothing: what says something of the entry that comes.
std::optional<TarItem> TarReader::take_block() {
  if (is_zeros(block_)) {
    ended_ = true;
    return TarEnd{};
  }
  const auto size = number_at(block_, 124, 12);
  const char type = block_[156];
  if (!checksum_fits(block_))
    fail("it is no tar, or bytes of it are missing");
  else if (!size || *size > kSizeMax)
    fail(kDamagedNumber);
  else if (type == 'x' || type == 'g' || type == 'L' || type == 'K')
    begin_extension(type, *size);
  else if (type == 'S')
    fail("it has sparse files in GNU tar's old format; make it without --sparse");
  else
    return take_entry(type, *size);
  return std::nullopt;
}

std::optional<TarItem> TarReader::take_entry(char type, std::uint64_t size) {
  Extended extended = std::exchange(extended_, {});
  extension_bytes_ = 0;
  TarEntry entry;
  entry.name = extended.name ? std::move(*extended.name) : name_in(block_);
  entry.target = extended.target ? std::move(*extended.target) : std::string(text_at(block_, 157, 100));
  entry.kind = kind_of(type, extended.sparse, entry.name);
  const auto mode = number_at(block_, 100, 8);
  if (!mode) {
    fail(kDamagedNumber);
    return std::nullopt;
  }
  entry.mode = static_cast<std::uint32_t>(*mode & 0777);
  // Only pax records have times before 1970; in GNU tar's own form they are not worth reading.
  const std::uint64_t seconds = std::min(number_at(block_, 136, 12).value_or(0), kSizeMax);
  entry.changed_at = extended.changed_at.value_or(FileTime{static_cast<std::int64_t>(seconds), 0});
  // Links, folders and devices have no bytes, whatever they say. What we do not know may have.
  const bool has_bytes = type < '1' || type > '6';
  left_ = has_bytes ? extended.size.value_or(size) : 0;
  padding_ = padding_of(left_);
  body_ = entry.kind == TarEntry::Kind::kFile ? Body::kFile : Body::kSkipped;
  entry.size = entry.kind == TarEntry::Kind::kFile ? left_ : 0;
  return entry;
}

void TarReader::begin_extension(char type, std::uint64_t size) {
  if (size > kExtensionMax || (extension_bytes_ += size + kBlock) > kExtensionMax)
    return fail("the headers of an entry have more than 64 KiB");
  extension_type_ = type;
  extension_.clear();
  body_ = Body::kExtension;
  left_ = size;
  padding_ = padding_of(size);
}

void TarReader::take_extension() {
  const std::string said = std::exchange(extension_, {});
  switch (extension_type_) {
    case 'L': extended_.name = std::string(text_at(said, 0, said.size())); break;
    case 'K': extended_.target = std::string(text_at(said, 0, said.size())); break;
    case 'x': take_records(said); break;
    default: break;  // it speaks of all entries, and nothing in it is for us
  }
}

void TarReader::take_records(std::string_view records) {
  while (!records.empty() && !problem_) {
    const std::size_t space = records.substr(0, 8).find(' ');
    std::size_t length = 0;
    if (space == std::string_view::npos || !read_decimal(records.substr(0, space), length) ||
        length > records.size() || length < space + 3 || records[length - 1] != '\n')
      return fail("a pax record in it cannot be read");
    const std::string_view record = records.substr(space + 1, length - space - 2);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) return fail("a pax record in it has no value");
    take_record(record.substr(0, equals), record.substr(equals + 1));
    records.remove_prefix(length);
  }
}

void TarReader::take_record(std::string_view key, std::string_view value) {
  std::uint64_t size = 0;
  if (key == "path") {
    extended_.name = std::string(value);
  } else if (key == "linkpath") {
    extended_.target = std::string(value);
  } else if (key == "size") {
    if (!read_decimal(value, size) || size > kSizeMax) return fail(kDamagedNumber);
    extended_.size = size;
  } else if (key == "mtime") {
    extended_.changed_at = time_in(value);
    if (!extended_.changed_at) return fail(kDamagedNumber);
  } else if (key.substr(0, 11) == "GNU.sparse.") {
    extended_.sparse = true;
  }
}

void TarReader::fail(const char* what) {
  problem_ = Problem{"tar-damaged", std::string("the tar stream cannot be read: ") + what};
}

}  // namespace berth::copy
