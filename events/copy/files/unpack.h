// Unpacker: makes files, folders and links of a tar stream, which anybody may have written.
//
// Where they go: a folder at `path` gets them inside; else the one thing in the stream gets the last part of
// `path` as its name, in the folder before it, as cp does. A folder that is there is merged with. A file is
// written aside and renamed into place, so that nobody sees half of it; a link in its place is replaced.
// Nothing below the destination is reached through a link. Permissions (less the umask) and times are as in
// the stream, of folders only where they are new; owners are who unpacks.
//
// What cannot be made (names that lead out, hard links, devices, FIFOs; a folder in the place of a file) is
// left out and told. Standard library only; one thread.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/base/files/descriptor.h"
#include "events/copy/files/notes.h"
#include "events/copy/tar_reader.h"

namespace berth::copy {

struct UnpackTo {
  std::string path;
  // What lies in the stream gets this name inside an existing folder; all of the stream must lie under one
  // name. Empty: names are as they come.
  std::string top = {};
  // Links may lead out of what is unpacked.
  bool links_out = false;
};

class Unpacker {
 public:
  Unpacker(UnpackTo to, Notes& notes);
  // A file that is not whole is removed.
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // First. Codes: not-found, not-a-folder, denied, write-failed.
  std::optional<Problem> open();
  // The next bytes of the stream. After a problem there is nothing more to do. Codes: tar-damaged, disk-full,
  // write-failed, not-a-folder (a folder comes, and at `path` is a file), several-at-top.
  std::optional<Problem> take(std::string_view bytes);
  // After the last bytes. Codes: tar-cut, and those of take().
  std::optional<Problem> finish();

 private:
  struct Attributes {
    mode_t mode = 0;
    FileTime changed_at;
  };
  // A folder on the way to the place of the last entry.
  struct Opened {
    std::string name;
    Descriptor folder;
    std::optional<Attributes> at_end;  // given to it when nothing more comes into it
  };
  using Parts = std::vector<std::string>;

  std::optional<Problem> take_entry(const TarEntry& entry);
  std::optional<Problem> place(const TarEntry& entry, Parts& parts, bool& taken);
  std::optional<Problem> make_root(const TarEntry& entry);
  std::optional<Problem> make(const TarEntry& entry, const Parts& parts);
  std::optional<Problem> make_folder(const TarEntry& entry, const Parts& parts);
  std::optional<Problem> make_link(const TarEntry& entry, const Parts& parts);
  std::optional<Problem> begin_file(const TarEntry& entry, const Parts& parts);
  std::optional<Problem> write_file(std::string_view bytes);
  std::optional<Problem> end_file();
  void give_up_file();
  int enter(const Parts& parts, std::size_t count);
  void leave(std::size_t count);
  int folder() const { return opened_.empty() ? root_.get() : opened_.back().folder.get(); }
  bool put_in_place(int folder, const std::string& name);
  std::string next_aside();
  std::optional<Problem> failed(const std::string& name, int error);

  UnpackTo to_;
  Notes& notes_;
  mode_t umask_;
  TarReader reader_;
  Descriptor root_;            // the folder that `path`, or its last part, lies in
  std::string new_name_;       // of what is at the top of the stream; empty: as it comes
  std::string top_;            // what the stream calls it
  bool makes_folder_ = false;  // `path` ends with a slash, and is not there
  std::vector<Opened> opened_;
  Descriptor file_;  // that is being written, aside, in folder()
  std::string aside_, final_name_, name_;
  Attributes attributes_;
  std::uint64_t left_ = 0;  // bytes of the file that are still to come
  std::uint32_t asides_ = 0;
};

}  // namespace berth::copy
