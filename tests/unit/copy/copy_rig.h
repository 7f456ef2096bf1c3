// What tests of copies share: a tree packed into a string, a string unpacked, tars made by hand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "events/copy/files/pack.h"
#include "events/copy/files/unpack.h"
#include "events/copy/tar.h"
#include "tests/support/temp_dir.h"

namespace berth::copy {

namespace fs = std::filesystem;

struct Packed {
  std::string bytes;
  std::vector<std::string> notes;
  std::string code;  // of its problem
};

// `most`: the sink takes no more than that.
inline Packed pack_all(const fs::path& path, std::size_t most = SIZE_MAX) {
  Packed packed;
  Notes notes([&](const std::string& line) { packed.notes.push_back(line); });
  const Sink sink = [&](std::string_view bytes) {
    EXPECT_LE(bytes.size(), kPieceMax);
    packed.bytes += bytes;
    return packed.bytes.size() < most;
  };
  if (const auto problem = pack(path.string(), sink, notes)) packed.code = problem->code;
  return packed;
}

struct Unpacked {
  std::vector<std::string> notes;
  std::string code;
};

inline Unpacked unpack_all(const std::string& bytes, UnpackTo to, std::size_t step = 64 << 10) {
  Unpacked unpacked;
  Notes notes([&](const std::string& line) { unpacked.notes.push_back(line); });
  Unpacker unpacker(std::move(to), notes);
  auto problem = unpacker.open();
  for (std::size_t at = 0; !problem && at < bytes.size(); at += step)
    problem = unpacker.take(std::string_view(bytes).substr(at, step));
  if (!problem) problem = unpacker.finish();
  if (problem) unpacked.code = problem->code;
  return unpacked;
}

// An entry with its bytes.
inline std::string entry(TarEntry::Kind kind, const std::string& name,
                         const std::string& bytes_or_target = "", std::uint32_t mode = 0755) {
  TarEntry made;
  made.kind = kind;
  made.name = name;
  made.mode = mode;
  made.changed_at = {1'000'000'000, 0};
  std::string out;
  if (kind == TarEntry::Kind::kLink) {
    made.target = bytes_or_target;
    append_header(out, made);
    return out;
  }
  made.size = bytes_or_target.size();
  append_header(out, made);
  return out + bytes_or_target + std::string(padding_of(made.size), '\0');
}
inline std::string file(const std::string& name, const std::string& bytes = "bytes") {
  return entry(TarEntry::Kind::kFile, name, bytes, 0644);
}
inline std::string folder(const std::string& name) { return entry(TarEntry::Kind::kFolder, name + "/"); }
inline std::string link(const std::string& name, const std::string& target) {
  return entry(TarEntry::Kind::kLink, name, target);
}
inline std::string whole(std::string entries) {
  append_end(entries);
  return entries;
}

// Makes the checksum of the header at this place fit what stands in it.
inline void sign(std::string& tar, std::size_t at = 0) {
  std::fill_n(tar.begin() + static_cast<std::ptrdiff_t>(at) + 148, 8, ' ');
  unsigned sum = 0;
  for (std::size_t i = at; i < at + kBlock; ++i) sum += static_cast<unsigned char>(tar[i]);
  char digits[16];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  tar.replace(at + 148, 7, digits, 7);
}
// Another type for the entry that stands first.
inline std::string of_type(char type, std::string tar) {
  tar[156] = type;
  sign(tar);
  return tar;
}
inline std::string with_records(const std::string& records, const std::string& entries) {
  std::string header = file("PaxHeader", records);
  return of_type('x', header) + entries;
}

inline void write(const fs::path& path, const std::string& bytes = "bytes") {
  std::ofstream(path, std::ios::binary) << bytes;
}
inline std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline bool run(const std::string& command) { return std::system(command.c_str()) == 0; }

class CopyTest : public ::testing::Test {
 protected:
  testing::TempDir folder_;
  const fs::path& root() const { return folder_.path(); }
};

}  // namespace berth::copy
