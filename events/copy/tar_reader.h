// TarReader: cuts a tar stream into entries and bytes of files. It takes any bytes, in any pieces, and holds
// little: a block, and what pax and GNU headers say of the next entry, at most kExtensionMax.
//
// Read: ustar, pax, what GNU tar writes (long names, sizes above 8 GiB), and the format before them all.
// What a name or target holds is not judged here (entry_name.h). Standard library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "events/copy/tar.h"
#include "events/inside/messages.h"

namespace berth::copy {

using inside::Problem;

// Bytes of the file whose entry came last. They live as long as the input that they were read from.
struct FileBytes {
  std::string_view bytes;
};
struct TarEnd {};
using TarItem = std::variant<TarEntry, FileBytes, TarEnd>;

class TarReader {
 public:
  static constexpr std::size_t kExtensionMax = 64 << 10;  // bytes of headers before one entry

  // Takes bytes off the front of `input`. nullopt: more are needed, the end has come, or there is a
  // problem().
  std::optional<TarItem> next(std::string_view& input);
  // Code tar-damaged: nothing more of the stream can be read.
  const std::optional<Problem>& problem() const { return problem_; }
  bool ended() const { return ended_; }

 private:
  enum class Body : std::uint8_t { kFile, kSkipped, kExtension };
  // What headers said of the entry that comes.
  struct Extended {
    std::optional<std::string> name, target;
    std::optional<std::uint64_t> size;
    std::optional<FileTime> changed_at;
    bool sparse = false;
  };

  std::optional<TarItem> take_body(std::string_view& input);
  bool fill_block(std::string_view& input);
  std::optional<TarItem> take_block();
  std::optional<TarItem> take_entry(char type, std::uint64_t size);
  void begin_extension(char type, std::uint64_t size);
  void take_extension();
  void take_records(std::string_view records);
  void take_record(std::string_view key, std::string_view value);
  void fail(const char* what);

  std::string block_;        // of a header, not yet whole
  std::uint64_t left_ = 0;   // bytes of the body that are still to come
  std::size_t padding_ = 0;  // zeros behind it
  Body body_ = Body::kSkipped;
  char extension_type_ = 0;
  std::string extension_;
  std::size_t extension_bytes_ = 0;  // of all before the entry that comes
  Extended extended_;
  bool ended_ = false;
  std::optional<Problem> problem_;
};

}  // namespace berth::copy
