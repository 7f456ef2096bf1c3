// Tar: files, folders and links as one stream of bytes. The format is ustar, with pax records for what its
// fields cannot hold: long names, files of 8 GiB and more, times that are no whole seconds.
//
//   entry:  [pax header | its records] | header | bytes of the file, filled up to whole blocks
//   stream: entries | two blocks of zeros
//
// Standard library only: berth-init links it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace berth::copy {

inline constexpr std::size_t kBlock = 512;  // bytes; all that stands in a tar begins at a multiple of it

// Since 1970, as stat() has it: before 1970 `seconds` is negative, `nanoseconds` (0 to 999,999,999) counts
// up.
struct FileTime {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
};

struct TarEntry {
  enum class Kind : std::uint8_t {
    kFile,
    kFolder,
    kLink,      // symbolic
    kHardLink,  // only read
    kOther,     // only read: devices, FIFOs, sparse files in formats of their own
  };
  Kind kind = Kind::kFile;
  std::string name;    // as it stands there: any bytes (entry_name.h)
  std::string target;  // of links
  std::uint64_t size = 0;
  std::uint32_t mode = 0;  // the nine bits of permissions
  FileTime changed_at;
};

// What stands before the bytes of a file; all there is of a folder or a link. Owners are not told: whoever
// unpacks owns what comes.
// REQUIRES: a kind that can be written; no zero byte in name and target; no size but a file's.
void append_header(std::string& out, const TarEntry& entry);
// Zeros behind so many bytes of a file.
std::size_t padding_of(std::uint64_t size);
// The end of the stream.
void append_end(std::string& out);

}  // namespace berth::copy
